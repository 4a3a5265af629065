"""What is known of every unit while a run works."""

from dataclasses import replace

import pytest

from nyl.engine.ledger import Ledger, written_documents
from nyl.state.documents import Data, Provenance
from nyl.state.lifecycles import LifecycleState
from nyl.state.snapshot import StateSnapshot
from tests.engine.builders import (
    HOLD,
    KEY,
    OBSERVED,
    OTHER_KEY,
    RUN,
    checkpoint,
    desired,
    failed,
    observed,
    receipt,
    snapshot,
)

STORED = observed(receipt=receipt(artifacts={"plan": KEY}))
FRESH = observed(receipt=receipt(OTHER_KEY, run=RUN))


def stored(state: StateSnapshot, unit: str, name: str) -> Data:
    return {"of": unit, "name": name, "at": state.observed_commit}


def ledger() -> Ledger:
    return Ledger(snapshot((desired(), STORED)), stored)


def test_results_of_the_run_come_before_what_was_read() -> None:
    known = ledger()
    assert (known.desired_of("db"), known.observed_of("db")) == (desired(), STORED)
    known.desired["db"], known.results["db"] = desired(key=OTHER_KEY), checkpoint(FRESH)
    assert (known.desired_of("db"), known.observed_of("db")) == (desired(key=OTHER_KEY), FRESH)
    assert known.snapshot.observed["db"] == STORED


def test_of_an_unknown_unit_nothing_is_known() -> None:
    known = ledger()
    assert (known.desired_of("x"), known.observed_of("x"), known.provenance_of("x")) == (None, None, None)
    assert not known.is_held("x")


def test_provenance_is_the_state_that_was_read_or_else_this_run() -> None:
    known = ledger()
    assert known.provenance_of("db") == Provenance("db", "uid-db", KEY, observed_commit=OBSERVED)
    known.results["db"] = checkpoint(FRESH)
    assert known.provenance_of("db") == Provenance("db", "uid-db", OTHER_KEY, run=RUN)


def test_an_artifact_of_this_run_comes_before_the_stored_one() -> None:
    known = ledger()
    assert known.artifact("db", "plan") == {"of": "db", "name": "plan", "at": OBSERVED}
    known.results["db"] = checkpoint(FRESH, plan={"new": 1})
    assert known.artifact("db", "plan") == {"new": 1}


@pytest.mark.parametrize("state", list(LifecycleState))
def test_a_recorded_hold_holds(state: LifecycleState) -> None:
    known = Ledger(snapshot((desired(lifecycle=state), STORED)), stored)
    assert known.is_held("db") is (state is LifecycleState.HELD)


def test_a_hold_that_was_sent_holds() -> None:
    known = ledger()
    known.holds["db"] = HOLD
    assert known.is_held("db")


def test_only_documents_that_differ_are_written() -> None:
    known = ledger()
    known.desired |= {"db": desired(), "web": desired("web")}
    known.results["web"] = checkpoint(observed("web", receipt()))
    wanted, seen = written_documents(known)
    assert (set(wanted), set(seen)) == ({"web"}, {"web"})


def test_over_a_newer_reading_own_results_stay() -> None:
    known = ledger()
    known.results["db"] = checkpoint(FRESH)
    newer = replace(known.snapshot, observed_commit="f" * 40)
    assert known.overlay(newer).observed_of("db") == FRESH
    assert known.overlay(newer).snapshot.observed_commit == "f" * 40


def test_a_condition_keeps_the_provenance_of_the_receipt_beside_it() -> None:
    known = Ledger(snapshot((desired(), observed("db", receipt(), failed()))), stored)
    found = known.provenance_of("db")
    assert found is not None
    assert found.execution_key == KEY
