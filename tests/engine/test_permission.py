"""Recovery page, Repairing drift; Runs page, Approvals: what a run may do with a unit that is decided."""

from dataclasses import replace
from typing import Any

import pytest

from nyl.engine.authorization import Authorization
from nyl.engine.decision import Decision, Standing
from nyl.engine.permission import Candidate, RunRules, permit
from nyl.project.resources import DriftRepair
from nyl.project.units import ApprovalBinding, ApprovalPolicy
from tests.engine.builders import KEY, OTHER_KEY

CURRENT, READY, DRIFTED = Decision(Standing.CURRENT), Decision(Standing.READY, "no receipt"), Standing.DRIFTED
AWAITING = Standing.AWAITING_APPROVAL
AGAIN = Decision(Standing.READY, "uncertain", recovering=True)
RETRY = Decision(Standing.READY, "the last execution failed and may be retried")
PLAIN = Candidate("db", KEY, CURRENT, safe=True, drift=None, keyed=True)
UNSAFE = replace(PLAIN, safe=False)
GONE = "the table is gone"
DIGEST = "sha256:" + "d" * 64
REPAIRS_NOTHING = RunRules(drift_repair=DriftRepair.MANUAL)
APPROVED = RunRules(approved={"db": Authorization(KEY)})
OUTDATED = RunRules(approved={"db": Authorization(OTHER_KEY)})
REPAIRS_APPROVED = replace(REPAIRS_NOTHING, approved=APPROVED.approved)
REVIEWED = RunRules(approved={"db": Authorization(KEY, DIGEST)})
FORCED = RunRules(only=frozenset({"db"}), reapplied=frozenset({"db"}), reason="rotate")


MANUAL = replace(PLAIN, decision=READY, keyed=False, policy=ApprovalPolicy())
STRICT = replace(MANUAL, policy=ApprovalPolicy(ApprovalBinding.PLAN, require_digest=True))
CHANGED = replace(PLAIN, decision=READY, keyed=False)
AUTOMATIC = replace(CHANGED, replanned=DIGEST)


def drifted(candidate: Candidate = PLAIN, **fields: Any) -> Candidate:
    return replace(candidate, drift=GONE, **fields)


CASES: list[tuple[str, Candidate, RunRules, Standing, str]] = [
    ("current and clean", PLAIN, RunRules(), Standing.CURRENT, ""),
    ("drifted, safe", drifted(), RunRules(), Standing.READY, "drifted: the table is gone"),
    ("drifted, not safe", drifted(UNSAFE), RunRules(), AWAITING, "not safe to run again"),
    ("drifted, not safe, approved", drifted(UNSAFE), APPROVED, Standing.READY, "drifted: the table is gone"),
    (
        "approved for another key",
        drifted(UNSAFE),
        OUTDATED,
        AWAITING,
        "not safe",
    ),
    ("another unit approved", drifted(UNSAFE), RunRules(approved={"web": Authorization(KEY)}), AWAITING, "not safe"),
    ("drifted, manual repair", drifted(), REPAIRS_NOTHING, DRIFTED, "driftRepair: manual"),
    (
        "drifted, manual repair, approved",
        drifted(),
        REPAIRS_APPROVED,
        DRIFTED,
        "driftRepair",
    ),
    ("drifted, named", drifted(), RunRules(only=frozenset({"db"})), Standing.READY, "drifted"),
    ("drifted, not named", drifted(), RunRules(only=frozenset({"web"})), DRIFTED, "drifted: the table is gone"),
    ("drifted, not safe, not named", drifted(UNSAFE), RunRules(only=frozenset({"web"})), DRIFTED, "drifted"),
    ("forced", PLAIN, FORCED, Standing.READY, "forced with --reapply: rotate"),
    ("forced and drifted", drifted(), FORCED, Standing.READY, "forced with --reapply"),
    ("forced against manual repair", drifted(), replace(FORCED, drift_repair=DriftRepair.MANUAL), Standing.READY, ""),
    ("forced, not safe", UNSAFE, FORCED, AWAITING, "not safe to run again"),
    ("forced, not safe, approved", UNSAFE, replace(FORCED, approved=APPROVED.approved), Standing.READY, "rotate"),
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
    ("manual", MANUAL, RunRules(), AWAITING, "no receipt; it needs an approval (approval: manual)"),
    ("manual, approved", MANUAL, APPROVED, Standing.READY, "no receipt"),
    (
        "manual, approved for another key",
        MANUAL,
        OUTDATED,
        AWAITING,
        "began",
    ),
    ("manual and current", replace(MANUAL, decision=CURRENT), APPROVED, Standing.CURRENT, ""),
    ("manual and drifted", drifted(MANUAL, decision=CURRENT), RunRules(), AWAITING, "drifted: the table is gone"),
    ("manual, not safe, local", replace(MANUAL, safe=False), replace(APPROVED, local=True), Standing.READY, ""),
    ("manual and forced", replace(MANUAL, decision=CURRENT), FORCED, AWAITING, "rotate; it needs an approval"),
    ("manual and retried", replace(MANUAL, decision=RETRY), RunRules(), AWAITING, "may be retried; it needs"),
    ("manual and recovering", replace(MANUAL, decision=AGAIN), RunRules(), AWAITING, "uncertain; it needs"),
    ("digest required", STRICT, RunRules(), AWAITING, "it needs an approval"),
    ("digest required, none named", STRICT, APPROVED, AWAITING, "must name the digest"),
    ("digest required and named", STRICT, REVIEWED, Standing.READY, "no receipt"),
    ("change found to be another", replace(STRICT, replanned=DIGEST), REVIEWED, AWAITING, f"digest is {DIGEST} now"),
    ("automatic, one change approved", CHANGED, REVIEWED, Standing.READY, "no receipt"),
    ("automatic, change found to be another", AUTOMATIC, REVIEWED, AWAITING, f"digest is {DIGEST} now"),
    (
        "automatic, approved for another key",
        CHANGED,
        OUTDATED,
        Standing.READY,
        "",
    ),
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
    rules = replace(FORCED, approved=APPROVED.approved)
    assert permit(drifted(decision=decision), rules) == decision


def test_consumers_read_a_drifted_unit_unless_it_is_repaired_first() -> None:
    assert permit(drifted(UNSAFE), RunRules()).readable
    assert permit(drifted(), REPAIRS_NOTHING).readable
    assert not permit(drifted(), RunRules()).readable


def test_consumers_do_not_read_a_changed_unit_that_waits_for_an_approval() -> None:
    waiting = permit(drifted(UNSAFE, decision=READY, keyed=False), RunRules(local=True))
    assert waiting.standing is AWAITING
    assert not waiting.readable


def test_an_inspection_has_no_effect_and_needs_no_approval() -> None:
    asking = Decision(Standing.READY, "uncertain", inspecting=True)
    assert permit(replace(UNSAFE, decision=asking), RunRules()) == asking
    assert permit(replace(UNSAFE, decision=asking), RunRules(local=True)) == replace(asking, unsafe=True)


def test_what_an_inspection_cleared_runs_again_without_an_approval() -> None:
    assert permit(drifted(UNSAFE, decision=AGAIN), RunRules()).standing is Standing.READY


def test_a_decision_tells_why_its_unit_runs() -> None:
    assert permit(drifted(), RunRules()).drifted
    assert permit(drifted(UNSAFE), APPROVED).approval == Authorization(KEY)
    assert permit(PLAIN, FORCED).forced
    assert not permit(PLAIN, FORCED).drifted


def test_a_change_puts_right_what_drifted_too_unless_the_environment_leaves_drift() -> None:
    changed = drifted(PLAIN, decision=READY, keyed=False)
    assert permit(changed, RunRules()).restores
    assert not permit(changed, RunRules(drift_repair=DriftRepair.MANUAL)).restores
    assert not permit(CHANGED, RunRules()).restores
