"""Recovery page, first paragraph: when a unit's own tool may start, and what a repair asks for until it is settled."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.engine.authorization import Authorization, Subject, counts, what_lacks
from nyl.engine.decision import Decision, Standing
from nyl.engine.holds import held_detail
from nyl.engine.outcomes import Ended, Started
from nyl.engine.permission import Candidate, RunRules, permit, permit_unevaluated
from nyl.engine.recording import RunFacts, condition_checkpoint, receipt_checkpoint
from nyl.engine.repairs import (
    effective_policy,
    repair_of,
    repaired,
    review_needed,
    same_configuration,
    to_repair,
    told,
)
from nyl.engine.teardown_recording import teardown_checkpoint
from nyl.engine.unit_recovery import accept, retry
from nyl.project.resources import DriftRepair
from nyl.project.units import ApprovalBinding, ApprovalPolicy
from nyl.state.documents import DesiredUnit, ObservedUnit, Repair, TeardownWait, Work
from nyl.state.lifecycles import Deletion, DeletionIntent, DeletionReason, LifecycleState, PendingChange
from nyl.units.outcomes import Failed, FailureCategory, Succeeded, TeardownOutcome, Uncertain, Waiting
from tests.engine.builders import (
    DESIRED,
    EARLIER,
    HOLD,
    KEY,
    NOW,
    OTHER_KEY,
    RUN,
    Estate,
    S,
    check,
    checkpoint,
    desired,
    failed,
    observed,
    receipt,
    run_ref,
    snapshot,
    uncertain,
    unit,
)

REPAIR = Repair("alice", NOW, ("state", "rm", "x"), "INC-42")
REPAIRED = observed(receipt=receipt(), repair=REPAIR)
HELD = desired(lifecycle=LifecycleState.HELD, hold=HOLD)
UNBORN = replace(HELD, unit=replace(HELD.unit, uid=None))
DIGEST = "sha256:" + "d" * 64
BROKEN = Failed(FailureCategory.EXECUTION, False, "exit code 1")
VANISHED = Uncertain("it was killed")
FACTS = RunFacts("dev", RUN, S, S, DESIRED)
OMISSION = Deletion(DeletionReason.OMISSION, DeletionIntent.TEARDOWN)


# Whether the tool may start


def able(_: DesiredUnit) -> bool:
    return True


@pytest.mark.parametrize(
    "held",
    [
        HELD,
        replace(HELD, hold=replace(HOLD, before=LifecycleState.RETAINED)),
        replace(HELD, deletion=OMISSION),
        replace(HELD, hold=replace(HOLD, pending=PendingChange(S, OTHER_KEY))),
    ],
    ids=["active", "tombstone", "deleting", "with a change that waits"],
)
def test_the_tool_of_any_held_unit_with_an_incarnation_may_start(held: DesiredUnit) -> None:
    assert to_repair(snapshot((held, None)), "db", able) is held


@pytest.mark.parametrize(
    ("document", "runs_natively", "code", "said", "fix"),
    [
        (None, able, Code.UNIT_UNKNOWN, "has no unit db", "choose one that `nyl status -e dev` lists"),
        (desired(), able, Code.EXEC_REFUSED, "is not held", "`nyl hold -e dev --unit db --reason <text>`"),
        (desired(lifecycle=LifecycleState.DELETING, deletion=OMISSION), able, Code.EXEC_REFUSED, "not held", "hold"),
        (desired(lifecycle=LifecycleState.RETAINED), able, Code.EXEC_REFUSED, "is not held", "nyl hold"),
        (UNBORN, able, Code.EXEC_REFUSED, "has no incarnation", "`nyl resume -e dev --unit db`"),
        (HELD, lambda _: False, Code.EXEC_REFUSED, "is a Command, which has no tool", "by hand"),
    ],
    ids=["unknown", "active", "deleting", "tombstone", "no incarnation", "no tool"],
)
def test_any_other_unit_is_refused_with_the_way_out(
    document: DesiredUnit | None, runs_natively: Callable[[DesiredUnit], bool], code: Code, said: str, fix: str
) -> None:
    with pytest.raises(NylError) as refused:
        to_repair(snapshot((document, None)), "db", runs_natively)
    found = refused.value.diagnostic
    assert (found.code, found.environment, found.unit) == (code, "dev", "db")
    assert said in found.message
    assert fix in found.fix


def test_what_changes_beside_the_configuration_does_not_matter_while_the_tool_is_prepared() -> None:
    assert same_configuration(HELD, replace(HELD, hold=replace(HOLD, pending=PendingChange(S, OTHER_KEY))))
    assert same_configuration(HELD, replace(HELD, deletion=OMISSION))
    assert not same_configuration(HELD, replace(HELD, unit=replace(HELD.unit, uid="another")))
    assert not same_configuration(HELD, replace(HELD, resolved_spec={}))


# What is recorded


@pytest.mark.parametrize(
    "known", [REPAIRED, observed(condition=failed()), observed(receipt=receipt(), condition=uncertain())]
)
def test_a_repair_changes_nothing_else_of_what_is_known_and_the_last_one_counts(known: ObservedUnit) -> None:
    later = replace(REPAIR, command=("state", "mv", "x", "y"))
    after = repaired(HELD, known, later)
    assert after.repair == later
    assert replace(after, repair=known.repair) == known


def test_of_a_unit_that_nothing_is_known_of_the_repair_is_all_that_is_known() -> None:
    assert repaired(HELD, None, REPAIR) == ObservedUnit(HELD.unit, repair=REPAIR)


# What settles it


def test_a_receipt_settles_a_repair() -> None:
    units = check(unit("db"))
    assert receipt_checkpoint(FACTS, units["db"], desired(), Succeeded(), NOW, NOW).observed.repair is None


@pytest.mark.parametrize("outcome", [BROKEN, VANISHED])
@pytest.mark.parametrize("work", list(Work))
def test_an_execution_or_teardown_that_does_not_complete_keeps_it(outcome: Failed | Uncertain, work: Work) -> None:
    made = condition_checkpoint(FACTS, desired(), outcome, REPAIRED, NOW, work)
    assert made.observed.repair == REPAIR


@pytest.mark.parametrize(("outcome", "left"), [(Waiting("pods are there"), None), (BROKEN, REPAIR)])
def test_a_teardown_that_waits_was_approved_and_goes_on(outcome: TeardownOutcome, left: Repair | None) -> None:
    deleting = desired(lifecycle=LifecycleState.DELETING, deletion=OMISSION)
    started = Started("dev", check(unit("db"))["db"], deleting, Decision(Standing.READY), lambda: outcome)
    made = teardown_checkpoint(FACTS, Ended(started, outcome, NOW, NOW, 0.0), REPAIRED)
    assert made.observed.repair == left


def test_a_run_that_dies_leaves_it_beside_the_uncertain_condition() -> None:
    estate = Estate(unit("db"), state=snapshot((desired(), REPAIRED))).died(run_ref(executing=["db"]))
    known = estate.ledger().observed_of("db")
    assert known is not None
    assert known.condition is not None
    assert known.repair == REPAIR


def test_an_operator_who_lets_a_unit_run_again_does_not_settle_it() -> None:
    for known in (replace(REPAIRED, condition=failed()), observed(condition=failed(), repair=REPAIR)):
        after = retry(snapshot((HELD, known)), "db", "looked at it").observed["db"]
        assert after == replace(known, condition=None)


def test_a_checkpoint_from_before_that_is_adopted_does_not_settle_it() -> None:
    left = {EARLIER: run_ref(left={"db": checkpoint(observed(receipt=receipt()))})}
    state = snapshot((desired(), observed(condition=uncertain(), repair=REPAIR)), evidence=left)
    after = accept(state, "db", EARLIER, "it was applied").observed["db"]
    assert after == REPAIRED


# What it asks for


CURRENT = Candidate("db", KEY, Decision(Standing.CURRENT), safe=True, drift=None, keyed=True, repair=REPAIR)
CHANGED = replace(CURRENT, decision=Decision(Standing.READY, "execution inputs changed"), keyed=False)
AGAIN = replace(CHANGED, decision=Decision(Standing.READY, "uncertain", recovering=True))
BLOCKED = Decision(Standing.BLOCKED, "net has no current receipt")
BY_NAME = RunRules(approved={"db": Authorization(KEY)})
REVIEWED = RunRules(approved={"db": Authorization(KEY, DIGEST)})
OUTDATED = RunRules(approved={"db": Authorization(OTHER_KEY, DIGEST)})


@pytest.mark.parametrize("policy", [None, ApprovalPolicy(), ApprovalPolicy(ApprovalBinding.PLAN, True)])
@pytest.mark.parametrize("safe", [True, False])
@pytest.mark.parametrize("candidate", [CURRENT, CHANGED, AGAIN, replace(CURRENT, drift="gone")])
@pytest.mark.parametrize(
    ("rules", "standing"),
    [
        (RunRules(), Standing.AWAITING_APPROVAL),
        (RunRules(local=True), Standing.AWAITING_APPROVAL),
        (RunRules(drift_repair=DriftRepair.MANUAL, repairs=False), Standing.AWAITING_APPROVAL),
        (BY_NAME, Standing.AWAITING_APPROVAL),
        (OUTDATED, Standing.AWAITING_APPROVAL),
        (REVIEWED, Standing.READY),
        (replace(REVIEWED, drift_repair=DriftRepair.MANUAL), Standing.READY),
        (replace(REVIEWED, local=True), Standing.READY),
    ],
)
def test_a_REPAIRED_executes_only_with_a_digest_whatever_it_declares(
    candidate: Candidate, rules: RunRules, standing: Standing, safe: bool, policy: ApprovalPolicy | None
) -> None:
    decision = permit(replace(candidate, safe=safe, policy=policy), rules)
    assert decision.standing is standing
    assert ("repaired with nyl exec by alice" in decision.reason) is (standing is Standing.AWAITING_APPROVAL)
    assert (decision.approval is not None) is (standing is Standing.READY)


def test_a_REPAIRED_that_is_forced_needs_the_digest_too() -> None:
    forced = RunRules(only=frozenset({"db"}), reapplied=frozenset({"db"}), reason="rotate")
    assert permit(CURRENT, forced).standing is Standing.AWAITING_APPROVAL
    assert permit(CURRENT, replace(forced, approved=REVIEWED.approved)).standing is Standing.READY


def test_while_it_waits_consumers_read_the_receipt_if_that_is_current() -> None:
    assert permit(CURRENT, RunRules()).readable
    assert not permit(CURRENT, REVIEWED).readable  # it is to be executed again first
    assert not permit(CHANGED, RunRules()).readable


def test_a_change_that_is_another_by_now_waits_with_its_digest() -> None:
    decision = permit(replace(CURRENT, replanned=OTHER_KEY), REVIEWED)
    assert decision.standing is Standing.AWAITING_APPROVAL
    assert f"its digest is {OTHER_KEY} now" in decision.reason


@pytest.mark.parametrize("standing", [Standing.FAILED, Standing.UNCERTAIN, Standing.HELD, Standing.BLOCKED])
def test_what_waits_for_something_else_goes_on_waiting_for_that(standing: Standing) -> None:
    stuck = Decision(standing, "stuck")
    assert permit(replace(CURRENT, decision=stuck), REVIEWED) == stuck


def test_without_a_key_a_REPAIRED_waits_for_an_approval_too() -> None:
    ready = Decision(Standing.READY, "not evaluated")
    assert permit_unevaluated(ready, None) is ready
    assert permit_unevaluated(BLOCKED, REPAIR) is BLOCKED
    waiting = permit_unevaluated(ready, REPAIR)
    assert waiting.standing is Standing.AWAITING_APPROVAL
    assert waiting.reason == f"not evaluated; {review_needed(REPAIR)}"


def test_an_approval_of_a_REPAIRED_counts_only_with_a_digest() -> None:
    subject = Subject(KEY, repaired=True)
    assert not counts(subject, Authorization(KEY))
    assert counts(subject, Authorization(KEY, DIGEST))
    assert what_lacks(subject, Authorization(OTHER_KEY, DIGEST), review_needed(REPAIR))


def test_a_repair_overrules_what_the_unit_declares() -> None:
    assert effective_policy(None, REPAIRED) == ApprovalPolicy(ApprovalBinding.PLAN, require_digest=True)
    assert effective_policy(ApprovalPolicy(), REPAIRED) == effective_policy(None, REPAIRED)
    assert effective_policy(ApprovalPolicy(), observed()) == ApprovalPolicy()
    assert effective_policy(None, None) is None
    assert repair_of(None) is None


# How it is told


def test_it_is_told_who_did_what_when_and_why() -> None:
    assert told(REPAIR) == f"repaired with nyl exec by alice at {NOW.iso_seconds()}: state rm x (INC-42)"
    assert told(replace(REPAIR, reason="")).endswith(": state rm x")
    assert told(replace(REPAIR, command=("import", "a b", ""))).endswith(": import 'a b' '' (INC-42)")
    assert told(replace(REPAIR, command=("x" * 1000,))).endswith(f": {'x' * 200}… (INC-42)")


def test_a_held_unit_tells_how_its_work_ended_and_of_its_repair_beside_what_waits() -> None:
    assert held_detail(HELD, None) == held_detail(HELD, observed()) == ""
    assert held_detail(HELD, REPAIRED, "blocked") == told(REPAIR)
    waiting = replace(HELD, hold=replace(HOLD, pending=PendingChange(S, OTHER_KEY)))
    assert held_detail(waiting, REPAIRED) == f"a change waits at {S}; {told(REPAIR)}"
    unknown = observed(condition=uncertain())
    assert held_detail(waiting, unknown) == f"uncertain: {uncertain().reason}; a change waits at {S}"


def test_a_teardown_that_waits_is_no_repair() -> None:
    assert repair_of(observed(teardown=TeardownWait(EARLIER, NOW, "pods"))) is None
