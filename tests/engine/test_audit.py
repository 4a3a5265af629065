"""Runs page, Transition commits: driftRepaired, reapplied and approvals, each only when it is not empty."""

from typing import Any

from nyl.engine.approvers import Approver, ApproverIdentity
from nyl.engine.audit import audit_details, drift_repaired
from nyl.engine.authorization import Authorization
from nyl.engine.decision import Decision, Standing
from nyl.engine.outcomes import AnyOutcome, Ended, Started
from nyl.engine.recording import RunFacts
from nyl.units.outcomes import Succeeded
from tests.engine.builders import BREAKS, DESIRED, KEY, NOW, RUN, S, check, desired, unit

ALICE = Approver(("alice",), "https://ci/7", ApproverIdentity.ASSERTED)
FACTS = RunFacts("dev", RUN, S, S, DESIRED, approver=ALICE, reapply={"by": "alice", "reason": "rotate"})
UNITS = check(unit("a"), unit("b"))


def ended(name: str, outcome: AnyOutcome | None = None, **decision: Any) -> dict[str, Ended]:
    carried_out = outcome or Succeeded()
    decided = Decision(Standing.READY, "why", **decision)
    started = Started("dev", UNITS[name], desired(name), decided, lambda: carried_out)
    return {name: Ended(started, carried_out, NOW, NOW, 1.0)}


def test_an_ordinary_run_tells_an_auditor_nothing() -> None:
    assert audit_details(FACTS, ended("a"), {}) == {}


def test_repaired_units_are_those_that_ran_well_because_they_drifted() -> None:
    assert drift_repaired(ended("b", drifted=True) | ended("a", drifted=True)) == ("a", "b")
    assert drift_repaired(ended("a", BREAKS, drifted=True)) == ()
    assert audit_details(FACTS, ended("a", drifted=True), {}) == {"driftRepaired": ["a"]}


def test_a_forced_unit_was_not_repaired() -> None:
    told = audit_details(FACTS, ended("a", drifted=True, forced=True), {})
    assert told == {"reapplied": {"units": ["a"], "by": "alice", "reason": "rotate"}}


def test_forced_and_approved_units_are_told_however_they_ended() -> None:
    told = audit_details(FACTS, ended("a", BREAKS, forced=True, approval=Authorization(KEY, KEY)), {})
    assert told == {
        "reapplied": {"units": ["a"], "by": "alice", "reason": "rotate"},
        "approvals": {
            "a": {"by": ["alice"], "source": "https://ci/7", "identity": "asserted", "digest": KEY, "reviewed": True}
        },
    }
