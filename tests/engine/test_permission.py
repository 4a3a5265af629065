"""Recovery page, Repairing drift; Runs page, Approvals: what a run may do with a unit that is decided."""

from dataclasses import replace
from typing import Any

import pytest

from nyl.engine.decision import Decision, Standing
from nyl.engine.permission import Candidate, RunRules, permit
from nyl.project.resources import DriftRepair
from tests.engine.builders import KEY, OTHER_KEY

CURRENT, READY, DRIFTED = Decision(Standing.CURRENT), Decision(Standing.READY, "no receipt"), Standing.DRIFTED
AWAITING = Standing.AWAITING_APPROVAL
RETRY = Decision(Standing.READY, "the last execution failed and may be retried")
PLAIN = Candidate("db", KEY, CURRENT, safe=True, drift=None, keyed=True)
UNSAFE = replace(PLAIN, safe=False)
GONE = "the table is gone"
MANUAL = RunRules(drift_repair=DriftRepair.MANUAL)
APPROVED = RunRules(approved={"db": KEY})
FORCED = RunRules(only=frozenset({"db"}), reapplied=frozenset({"db"}), reason="rotate")


def drifted(candidate: Candidate = PLAIN, **fields: Any) -> Candidate:
    return replace(candidate, drift=GONE, **fields)


CASES: list[tuple[str, Candidate, RunRules, Standing, str]] = [
    ("current and clean", PLAIN, RunRules(), Standing.CURRENT, ""),
    ("drifted, safe", drifted(), RunRules(), Standing.READY, "drifted: the table is gone"),
    ("drifted, not safe", drifted(UNSAFE), RunRules(), AWAITING, "not safe to run again"),
    ("drifted, not safe, approved", drifted(UNSAFE), APPROVED, Standing.READY, "drifted: the table is gone"),
    ("approved for another key", drifted(UNSAFE), RunRules(approved={"db": OTHER_KEY}), AWAITING, "not safe"),
    ("another unit approved", drifted(UNSAFE), RunRules(approved={"web": KEY}), AWAITING, "not safe"),
    ("drifted, manual repair", drifted(), MANUAL, DRIFTED, "driftRepair: manual"),
    ("drifted, manual repair, approved", drifted(), replace(MANUAL, approved={"db": KEY}), DRIFTED, "driftRepair"),
    ("drifted, named", drifted(), RunRules(only=frozenset({"db"})), Standing.READY, "drifted"),
    ("drifted, not named", drifted(), RunRules(only=frozenset({"web"})), DRIFTED, "drifted: the table is gone"),
    ("drifted, not safe, not named", drifted(UNSAFE), RunRules(only=frozenset({"web"})), DRIFTED, "drifted"),
    ("forced", PLAIN, FORCED, Standing.READY, "forced with --reapply: rotate"),
    ("forced and drifted", drifted(), FORCED, Standing.READY, "forced with --reapply"),
    ("forced against manual repair", drifted(), replace(FORCED, drift_repair=DriftRepair.MANUAL), Standing.READY, ""),
    ("forced, not safe", UNSAFE, FORCED, AWAITING, "not safe to run again"),
    ("forced, not safe, approved", UNSAFE, replace(FORCED, approved={"db": KEY}), Standing.READY, "rotate"),
    ("forced once already", replace(PLAIN, fresh=True), FORCED, Standing.CURRENT, ""),
    ("changed", replace(PLAIN, decision=READY, keyed=False), RunRules(), Standing.READY, "no receipt"),
    ("changed, not safe", replace(UNSAFE, decision=READY, keyed=False), RunRules(), Standing.READY, "no receipt"),
    ("changed and forced", replace(PLAIN, decision=READY, keyed=False), FORCED, Standing.READY, "no receipt"),
    ("local and safe", replace(PLAIN, decision=READY), RunRules(local=True), Standing.READY, "no receipt"),
    ("local, not safe", replace(UNSAFE, decision=READY), RunRules(local=True), AWAITING, "--local run"),
    ("local, approved", replace(UNSAFE, decision=READY), replace(APPROVED, local=True), Standing.READY, "no receipt"),
    ("local and current", UNSAFE, RunRules(local=True), Standing.CURRENT, ""),
    ("another try of a repair", drifted(UNSAFE, decision=RETRY), RunRules(), AWAITING, "not safe to run again"),
    ("an approved try", drifted(UNSAFE, decision=RETRY), APPROVED, Standing.READY, "may be retried"),
    ("another try of a change", drifted(UNSAFE, decision=RETRY, keyed=False), RunRules(), Standing.READY, "retried"),
    ("another try that is safe", drifted(decision=RETRY), RunRules(), Standing.READY, "may be retried"),
]


@pytest.mark.parametrize(
    ("candidate", "rules", "standing", "reason"), [each[1:] for each in CASES], ids=[each[0] for each in CASES]
)
def test_drift_rules_and_approvals_decide(
    candidate: Candidate, rules: RunRules, standing: Standing, reason: str
) -> None:
    decision = permit(candidate, rules)
    assert decision.standing is standing
    assert reason in decision.reason


@pytest.mark.parametrize("standing", [Standing.BLOCKED, Standing.FAILED, Standing.UNCERTAIN, Standing.HELD])
def test_neither_force_nor_approval_moves_what_stands_in_the_way(standing: Standing) -> None:
    decision = Decision(standing, "why")
    rules = replace(FORCED, approved={"db": KEY})
    assert permit(drifted(decision=decision), rules) == decision


def test_consumers_read_a_drifted_unit_unless_it_is_repaired_first() -> None:
    assert permit(drifted(UNSAFE), RunRules()).readable
    assert permit(drifted(), MANUAL).readable
    assert not permit(drifted(), RunRules()).readable


def test_consumers_do_not_read_a_changed_unit_that_waits_for_an_approval() -> None:
    waiting = permit(drifted(UNSAFE, decision=READY, keyed=False), RunRules(local=True))
    assert waiting.standing is AWAITING
    assert not waiting.readable


def test_an_inspection_has_no_effect_and_needs_no_approval() -> None:
    asking = Decision(Standing.READY, "uncertain", inspecting=True)
    assert permit(replace(UNSAFE, decision=asking), RunRules(local=True)) == asking


def test_what_an_inspection_cleared_runs_again_without_an_approval() -> None:
    again = Decision(Standing.READY, "uncertain", recovering=True)
    assert permit(drifted(UNSAFE, decision=again), RunRules()).standing is Standing.READY


def test_a_decision_tells_why_its_unit_runs() -> None:
    assert permit(drifted(), RunRules()).drifted
    assert permit(drifted(UNSAFE), APPROVED).approved
    assert permit(PLAIN, FORCED).forced
    assert not permit(PLAIN, FORCED).drifted
