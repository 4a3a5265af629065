"""Packages that bring kinds: imported when a project has their units, missed when they are gone."""

from pathlib import Path

import pytest

from tests.driver_package.installed import laid_out_at
from tests.support.copies import copied
from tests.support.declarations import from_unit, resource
from tests.support.world import World

GROUP = "acme.example/v1"
DRIVER = """
import os
from datetime import timedelta
from pathlib import Path

from nyl.units.driver import Capability, RecoveryPolicy
from nyl.units.inputs import Inputs
from nyl.units.outcomes import Removed, Succeeded, Verified

with (Path(os.environ["HOME"]).parent / "imported").open("a") as imported:
    imported.write("once ")


class Gadget:
    api_version = "acme.example/v1"
    kind = "Gadget"
    behavior_version = 3
    default_timeout = timedelta(minutes=1)
    reference_fields = ("/values",)
    neutral_fields = ()

    def schema(self):
        return {"type": "object", "properties": {"values": {"type": "object"}, "colour": {"enum": ["red"]}}}

    def capabilities(self, spec):
        return {Capability.TEARDOWN, Capability.VERIFY}

    def recovery(self, spec):
        return RecoveryPolicy.CONVERGE

    def teardown_recovery(self, spec):
        return RecoveryPolicy.CONVERGE

    def inputs(self, spec):
        return Inputs()

    def execute(self, unit, context):
        kept = context.cache / "downloads"
        before = kept.read_text() if kept.exists() else ""
        kept.write_text(before + unit.name)
        return Succeeded({"size": len(before), "last": dict(context.receipt.outputs), "uid": context.receipt.uid or ""})

    def verify(self, unit, context, receipt):
        return Verified(False)

    def teardown(self, unit, context, receipt, order):
        return Removed()


def drivers():
    return [Gadget()]
"""
OUTPUTS = {"size": {"type": "integer"}, "last": {"type": "object"}, "uid": {"type": "string"}}


def install(world: World, text: str = DRIVER, name: str = "acme-gadget") -> World:
    """Installs a package for the calls that follow."""
    site = world.tmp / "site"
    site.mkdir(exist_ok=True)
    module = name.replace("-", "_")
    (site / f"{module}.py").write_text(text)
    laid_out_at(site, name, {GROUP: f"{module}:drivers"})
    world.environ["PYTHONPATH"] = str(site)
    return world


def gadget(world: World, name: str = "gadget", **spec: object) -> World:
    return world.write(f"units/{name}.yaml", resource(GROUP, "Gadget", name, spec={"outputs": OUTPUTS, **spec}))


@pytest.fixture
def plain(tmp_path: Path) -> World:
    """A project with one Command."""
    return copied(tmp_path, _plain)


def _plain(world: World) -> World:
    return world.environment().unit("web").initialise()


@pytest.fixture
def bereft(tmp_path: Path) -> World:
    """A project that reconciled a Gadget, after the package went."""
    world = copied(tmp_path, _bereft)
    world.environ.pop("PYTHONPATH", None)
    return world


def _bereft(world: World) -> World:
    install(gadget(world.environment().unit("web"))).initialise().reconcile()
    return world


def test_a_package_is_imported_only_for_a_project_with_its_units(plain: World) -> None:
    witness = plain.tmp / "imported"
    install(plain)

    for command in ("validate", "plan -e dev", "status -e dev", "reconcile -e dev"):
        plain.nyl(*command.split(), exits=None)
    assert not witness.exists()
    gadget(plain).commit()
    plain.nyl("validate")
    assert witness.read_text() == "once "


NOISE = """
import subprocess
import sys
def noise(where):
    print(where, "printed")
    os.write(1, f"{where} written\\n".encode())
    subprocess.run(["echo", where, "echoed"])
noise("import")
"""


def test_what_a_driver_prints_by_itself_stays_out_of_reports(plain: World) -> None:
    text = DRIVER.replace("\n\nclass Gadget", f"{NOISE}\n\nclass Gadget").replace(
        "        kept = context.cache", '        noise("execute")\n        kept = context.cache'
    )
    install(gadget(plain), text).commit()
    for command, places in (
        ("get kinds -o json", ["import"]),
        ("schema Gadget", ["import"]),
        ("reconcile -e dev -o json", ["import", "execute"]),
    ):
        ended = plain.nyl(*command.split())
        assert ended.json, "stdout is JSON alone"
        assert {f"{place} {how}" for place in places for how in ("printed", "written", "echoed")} <= set(
            ended.stderr.splitlines()
        )


def test_executions_share_a_cache_and_get_what_the_last_one_left(plain: World) -> None:
    install(gadget(plain)).commit()
    first = plain.reconcile().unit("gadget")["outputs"]
    second = plain.reconcile("--unit", "gadget", "--reapply", "--reason", "look").unit("gadget")["outputs"]

    assert (first["size"], first["last"]) == (0, {})
    assert (second["size"], second["last"]) == (len("gadget"), first)
    assert second["uid"] == first["uid"] == plain.stored("desired/units/gadget.yaml", "desired")["unit"]["uid"]


def test_kinds_of_packages_are_listed_and_have_a_schema(plain: World) -> None:
    install(plain)

    assert ["acme.example/v1", "Gadget", "3", "acme-gadget", "1.0"] in [
        line.split() for line in plain.nyl("get", "kinds").stdout.splitlines()
    ]
    schema = plain.nyl("schema", "Gadget").json
    assert schema["properties"]["apiVersion"] == {"const": GROUP}
    assert {"colour", "values", "outputs", "timeout"} <= schema["properties"]["spec"]["properties"].keys()
    gadget(plain, colour="blue").commit()
    assert "NYL-RESOURCE-INVALID" in plain.report("validate", exits=1).codes


@pytest.mark.parametrize("command", ["plan", "status", "reconcile"])
def test_a_unit_does_not_leave_because_its_driver_does(bereft: World, command: str) -> None:
    before = bereft.state_refs()

    refused = bereft.report(command, "-e", "dev", exits=1)

    (problem,) = refused.diagnostics
    assert problem["code"] == "NYL-KIND-UNKNOWN"
    assert problem["message"] == (
        "units/gadget.yaml:1: unit gadget of dev is declared, but no installed driver offers kind Gadget of "
        "acme.example/v1."
    )
    assert bereft.state_refs() == before


def test_units_of_other_kinds_go_on_without_a_driver(bereft: World) -> None:
    assert bereft.nyl("validate").stdout.startswith("valid")
    assert bereft.reconcile("--unit", "web").verdicts()["web"] == "current"


def test_who_refers_to_a_unit_without_a_driver_is_told_so(bereft: World) -> None:
    bereft.unit("web", values={"size": from_unit("gadget", "size")}).commit()

    (problem,) = bereft.report("validate", exits=1).diagnostics

    assert problem["message"] == (
        "units/web.yaml:1: unit web depends on what units/gadget.yaml:1 declares, but no installed driver offers kind "
        "Gadget of acme.example/v1."
    )


def test_what_is_recorded_of_a_unit_without_a_driver_can_be_read(bereft: World) -> None:
    assert "gadget" in bereft.nyl("get", "units", "-e", "dev").stdout
    assert "2 executed" in bereft.nyl("history", "-e", "dev").stdout
    bereft.nyl("state", "check", "-e", "dev")
    bereft.nyl("hold", "-e", "dev", "--unit", "gadget", "--reason", "look")
    verified = bereft.report("verify", "-e", "dev", exits=1)
    assert verified.codes == {"NYL-KIND-UNKNOWN"}


def test_a_teardown_without_a_driver_is_refused_with_the_way_out(bereft: World) -> None:
    refused = bereft.report("teardown", "-e", "dev", "--unit", "gadget", exits=1)
    (problem,) = refused.diagnostics
    assert problem["code"] == "NYL-KIND-UNKNOWN"
    assert "state forget -e dev --unit gadget" in problem["fix"]

    bereft.remove("units/gadget.yaml").commit()
    bereft.reconcile(exits=1)
    bereft.nyl("state", "forget", "-e", "dev", "--unit", "gadget")
    assert bereft.reconcile().verdicts() == {"web": "current"}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("raise RuntimeError('half done')", "cannot be loaded: RuntimeError: half done"),
        (
            DRIVER.replace("def teardown_recovery", "def recovery_of_teardown"),
            "has capability teardown, but no method teardown_recovery",
        ),
    ],
)
def test_a_package_that_is_broken_is_named(plain: World, text: str, reason: str) -> None:
    install(gadget(plain, deletionPolicy="Retain"), text)

    (problem,) = plain.report("validate", exits=1).diagnostics

    assert problem["code"] == "NYL-DRIVER-INVALID"
    assert "acme-gadget 1.0" in problem["message"]
    assert reason in problem["message"]


def test_two_packages_with_one_kind_are_both_named(plain: World) -> None:
    install(install(gadget(plain)), name="other-gadget")

    (problem,) = plain.report("validate", exits=1).diagnostics

    assert problem["code"] == "NYL-DRIVER-INVALID"
    assert {"acme-gadget", "other-gadget"} <= set(problem["message"].replace("'", " ").split())
