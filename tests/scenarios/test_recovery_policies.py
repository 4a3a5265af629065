"""Recovery page, Uncertain units and recovery policies: what the next run does with an uncertain unit."""

from typing import Any

import pytest

from tests.support.declarations import from_unit
from tests.support.world import World

INSPECT = "./scripts/inspect.sh"


def left_uncertain(world: World, **spec: Any) -> None:
    """A world whose unit `db` passed its timeout, so that nobody knows what it did; a second try would end well."""
    world.environment().unit("web", values={"host": from_unit("db", "host")})
    slow = f"[ -e '{world.tmp}/again' ] || {{ touch '{world.tmp}/again'; sleep 60; }}"
    world.unit("db", script=slow, writes={"host": "db.example"}, timeout="1s", **spec)
    assert world.initialise().reconcile(exits=4).verdicts() == {"db": "uncertain", "web": "blocked"}
    world.forget()


def inspecting(world: World, answer: str) -> None:
    """Lets inspections end with `answer`; each is written down."""
    world.write("scripts/inspect.sh", f"#!/bin/sh\necho inspect >> '{world.log}'\n{answer}\n")


APPLIED = 'echo \'{"host": "found.example"}\' > "$NYL_OUTPUTS"'


def test_converge_executes_the_unit_again(world: World) -> None:
    left_uncertain(world, idempotent=True)
    ended = world.reconcile()
    assert ended.verdicts() == {"db": "recovered", "web": "executed"}
    assert world.ran() == ["db", "web"]
    assert ended.environment()["recovered"] == ["db"]
    assert "recovered: [db]" in world.message()


def test_manual_leaves_the_condition_for_an_operator(world: World) -> None:
    left_uncertain(world)
    before = world.state_refs()
    ended = world.reconcile(exits=4)
    assert ended.verdicts() == {"db": "uncertain", "web": "blocked"}
    assert world.ran() == []
    assert world.state_refs() == before
    assert "NYL-UNIT-UNCERTAIN" in ended.codes
    assert "nyl recover -e dev --unit db --retry --reason <text>" in ended.stdout


def test_inspect_records_the_receipt_of_effects_that_are_there(world: World) -> None:
    inspecting(world, APPLIED)
    left_uncertain(world, inspect=[INSPECT])
    ended = world.reconcile()
    assert ended.verdicts() == {"db": "recovered", "web": "executed"}
    assert world.ran() == ["inspect", "web"]
    stored = world.stored("observed/units/db.yaml")
    assert stored["receipt"]["outputs"] == {"host": "found.example"}
    assert "condition" not in stored
    assert "recovered: [db]" in world.message()
    assert world.forget().reconcile().verdicts() == {"db": "current", "web": "current"}
    assert world.ran() == []


def test_inspect_executes_again_what_was_not_applied(world: World) -> None:
    inspecting(world, "exit 3")
    left_uncertain(world, inspect=[INSPECT])
    ended = world.reconcile()
    assert ended.verdicts() == {"db": "recovered", "web": "executed"}
    assert world.ran() == ["inspect", "db", "web"]
    assert world.stored("observed/units/db.yaml")["receipt"]["outputs"] == {"host": "db.example"}


@pytest.mark.parametrize("answer", ["exit 1", "kill -9 $$", "true"], ids=["error", "killed", "no outputs"])
def test_inspect_leaves_the_condition_where_nobody_can_tell(world: World, answer: str) -> None:
    inspecting(world, answer)
    left_uncertain(world, inspect=[INSPECT])
    before = world.state_refs()
    ended = world.reconcile(exits=4)
    assert ended.verdicts() == {"db": "uncertain", "web": "blocked"}
    assert "passed its timeout" in ended.environment()["units"]["db"]["detail"]
    assert "an inspection could not tell" in ended.environment()["units"]["db"]["detail"]
    assert world.ran() == ["inspect"]
    assert world.state_refs() == before


def test_what_was_applied_for_former_inputs_runs_again_for_the_new_ones(world: World) -> None:
    inspecting(world, APPLIED)
    left_uncertain(world, inspect=[INSPECT])
    world.unit("db", script="true", writes={"host": "new.example"}, inspect=[INSPECT]).commit()
    ended = world.reconcile()
    assert ended.verdicts() == {"db": "recovered", "web": "executed"}
    assert world.ran() == ["inspect", "db", "web"]
    assert world.stored("observed/units/db.yaml")["receipt"]["outputs"] == {"host": "new.example"}


def test_only_named_units_are_inspected(world: World) -> None:
    inspecting(world, APPLIED)
    left_uncertain(world, inspect=[INSPECT])
    world.unit("other").commit()
    assert world.reconcile("--unit", "other").verdicts() == {"other": "executed"}
    assert world.ran() == ["other"]


@pytest.mark.parametrize(
    "spec", [{}, {"idempotent": True}, {"inspect": ["true"]}], ids=["manual", "converge", "inspect"]
)
def test_status_reports_an_uncertain_unit_whatever_its_policy(world: World, spec: dict[str, Any]) -> None:
    left_uncertain(world, **spec)
    status = world.report("status", "-e", "dev", exits=4)
    assert status.verdicts()["db"] == "uncertain"
    assert "NYL-UNIT-UNCERTAIN" in status.codes


def test_an_uncertain_unit_keeps_its_last_receipt(world: World) -> None:
    world.environment().unit("db", writes={"host": "db.example"}).initialise().reconcile()
    receipt = world.stored("observed/units/db.yaml")["receipt"]
    world.unit("db", script="sleep 60", writes={"host": "db.example"}, timeout="1s").commit()
    world.reconcile(exits=4)
    stored = world.stored("observed/units/db.yaml")
    assert stored["receipt"] == receipt
    assert stored["condition"]["state"] == "uncertain"


def test_an_uncertain_unit_is_a_candidate_although_its_receipt_is_current(world: World) -> None:
    world.environment().unit("db", idempotent=True).initialise().reconcile()
    original = (world.project / "scripts/db.sh").read_text()
    world.unit("db", script="sleep 60", idempotent=True, timeout="1s").commit()
    world.reconcile(exits=4)
    world.write("scripts/db.sh", original).write("units/db.yaml", (world.project / "units/db.yaml").read_text())
    world.commit()
    assert world.forget().reconcile().verdicts() == {"db": "recovered"}
    assert world.ran() == ["db"]


def test_a_retryable_failure_runs_again_and_another_waits_for_an_operator(world: World) -> None:
    once = f"[ -e '{world.tmp}/once' ] || {{ touch '{world.tmp}/once'; exit 1; }}"
    world.environment().unit("a", script=once, idempotent=True).unit("b", script="exit 1")
    assert world.initialise().reconcile(exits=3).verdicts() == {"a": "failed", "b": "failed"}
    assert world.forget().reconcile(exits=3).verdicts() == {"a": "executed", "b": "failed"}
    assert world.ran() == ["a"]
