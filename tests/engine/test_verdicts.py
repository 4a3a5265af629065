"""What a run, a plan and a status say of units."""

from dataclasses import replace
from typing import Any

import pytest

import nyl
from nyl.core.exits import Exit
from nyl.engine.condition_warnings import condition_warnings
from nyl.engine.results import LeavingEffect, UnitReport, UnitState
from nyl.engine.teardown_requests import Wish, requested
from nyl.engine.verdicts import plan_verdict, status_verdict, unit_order
from nyl.state.documents import ObservedUnit
from nyl.state.lifecycles import LifecycleState, TeardownRequested
from tests.engine.builders import (
    BREAKS,
    DESIRED,
    EARLIER,
    HOLD,
    KEY,
    NOW,
    OTHER_KEY,
    RUN,
    Estate,
    S,
    desired,
    failed,
    observed,
    output,
    receipt,
    uncertain,
    unit,
)

DB = unit("db", outputs={"host": "string"})


def built(known: ObservedUnit | None = None) -> Estate:
    """A database that has run, and of which something else may be known."""
    estate = Estate(DB)
    estate.run()
    if known is not None:
        estate.record(replace(estate.state.observed["db"], receipt=known.receipt, condition=known.condition))
    return estate


def planned(estate: Estate) -> UnitReport:
    return plan_verdict(estate.units["db"], estate.resolutions()["db"], estate.ledger(), S)


def status(estate: Estate, **running: str) -> UnitReport:
    return status_verdict(estate.units["db"], estate.resolutions()["db"], estate.ledger(), running, S)


def ran(estate: Estate, **options: Any) -> UnitReport:
    return estate.run(**options).verdicts[0]


STANDINGS = [
    (None, "current", "none", "current"),
    (observed(receipt=receipt(OTHER_KEY)), "executed", "execute", "ready"),
    (observed(condition=failed(retryable=True)), "executed", "execute", "ready"),
    (observed(condition=failed()), "failed", "blocked", "failed"),
    (observed(condition=uncertain()), "uncertain", "blocked", "uncertain"),
]


@pytest.mark.parametrize(("known", "result", "action", "state"), STANDINGS)
def test_one_standing_has_a_result_an_action_and_a_state(
    known: ObservedUnit | None, result: str, action: str, state: str
) -> None:
    assert str(planned(built(known)).verdict) == action
    assert str(status(built(known)).verdict) == state
    assert str(ran(built(known)).verdict) == result


def test_a_held_unit_names_the_source_commit_whose_changes_wait() -> None:
    estate = built().hold("db").declare(unit("db", command=["./new.sh"]))
    assert (str(ran(estate).verdict), ran(estate).detail) == ("held", f"a change waits at {S}")
    assert planned(estate).reason == status(estate).detail == f"a change waits at {S}"
    assert ran(built().hold("db")).detail == ""


def test_a_held_unit_without_an_incarnation_names_the_source_commit_that_would_create_it() -> None:
    kept = replace(built().state.desired["db"], lifecycle=LifecycleState.HELD, hold=HOLD)
    estate = Estate(DB).record(replace(kept, unit=replace(kept.unit, uid=None)))
    assert {ran(estate).detail, planned(estate).reason, status(estate).detail} == {f"a change waits at {S}"}
    later = plan_verdict(estate.units["db"], estate.resolutions()["db"], estate.ledger(), DESIRED)
    assert later.reason == f"a change waits at {S}"


def test_a_held_unit_has_the_kind_that_runs_whatever_source_makes_of_it() -> None:
    estate = built()
    document = estate.state.desired["db"]
    estate.record(replace(document, unit=replace(document.unit, kind="Probe"))).hold("db")
    assert {ran(estate).kind, planned(estate).kind, status(estate).kind} == {"Probe"}
    assert ran(estate).detail == f"a change of its kind waits at {S}"


def test_an_execution_is_told_with_reason_outputs_and_time() -> None:
    told = Estate(DB).run().verdicts[0]
    assert (told.reason, told.outputs, told.duration_ms) == ("no receipt", {"host": "host-of-db"}, 0)
    assert told.execution_key is not None


def test_a_failure_is_told_with_category_detail_and_no_outputs() -> None:
    told = Estate(DB).run({"db": BREAKS}).verdicts[0]
    assert (told.category, told.retryable, told.detail, told.outputs) == ("execution", False, BREAKS.message, None)


def test_a_failure_that_still_waits_is_told_like_the_run_that_met_it() -> None:
    told = ran(built(observed(condition=failed())))
    assert (told.category, told.retryable, told.detail, told.run) == ("execution", False, "exit code 1", EARLIER)


def test_a_plan_says_why_a_unit_would_run_or_that_it_waits() -> None:
    assert planned(Estate(DB)).reason == "no receipt"
    assert planned(built(observed(condition=uncertain()))).detail == "uncertain, waits for an operator"


@pytest.mark.parametrize(
    ("known", "word"),
    [(observed(receipt=None), "none"), (observed(receipt=receipt(OTHER_KEY)), "outdated"), (None, "current")],
)
def test_status_says_how_the_receipt_stands(known: ObservedUnit | None, word: str) -> None:
    assert status(built(known)).receipt == word


def test_status_shows_what_a_live_run_executes() -> None:
    told = status(Estate(DB), db=RUN)
    assert (told.verdict, told.run) == (UnitState.RUNNING, RUN)


def test_status_without_fingerprints_says_that_the_unit_was_not_evaluated() -> None:
    estate = built()
    estate.inputs = lambda unit, spec: None
    told = status(estate)
    assert (told.verdict, told.detail) == (UnitState.READY, "not evaluated")
    assert told.receipt != "outdated"


def test_status_of_a_held_unit_tells_a_teardown_that_was_asked_for() -> None:
    estate = built().hold("db")
    asked = Wish(TeardownRequested("alice", NOW, "broken"))
    estate.record(requested(estate.state.desired["db"], asked, LeavingEffect.TEARDOWN))
    assert status(estate).detail == "a teardown that alice requested waits"


def test_status_of_a_held_unit_that_was_not_evaluated_claims_no_change() -> None:
    estate = built().hold("db")
    estate.inputs = lambda unit, spec: None
    assert (status(estate).verdict, status(estate).detail) == (UnitState.HELD, "")


def test_a_blocked_units_receipt_is_held_against_its_desired_document() -> None:
    estate = Estate(unit("db"), unit("web", "db"))
    estate.run()
    estate.declare(unit("db", command=["./new.sh"]), unit("web", "db"))
    told = status_verdict(estate.units["web"], estate.resolutions()["web"], estate.ledger(), {}, S)
    assert (told.verdict, told.receipt) == (UnitState.BLOCKED, "current")


@pytest.mark.parametrize(
    ("known", "detail"),
    [
        (observed(), ""),
        (observed(condition=failed(retryable=True)), "the last execution failed and may be retried: exit code 1"),
    ],
)
def test_status_says_more_of_a_ready_unit_than_that_it_never_ran(known: ObservedUnit, detail: str) -> None:
    assert (status(built(known)).verdict, status(built(known)).detail) == (UnitState.READY, detail)


def test_another_nyl_version_in_the_receipt_is_shown_and_changes_nothing() -> None:
    estate = built()
    assert planned(estate).nyl_version is None
    known = estate.state.observed["db"].receipt
    assert known is not None
    estate.record(replace(estate.state.observed["db"], receipt=replace(known, nyl_version="0.0.1")))
    assert (planned(estate).nyl_version, str(planned(estate).verdict)) == ("0.0.1", "none")
    assert (status(estate).nyl_version, str(status(estate).verdict)) == ("0.0.1", "current")
    assert (ran(estate).nyl_version, str(ran(estate).verdict)) == ("0.0.1", "current")
    assert nyl.__version__ != "0.0.1"


def test_dispatched_units_come_first_then_the_others_in_dependency_order() -> None:
    assert unit_order(["c", "a"], ["a", "b", "c", "d"]) == ("c", "a", "b", "d")


def test_parallel_units_are_told_by_name_before_what_waited_for_them() -> None:
    estate = Estate(unit("b", outputs={"x": "string"}), unit("a"), unit("c", values={"x": output("x", "b")}))
    assert [each.unit for each in estate.run().verdicts] == ["a", "b", "c"]


def test_a_document_without_an_observed_one_is_told_too() -> None:
    estate = Estate(DB).record(desired("db", KEY))
    assert (status(estate).receipt, status(estate).run) == ("none", None)


def test_an_uncertain_unit_that_waits_for_an_approval_is_still_uncertain() -> None:
    estate = Estate(unit("db", approval="manual", idempotent=True)).record(desired(), observed(condition=uncertain()))
    found = ran(estate)
    assert (str(found.verdict), found.exit) == ("awaiting-approval", Exit.UNCERTAIN)
    assert str(planned(estate).verdict) == "await-approval"
    assert str(status(estate).verdict) == "uncertain"
    (warning,) = condition_warnings("dev", [status(estate)])
    assert "the next nyl reconcile with --approve db" in warning.fix
