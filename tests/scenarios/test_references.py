"""Runs page, References between units."""

import json

import pytest

from tests.support.declarations import from_artifact, from_unit
from tests.support.world import World

COMMANDS = (["validate"], ["plan", "-e", "dev"], ["reconcile", "-e", "dev"])


def refused(world: World, code: str) -> None:
    """validate, plan and reconcile refuse the project, without any state to read."""
    world.commit()
    for arguments in COMMANDS:
        assert code in world.report(*arguments, exits=1).codes, arguments


def test_a_reference_replaces_the_whole_value_at_any_depth_with_its_type(world: World) -> None:
    made = {"host": "db", "port": 5432, "tls": True, "zones": ["a", "b"], "limits": {"cpu": 1.5}}
    world.environment().unit("database", writes=made)
    values = {"deep": [{name: from_unit("database", name)} for name in made], "literal": "x"}
    world.unit(
        "consumer", values=values, script=f"cp \"$NYL_INPUTS\" '{world.tmp}/inputs.json'"
    ).initialise().reconcile()
    seen = json.loads((world.tmp / "inputs.json").read_text())
    assert seen == {"deep": [{name: value} for name, value in made.items()], "literal": "x"}


def test_the_consumer_runs_in_a_later_wave_of_the_same_run(pair: World) -> None:
    assert pair.reconcile().environment()["unitOrder"] == ["database", "migrate"]
    assert pair.ran() == ["database", "migrate"]


def test_a_cycle_is_rejected(world: World) -> None:
    world.environment().unit("a", writes={"x": "1"}, dependsOn=["b"]).unit("b", values={"x": from_unit("a", "x")})
    refused(world, "NYL-DEPENDENCY-CYCLE")


def test_a_unit_that_needs_itself_is_a_cycle(world: World) -> None:
    world.environment().unit("a", dependsOn=["a"])
    refused(world, "NYL-DEPENDENCY-CYCLE")


def test_a_unit_that_does_not_exist_is_unknown(world: World) -> None:
    world.environment().unit("a", values={"x": from_unit("nobody", "x")})
    refused(world, "NYL-DEPENDENCY-UNKNOWN")


def test_a_unit_that_the_environment_does_not_select_is_unknown(world: World) -> None:
    world.environment(unitSelector={"matchLabels": {"tier": "platform"}})
    world.unit("a", labels={"tier": "platform"}, dependsOn=["b"]).unit("b")
    refused(world, "NYL-DEPENDENCY-UNKNOWN")


def test_a_disabled_unit_is_unknown_to_its_consumers(world: World) -> None:
    world.environment().unit("a", dependsOn=["b"]).unit("b", enabled=False)
    refused(world, "NYL-DEPENDENCY-UNKNOWN")


def test_an_output_that_the_producer_does_not_declare_is_refused(world: World) -> None:
    world.environment().unit("a", writes={"x": "1"}).unit("b", values={"y": from_unit("a", "y")})
    refused(world, "NYL-REFERENCE-INVALID")


def test_a_sensitive_output_can_never_be_referenced(world: World) -> None:
    world.environment().unit("a", writes={"x": "secret"}, outputs={"x": {"type": "string", "sensitive": True}})
    world.unit("b", values={"x": from_unit("a", "x")})
    refused(world, "NYL-REFERENCE-SENSITIVE")


def test_a_reference_mixed_with_other_fields_is_refused(world: World) -> None:
    world.environment().unit("a", writes={"x": "1"}).unit("b", values={"x": from_unit("a", "x") | {"default": "y"}})
    refused(world, "NYL-REFERENCE-INVALID")


@pytest.mark.parametrize("place", ["reference", "dependency"])
@pytest.mark.parametrize("addition", [{"evidence": "attested"}, {"attestations": ["scan"]}])
def test_asking_for_attestations_is_rejected(world: World, addition: dict[str, object], place: str) -> None:
    world.environment().unit("a", writes={"x": "1"})
    if place == "reference":
        world.unit("b", values={"x": {"fromUnit": {"unit": "a", "output": "x"} | addition}})
    else:
        world.unit("b", dependsOn=[{"unit": "a"} | addition])
    refused(world, "NYL-ATTESTATIONS-UNSUPPORTED")


def test_published_evidence_is_what_references_require_anyway(world: World) -> None:
    world.environment().unit("a", writes={"x": "1"})
    world.unit("b", values={"x": {"fromUnit": {"unit": "a", "output": "x", "evidence": "published"}}})
    assert world.initialise().reconcile().verdicts() == {"a": "executed", "b": "executed"}


def test_an_artifact_reference_is_checked_only_for_the_producers_existence(world: World) -> None:
    world.environment().unit("a").unit("b", values={"x": from_artifact("a", "image", "/digest")}).commit()
    world.report("validate")
    world.environment().unit("b", values={"x": from_artifact("nobody", "image", "/digest")})
    refused(world, "NYL-DEPENDENCY-UNKNOWN")


def test_a_blocked_consumer_keeps_its_previous_resolution(reconciled: World) -> None:
    before = reconciled.stored("desired/units/migrate.yaml", "desired")
    reconciled.unit("database", writes={"host": "other"}, script="exit 1").commit()
    assert reconciled.reconcile(exits=3).verdicts() == {"database": "failed", "migrate": "blocked"}
    assert reconciled.ran() == ["database"]
    assert reconciled.stored("desired/units/migrate.yaml", "desired") == before


def test_a_failed_producer_keeps_its_previous_receipt(reconciled: World) -> None:
    before = reconciled.stored("observed/units/database.yaml")["receipt"]
    reconciled.unit("database", writes={"host": "other"}, script="exit 1").commit()
    reconciled.reconcile(exits=3)
    after = reconciled.stored("observed/units/database.yaml")
    assert after["receipt"] == before
    assert (after["condition"]["state"], after["condition"]["category"]) == ("failed", "execution")


def test_resolution_records_where_each_value_came_from(reconciled: World) -> None:
    provenance = reconciled.stored("desired/units/migrate.yaml", "desired")["provenance"]
    assert [each["unit"] for each in provenance.values()] == ["database"]
    assert list(provenance) == ["/values/host"]


def test_every_problem_of_the_project_is_reported_at_once(world: World) -> None:
    world.environment().unit("a", values={"x": from_unit("nobody", "x")}).unit("b", dependsOn=["nothing"])
    world.unit("c", timeout="forever").commit()
    found = world.report("validate", exits=1).diagnostics
    assert {each["unit"] for each in found} == {"a", "b", "c"}
    assert all(each["message"] and each["fix"] for each in found)
