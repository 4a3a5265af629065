"""The whole chain of examples/platform: Terraform, an image, a command and a publication, from nothing to nothing."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.deaths import die_in
from tests.support.platform_world import IMAGE, PlatformWorld, platform, running_platform
from tests.support.processes import Invocation

UNITS = {"database", "image", "kubernetes", "network", "seed"}
DEPLOYMENT = "shop/web/deployment.apps/shop/web.yaml"
APPLICATION = "_nyl/catalog/application.argoproj.io/argocd/web.yaml"


@pytest.fixture
def world(tmp_path: Path) -> PlatformWorld:
    """The platform with nothing run yet."""
    return platform(tmp_path)


@pytest.fixture
def running(tmp_path: Path) -> PlatformWorld:
    """The platform after the first run of `dev`."""
    return running_platform(tmp_path)


def verdicts(call: Invocation, environment: str = "dev", field: str = "result") -> dict[str, str]:
    """What became of each unit."""
    units = call.json["environments"][environment]["units"]
    return {name: each[field] for name, each in units.items()}


def executed(call: Invocation, environment: str = "dev") -> set[str]:
    """The units that ran, when everything else was current."""
    found = verdicts(call, environment)
    assert set(found.values()) <= {"executed", "current"}, found
    return {name for name, result in found.items() if result == "executed"}


def receipt(world: PlatformWorld, unit: str, environment: str = "dev") -> dict[str, Any]:
    found: dict[str, Any] = world.stored(f"observed/units/{unit}.yaml", environment=environment)["receipt"]
    return found


def container(world: PlatformWorld, target: str = "dev") -> dict[str, Any]:
    """The one container of the published Deployment."""
    deployment = yaml.safe_load(world.deployed(f"{target}/{DEPLOYMENT}"))
    (found,) = deployment["spec"]["template"]["spec"]["containers"]
    return dict(found)


def digest(world: PlatformWorld, unit: str, environment: str = "prod") -> str:
    """The digest of the change that a plan shows."""
    (found,) = digests(world, unit, environment=environment)
    return found


def digests(world: PlatformWorld, *units: str, environment: str = "prod") -> list[str]:
    """The digests of the changes that one plan shows."""
    shown = world.plan("-e", environment).json["environments"][environment]["units"]
    found = [str(shown[unit]["changeDigest"]) for unit in units]
    assert all(each.startswith("sha256:") for each in found)
    return found


def test_the_first_run_makes_everything_in_order_and_the_second_nothing(world: PlatformWorld) -> None:
    assert verdicts(world.plan(), field="action")["kubernetes"] == "blocked"
    assert executed(world.reconcile()) == UNITS
    assert [each["input"] for each in world.resources("network")] == ["10.1.0.0/16"]
    host = receipt(world, "database")["outputs"]["host"]
    assert host == "shop-dev.db.example"
    image = f"{world.registry.address}/{IMAGE}@{world.image()}"
    assert container(world)["image"] == image
    assert container(world)["env"] == [{"name": "DATABASE_HOST", "value": host}]
    refs = world.refs()
    assert executed(world.reconcile()) == set()
    assert world.refs() == refs
    assert set(verdicts(world.report("status", "-e", "dev"), field="state").values()) == {"current"}


def test_a_run_without_changes_starts_no_tool(running: PlatformWorld) -> None:
    folder = running.tmp / "absent"
    folder.mkdir()
    for tool in ("terraform", "buildah", "helm", "skopeo", "python3"):
        (folder / tool).write_text(f"#!/bin/sh\necho {tool} >> '{running.log}'\nexit 1\n")
        (folder / tool).chmod(0o755)
    running.environ["PATH"] = f"{folder}:{running.environ['PATH']}"
    assert executed(running.reconcile()) == set()
    assert running.ran() == []


def test_a_password_is_stored_nowhere(running: PlatformWorld) -> None:
    password = "password-of-" + running.resources("database")[0]["id"]
    assert password in (running.states / "dev/database.tfstate").read_text()
    assert set(receipt(running, "database")["outputs"]) == {"host"}
    assert running.git("log", "--all", "--oneline", "-Sshop-dev.db.example", cwd=running.origin)
    assert running.git("log", "--all", "--oneline", f"-S{password}", cwd=running.origin) == ""


@pytest.mark.parametrize(
    ("path", "old", "new", "ran"),
    [
        ("services/web/index.html", "Shop", "Pears", {"image", "kubernetes"}),
        ("services/web/README.md", "page", "front", set()),
        ("scripts/seed/rows.csv", "pear", "plum", {"seed"}),
        ("environments/dev.yaml", "small", "medium", {"database"}),
        ("charts/web/templates/web.yaml", "port: 80", "port: 8080", {"kubernetes"}),
    ],
)
def test_a_change_runs_what_it_concerns(running: PlatformWorld, path: str, old: str, new: str, ran: set[str]) -> None:
    before = running.published()
    assert executed(running.change(path, old, new).reconcile()) == ran
    assert (running.published() != before) == ("kubernetes" in ran)
    assert container(running)["image"].endswith(f"@{running.image()}")


def test_prod_waits_for_the_digest_of_each_change_and_of_each_removal(running: PlatformWorld) -> None:
    first = running.reconcile("-e", "prod", exits=2)
    assert verdicts(first, "prod") == {
        "network": "awaiting-approval",
        "database": "blocked",
        "image": "executed",
        "seed": "blocked",
        "kubernetes": "blocked",
    }
    assert not (running.states / "prod/network.tfstate").exists()
    seen = digest(running, "network")
    assert verdicts(running.reconcile("-e", "prod", "--approve", "network", exits=2), "prod")["network"] == (
        "awaiting-approval"
    )
    second = running.reconcile("-e", "prod", "--approve", f"network={seen}", exits=2)
    assert verdicts(second, "prod")["network"] == "executed"
    assert verdicts(second, "prod")["database"] == "awaiting-approval"
    third = running.reconcile("-e", "prod", "--approve", f"database={digest(running, 'database')}")
    assert verdicts(third, "prod") == {
        "network": "current",
        "database": "executed",
        "image": "current",
        "seed": "executed",
        "kubernetes": "executed",
    }
    approval = receipt(running, "network", "prod")["approval"]
    assert (approval["digest"], approval["reviewed"]) == (seen, True)
    assert container(running, "prod")["image"] == container(running)["image"]
    assert running.deployed_files("dev")
    assert running.deployed_files("prod")
    (running.states / "prod/database.tfstate").unlink()
    running.report("verify", "-e", "prod", exits=3)
    assert verdicts(running.reconcile("-e", "prod", exits=2), "prod")["database"] == "awaiting-approval"
    running.reconcile("-e", "prod", "--approve", f"database={digest(running, 'database')}")
    prod_goes(running)


def prod_goes(running: PlatformWorld) -> None:
    """Tears prod down: whoever approved what Terraform made has to approve what it removes."""
    teardown = ("teardown", "-e", "prod", "--all", "--reason", "closing")
    dev = running.deployed_files("dev")
    assert verdicts(running.report(*teardown, exits=2), "prod")["kubernetes"] == "tearing-down"
    waiting = running.report(*teardown, "--confirm-removed", "--approve", "database", exits=2)
    assert verdicts(waiting, "prod") == {
        "kubernetes": "removed",
        "seed": "removed",
        "database": "pending-teardown",
        "image": "released",
        "network": "pending-teardown",
    }
    assert running.resources("database", "prod")
    database, network = digests(running, "database", "network")
    gone = running.report(*teardown, "--approve", f"database={database}", "--approve", f"network={network}")
    assert verdicts(gone, "prod") == dict.fromkeys(UNITS, "held") | {"database": "removed", "network": "removed"}
    assert running.resources("database", "prod") == running.resources("network", "prod") == []
    assert running.deployed_files("prod") == []
    assert running.deployed_files("dev") == dev


def test_what_is_lost_is_found_and_made_again(running: PlatformWorld) -> None:
    image = running.image()
    assert image
    (running.states / "dev/database.tfstate").unlink()
    (running.states / "dev/rows.csv").write_text("worm,1\n")
    running.registry.delete(IMAGE, image)
    found = running.report("verify", "-e", "dev", exits=3)
    assert verdicts(found, field="finding") == {
        "network": "clean",
        "database": "drifted",
        "image": "drifted",
        "seed": "drifted",
        "kubernetes": "clean",
    }
    repaired = running.reconcile()
    assert set(repaired.json["environments"]["dev"]["driftRepaired"]) == {"database", "image", "seed"}
    assert running.image() == image
    assert verdicts(repaired)["kubernetes"] == "current"
    running.report("verify", "-e", "dev")


def test_a_held_database_is_repaired_while_its_consumers_go_on_and_then_reviewed(running: PlatformWorld) -> None:
    running.nyl("hold", "-e", "dev", "--unit", "database", "--reason", "looking")
    running.change("environments/dev.yaml", "small", "medium")
    running.change("scripts/seed/rows.csv", "pear", "plum")
    held = running.reconcile(exits=2)
    assert verdicts(held)["database"] == "held"
    assert verdicts(held)["seed"] == "executed"
    assert running.resources("database")[0]["input"]["size"] == "small"
    identity = running.resources("database")[0]["id"]
    repair = ["taint", "terraform_data.database"]
    running.nyl("exec", "-e", "dev", "--unit", "database", "--reason", "it is broken", "--", *repair)
    assert running.stored("observed/units/database.yaml")["repair"]["command"] == repair
    running.nyl("resume", "-e", "dev", "--unit", "database")
    waiting = running.reconcile("--approve", "database", exits=2)
    assert verdicts(waiting) == {
        "network": "current",
        "database": "awaiting-approval",
        "image": "current",
        "seed": "blocked",
        "kubernetes": "blocked",
    }
    assert running.resources("database")[0]["id"] == identity
    seen = digest(running, "database", "dev")
    assert executed(running.reconcile("--approve", f"database={seen}")) == {"database"}
    assert running.resources("database")[0]["input"]["size"] == "medium"
    assert running.resources("database")[0]["id"] != identity
    assert receipt(running, "database")["approval"]["digest"] == seen
    assert "repair" not in running.stored("observed/units/database.yaml")


@pytest.mark.parametrize(
    ("unit", "path", "old", "new", "effect"),
    [
        ("database", "environments/dev.yaml", "small", "medium", lambda world: world.resources("database")),
        ("image", "services/web/index.html", "Shop", "Pears", lambda world: world.image()),
        ("kubernetes", "charts/web/values.yaml", "replicas: 1", "replicas: 2", lambda world: world.published()),
    ],
)
def test_a_run_that_dies_behind_an_effect_is_made_good(
    running: PlatformWorld, unit: str, path: str, old: str, new: str, effect: Callable[[PlatformWorld], object]
) -> None:
    before = effect(running)
    running.change(path, old, new)
    die_in(running, f"after work on {unit}", "reconcile", "-e", "dev")
    made = effect(running)
    assert made != before
    again = running.reconcile()
    assert verdicts(again)[unit] == "recovered"
    assert effect(running) == made
    assert executed(running.reconcile()) == set()


def test_everything_waits_for_the_pods_and_for_a_hold_and_then_goes(running: PlatformWorld) -> None:
    waiting = running.report("teardown", "-e", "dev", "--all", "--reason", "moving", exits=2)
    found = verdicts(waiting)
    assert found["kubernetes"] == "tearing-down"
    assert found["database"] == found["network"] == found["seed"] == "pending-teardown"
    assert f"dev/{APPLICATION}" not in running.deployed_files()
    assert f"dev/{DEPLOYMENT}" in running.deployed_files()
    assert running.resources("database")
    wait, published = running.stored("observed/units/kubernetes.yaml")["teardown"], running.published()
    running.nyl("hold", "-e", "dev", "--unit", "kubernetes", "--reason", "looking")
    held = running.report("teardown", "-e", "dev", "--all", "--confirm-removed", "--reason", "moving", exits=2)
    assert verdicts(held) == dict.fromkeys(UNITS, "pending-teardown") | {"kubernetes": "held"}
    assert (running.stored("observed/units/kubernetes.yaml")["teardown"], running.published()) == (wait, published)
    running.nyl("resume", "-e", "dev", "--unit", "kubernetes")
    found = verdicts(running.reconcile())
    assert {found[unit] for unit in UNITS - {"image"}} == {"removed"}
    assert found["image"] == "released"
    assert running.deployed_files() == []
    assert running.resources("database") == running.resources("network") == []
    assert not (running.states / "dev/rows.csv").exists()
    assert running.image()
    assert set(verdicts(running.report("status", "-e", "dev", exits=2), field="state").values()) == {"held"}
