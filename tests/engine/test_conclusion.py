"""What a run comes to: documents to write, the transition, the report."""

from dataclasses import replace

import pytest

from nyl.core.exits import Exit
from nyl.engine.results import LeavingEffect
from nyl.state.changes import Landed
from nyl.state.documents import ConditionState
from nyl.state.lifecycles import LifecycleState
from tests.engine.builders import (
    BREAKS,
    DESIRED,
    HOLD,
    OBSERVED,
    RUN,
    VANISHES,
    Desk,
    Estate,
    S,
    codes,
    desired,
    output,
    results,
    unit,
)


def estate() -> Estate:
    built = Estate(unit("db", outputs={"host": "string"}), unit("web", values={"host": output("host", "db")}))
    built.run()
    return built


def test_a_repeated_run_writes_nothing() -> None:
    again = estate()
    again.run()
    assert again.ran == []
    assert again.written.empty


def test_a_run_writes_what_it_executed_and_the_environment() -> None:
    written = estate().written
    assert set(written.desired) == set(written.observed) == {"db", "web"}
    assert written.environment is not None
    assert (written.environment.source_commit, written.environment.ownership) == (S, ("db", "web"))


def test_a_neutral_change_rewrites_the_desired_document_and_runs_nothing() -> None:
    changed = estate()
    changed.declare(unit("db", outputs={"host": "string"}, timeout="1h"), changed.units["web"].rendered)
    changed.run()
    assert changed.ran == []
    assert (set(changed.written.desired), set(changed.written.observed)) == ({"db"}, set())
    assert changed.state.desired["db"].spec["timeout"] == "1h"


def test_with_unit_other_units_documents_stay_as_they_are() -> None:
    changed = estate()
    changed.declare(unit("db", outputs={"host": "string"}, timeout="1h"), changed.units["web"].rendered)
    changed.run(only=frozenset({"web"}))
    assert changed.written.empty


def test_a_blocked_unit_keeps_its_documents() -> None:
    changed = estate()
    before = changed.state
    changed.declare(unit("db", outputs={"host": "string"}, command=["./x"]), unit("web", "db", command=["./y"]))
    changed.run({"db": BREAKS})
    assert "web" not in changed.written.desired
    assert changed.state.desired["web"] == before.desired["web"]


def test_a_hold_that_reached_the_run_is_written_on_what_runs() -> None:
    held = estate()
    before = held.state.desired["db"]
    held.declare(unit("db", outputs={"host": "string"}, command=["./x"]), held.units["web"].rendered)
    held.run(desk=Desk(holds={0: {"db": HOLD}}))
    after = held.state.desired["db"]
    assert after.hold is not None
    assert after.hold.pending is not None
    hold = replace(HOLD, pending=after.hold.pending)
    assert after == replace(before, lifecycle=LifecycleState.HELD, hold=hold)
    assert held.written.summary["held"] == ["db"]


def test_a_hold_that_arrives_after_the_unit_ran_is_written_on_what_runs_now() -> None:
    held = Estate(unit("a"), unit("b", "a"))
    held.run()
    held.declare(unit("a", command=["./new.sh"]), unit("b", "a", command=["./new.sh"]))
    held.run(desk=Desk(holds={2: {"a": HOLD}}))
    document, known = held.state.desired["a"], held.state.observed["a"]
    assert known.receipt is not None
    assert (document.lifecycle, document.execution_key) == (LifecycleState.HELD, known.receipt.execution_key)
    assert document.spec["command"] == ["./new.sh"]


def test_consumers_of_a_held_unit_go_on_with_its_receipt_while_it_is_uncertain() -> None:
    held = estate()
    changed = unit("db", outputs={"host": "string"}, command=["./x"])
    held.declare(changed, held.units["web"].rendered).run({"db": VANISHES})
    held.hold("db")
    consumer = unit("web", values={"host": output("host", "db")}, command=["./y"])
    assert results(held.declare(changed, consumer).run()) == {"db": "held", "web": "executed"}
    assert (held.ran, held.state.desired["web"].resolved_spec["values"]) == (["web"], {"host": "host-of-db"})
    known = held.state.observed["db"].condition
    assert known is not None
    assert known.state is ConditionState.UNCERTAIN


def test_a_hold_on_a_unit_that_this_run_created_is_written_too() -> None:
    held = Estate(unit("a"), unit("b", "a"))
    held.run(desk=Desk(holds={2: {"a": HOLD}}))
    assert held.state.desired["a"].lifecycle is LifecycleState.HELD


def test_a_hold_on_a_unit_that_the_run_was_not_asked_for_is_written_too() -> None:
    held = estate()
    held.declare(held.units["db"].rendered, unit("web", "db", command=["./new.sh"]))
    held.run(only=frozenset({"web"}), desk=Desk(holds={0: {"db": HOLD}}))
    assert held.state.desired["db"].lifecycle is LifecycleState.HELD


def test_a_hold_on_a_unit_that_leaves_is_written_too() -> None:
    held = estate().record(desired("cache"))
    held.declare(unit("db", outputs={"host": "string"}, command=["./x"]), held.units["web"].rendered)
    held.run(desk=Desk(holds={0: {"cache": HOLD}}))
    assert held.state.desired["cache"].lifecycle is LifecycleState.HELD


def test_the_report_carries_run_source_and_commits() -> None:
    built = estate()
    section = built.run().section(Landed(None, None), ())
    assert (section.run, section.source, section.desired, section.observed) == (RUN, S, DESIRED, OBSERVED)
    assert (section.written, section.exit) == (frozenset(), Exit.OK)
    other = built.run().section(Landed("d" * 40, None), ())
    assert (other.desired, other.observed, other.written) == ("d" * 40, OBSERVED, frozenset({"desired"}))


def test_units_that_leave_make_the_run_exit_2_unless_units_were_named() -> None:
    built = estate().record(desired("cache", resolved_spec={"command": ["./a.sh"], "teardown": ["./a.sh"]}))
    section = built.run().section(Landed(None, None), ())
    assert [(each.unit, each.effect) for each in section.leaving] == [("cache", LeavingEffect.TEARDOWN)]
    told = ["NYL-PLAN-UNITS-LEAVING", "NYL-TEARDOWN-PENDING"]
    assert (section.exit, codes(section.diagnostics)) == (Exit.WAITING, told)
    named = built.run(only=frozenset({"db"})).section(Landed(None, None), ())
    assert (named.leaving, named.exit) == ((), Exit.OK)


@pytest.mark.parametrize(
    ("outcome", "code", "exit"),
    [(BREAKS, "NYL-UNIT-FAILED", Exit.FAILED), (VANISHES, "NYL-UNIT-UNCERTAIN", Exit.UNCERTAIN)],
)
def test_conditions_are_warned_of_with_the_way_out(outcome: object, code: str, exit: Exit) -> None:
    section = Estate(unit("a")).run({"a": outcome}).section(Landed(None, None), ())  # type: ignore[dict-item]
    assert (section.exit, codes(section.diagnostics)) == (exit, [code])
    assert "nyl recover -e dev --unit a" in section.diagnostics[0].fix


def test_fail_fast_is_warned_of() -> None:
    section = (
        Estate(unit("a"), unit("b")).run({"a": BREAKS}, fail_fast=True, concurrency=1).section(Landed(None, None), ())
    )
    assert codes(section.diagnostics)[0] == "NYL-RUN-STOPPED"
