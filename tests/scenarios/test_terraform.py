"""Terraform units through whole runs: references, approvals by digest, drift, and teardown."""

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.support import tools
from tests.support.declarations import from_unit, resource
from tests.support.world import World

_MODULE = """\
terraform {
  backend "local" {}
}
variable "parent" {}
module "box" {
  source = "../modules/box"
  input  = var.parent
}
output "id" {
  value = module.box.output
}
"""
_KEY = """\
resource "terraform_data" "key" {
}
output "key" {
  value     = terraform_data.key.id
  sensitive = true
}
"""
_BOX = """\
variable "input" {}
resource "terraform_data" "box" {
  input = var.input
}
output "output" {
  value = terraform_data.box.output
}
"""


def terraform(world: World, name: str, parent: Any, **spec: Any) -> World:
    """Declares a Terraform unit that keeps what it is given, and gives it as its output `id`."""
    fields = {
        "source": {"path": f"infra/{name}"},
        "files": [f"infra/{name}/**", "infra/modules/box/**"],
        "backend": {"path": f"{{{{ values.states }}}}/{name}.tfstate"},
        "variables": {"parent": parent},
        "outputs": {"id": {"type": "string"}},
        **spec,
    }
    world.write(f"infra/{name}/main.tf", _MODULE).write("infra/modules/box/main.tf", _BOX)
    return world.write(f"units/{name}.yaml", resource("units.gitops.nyl/v1", "Terraform", name, fields))


def changed(state: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Changes a resource in a state, as somebody does who goes past nyl."""
    found = json.loads(state.read_text())
    change(found["resources"][0]["instances"][0])
    found["serial"] += 1
    state.write_text(json.dumps(found))


def attributes(state: Path) -> dict[str, dict[str, Any]]:
    """What a state holds of each resource, by name."""
    resources = json.loads(state.read_text())["resources"]
    return {each["name"]: each["instances"][0]["attributes"] for each in resources}


def objects(world: World) -> Iterator[bytes]:
    """Every object of the project's repository and of its remote, whether or not anything refers to it."""
    for repository in (world.root / ".git", world.origin):
        listing = ["git", "--git-dir", repository, "cat-file", "--batch", "--batch-all-objects"]
        yield subprocess.run(listing, check=True, capture_output=True).stdout


def test_two_modules_from_nothing_to_nothing(world: World) -> None:
    tools.terraform()
    states = world.tmp / "states"
    approval = {"mode": "manual", "bind": "plan", "requireDigest": True}
    world.environment(values={"states": str(states)})
    terraform(world, "network", "10.0.0.0/8")
    outputs = {"id": {"type": "string"}, "key": {"type": "string", "sensitive": True}}
    terraform(world, "database", from_unit("network", "id"), approval=approval, outputs=outputs)
    world.write("infra/database/key.tf", _KEY).write("unrelated.txt", "not checked out\n").initialise()

    planned = world.plan()
    assert "module.box.terraform_data.box will be created" in planned.unit("network")["changes"]
    assert planned.unit("database")["action"] == "blocked"
    assert not states.exists()

    first = world.reconcile(exits=2)
    assert first.verdicts() == {"network": "executed", "database": "awaiting-approval"}
    assert "dev/network" in first.stderr
    assert "Apply complete! Resources: 1 added" in first.stderr
    receipt = world.stored("observed/units/network.yaml")["receipt"]
    assert receipt["outputs"] == {"id": "10.0.0.0/8"}
    assert receipt["versions"]["terraform"].startswith("1.")

    reviewed = world.plan(exits=2).unit("database")["changeDigest"]
    world.reconcile("--approve", "database", exits=2)
    approved = world.reconcile("--approve", f"database={reviewed}")
    assert approved.verdicts() == {"network": "current", "database": "executed"}
    assert world.stored("observed/units/database.yaml")["receipt"]["approval"]["digest"] == reviewed
    assert world.reconcile().verdicts() == {"network": "current", "database": "current"}

    key = attributes(states / "database.tfstate")["key"]["id"]
    assert key not in approved.stdout
    assert all(key.encode() not in each for each in objects(world))

    world.nyl("verify", "-e", "dev")
    changed(states / "network.tfstate", lambda box: box.update(status="tainted"))
    told = world.nyl("verify", "-e", "dev", exits=3)
    assert "replace module.box.terraform_data.box" in told.stdout + told.stderr
    assert world.reconcile().environment()["driftRepaired"] == ["network"]

    world.remove("units/database.yaml").remove("units/network.yaml").commit()
    leaving = world.plan(exits=2).unit("database")
    assert "module.box.terraform_data.box will be destroyed" in leaving["changes"]
    assert world.reconcile("--allow-teardown", exits=2).verdicts()["database"] == "pending-teardown"
    gone = world.reconcile("--allow-teardown", "--approve", f"database={leaving['changeDigest']}")
    assert gone.verdicts() == {"database": "removed", "network": "removed"}
    assert [json.loads(each.read_text())["resources"] for each in sorted(states.glob("*.tfstate"))] == [[], []]


def test_a_state_is_repaired_with_the_tool_and_the_change_that_results_is_reviewed(world: World) -> None:
    tools.terraform()
    world.environment(values={"states": str(world.tmp / "states")})
    terraform(world, "db", "small", varFiles=["unused.tfvars"]).write("unused.tfvars", "").initialise().reconcile()
    world.nyl("hold", "-e", "dev", "--unit", "db", "--reason", "INC-42")
    terraform(world, "db", "large").commit()

    def tool(*arguments: str) -> str:
        return world.nyl("exec", "-e", "dev", "--unit", "db", "--", *arguments).stdout

    assert tool("state", "list") == "module.box.terraform_data.box\n"
    assert json.loads(tool("show", "-json"))["values"]["outputs"]["id"]["value"] == "small"
    assert "No changes" in tool("plan", "-no-color")
    tool("state", "rm", "module.box.terraform_data.box")
    assert tool("state", "list") == ""
    repair = world.stored("observed/units/db.yaml")["repair"]
    assert repair["command"] == ["state", "list"]
    assert world.reconcile(exits=2).verdicts() == {"db": "held"}

    world.nyl("resume", "-e", "dev", "--unit", "db")
    assert world.reconcile("--approve", "db", exits=2).verdicts() == {"db": "awaiting-approval"}
    planned = world.plan(exits=2).unit("db")
    assert "module.box.terraform_data.box will be created" in planned["changes"]
    done = world.reconcile("--approve", f"db={planned['changeDigest']}")
    assert done.verdicts() == {"db": "executed"}
    assert world.stored("observed/units/db.yaml")["receipt"]["outputs"] == {"id": "large"}
    assert world.reconcile().verdicts() == {"db": "current"}


_LISTING = """\
terraform {
  backend "local" {}
}
variable "size" {}
output "size" {
  value = var.size
}
output "files" {
  value = sort(fileset("${path.module}/ROOT", "**"))
}
"""


def listing(world: World, name: str, source: dict[str, str], **spec: Any) -> World:
    """Declares a unit that gives what its checkout holds."""
    fields = {
        "source": source,
        "varFiles": ["env/dev.tfvars"],
        "backend": {"path": str(world.tmp / f"{name}.tfstate")},
        "outputs": {"size": {"type": "integer"}, "files": {"type": "array"}},
        **spec,
    }
    return world.write(f"units/{name}.yaml", resource("units.gitops.nyl/v1", "Terraform", name, fields))


def test_modules_of_other_folders_and_repositories_read_what_they_declare_and_nothing_else(tmp_path: Path) -> None:
    tools.terraform()
    world = World(tmp_path, folder="deploy")
    library = world.tmp / "library"
    world.git("init", "-q", "-b", "main", library, cwd=world.tmp)
    (library / "tf").mkdir()
    (library / "tf/main.tf").write_text(_LISTING.replace("ROOT", ".."))
    (library / "unrelated.txt").write_text("not checked out")
    world.git("add", "-A", cwd=library)
    world.git("commit", "-q", "-m", "Add a module", cwd=library)
    world.environment().write("env/dev.tfvars", "size = 1\n")
    world.write("../infra/vpc/main.tf", _LISTING.replace("ROOT", "../..")).write("../infra/other.tf", "")
    listing(world, "vpc", {"path": "/infra/vpc"})
    source = {"repository": {"repoURL": f"file://{library}"}, "revision": "main", "path": "tf"}
    listing(world, "remote", source, variables={"size": 2}).initialise()

    first = world.reconcile()
    assert first.unit("remote")["outputs"] == {"size": 2, "files": ["tf/main.tf"]}
    assert first.unit("vpc")["outputs"]["size"] == 1
    seen = first.unit("vpc")["outputs"]["files"]
    assert {each for each in seen if not each.startswith("deploy/")} == {"infra/vpc/main.tf"}

    world.write("../infra/other.tf", "# changed\n").commit()
    assert world.reconcile().verdicts() == {"vpc": "current", "remote": "current"}
    world.write("env/dev.tfvars", "size = 3\n").commit()
    assert world.reconcile().verdicts() == {"vpc": "executed", "remote": "executed"}

    call = 'module "other" {\n  source = "../other"\n}\n'
    world.write("../infra/vpc/more.tf", call).write("../infra/other/main.tf", "").commit()
    for told in (world.plan(exits=1), world.reconcile(exits=3)):
        assert "add to files: '/infra/other/**'" in str(told.diagnostics)
    listing(world, "vpc", {"path": "/infra/vpc"}, files=["/infra/vpc/**", "/infra/other/**"]).commit()
    assert world.reconcile().verdicts()["vpc"] == "executed"
