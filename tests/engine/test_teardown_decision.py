"""Page Deletion and holds: what a run does with a unit that is deleted, as a table of cases."""

from dataclasses import replace

import pytest

from nyl.core.clock import Instant
from nyl.engine.authorization import Authorization
from nyl.engine.results import LeavingEffect
from nyl.engine.teardown_decision import (
    TeardownDecision,
    TeardownFacts,
    TeardownStanding,
    behind_what_goes,
    decide_teardown,
    refuse_for,
)
from nyl.project.units import ApprovalBinding, ApprovalPolicy
from nyl.state.documents import Condition, ConditionState, Repair, TeardownWait, Work
from nyl.state.lifecycles import Deletion, DeletionIntent, DeletionReason, TeardownProgress, TeardownRequested
from nyl.units.driver import RecoveryPolicy
from tests.engine.builders import EARLIER, KEY, NOW, OTHER_KEY, desired, observed, receipt, uncertain
from tests.engine.builders import failed as broken

ASKED = TeardownRequested("alice", Instant.parse("2026-09-24T12:00:00Z"), "decommission")
OMISSION = Deletion(DeletionReason.OMISSION, DeletionIntent.TEARDOWN)
STARTED = replace(OMISSION, teardown=TeardownProgress.IN_PROGRESS)
REQUESTED = replace(OMISSION, reason=DeletionReason.REPLACE, requested=ASKED)
BY_KEY = ApprovalPolicy()
REVIEWED = ApprovalPolicy(ApprovalBinding.PLAN, require_digest=True)
GIVEN = Authorization(KEY, uid="uid-cache")
REPAIRED = observed("cache", receipt(), repair=Repair("alice", NOW, ("state", "rm", "x")))
CONVERGE, MANUAL = RecoveryPolicy.CONVERGE, RecoveryPolicy.MANUAL


def facts(deletion: Deletion = OMISSION, condition: Condition | None = None, **fields: object) -> TeardownFacts:
    document = desired("cache", deletion=deletion)
    plain = TeardownFacts(document, observed("cache", receipt(), condition), LeavingEffect.TEARDOWN)
    return replace(plain, **fields)  # type: ignore[arg-type]


def unready(deletion: Deletion, **fields: object) -> TeardownFacts:
    document = replace(desired("cache", deletion=deletion), readiness=("its group orphans workloads",))
    return facts(deletion, document=document, **fields)


def teardown(state: ConditionState, *, retryable: bool = False) -> Condition:
    return Condition(state, EARLIER, NOW, "exit code 7", KEY, "execution", retryable, Work.TEARDOWN)


@pytest.mark.parametrize(
    ("case", "allowed", "standing"),
    [
        (facts(), False, TeardownStanding.UNPERMITTED),
        (facts(), True, TeardownStanding.READY),
        (facts(STARTED), False, TeardownStanding.READY),
        (facts(REQUESTED), False, TeardownStanding.READY),
        (facts(held=True), True, TeardownStanding.HELD),
        (facts(REQUESTED, held=True), True, TeardownStanding.HELD),
        (facts(consumers=("web",)), True, TeardownStanding.BEHIND),
        (facts(consumers=("web",)), False, TeardownStanding.UNPERMITTED),
        (facts(consumers=("web",), waiting=("web",)), True, TeardownStanding.WAITING),
        (facts(consumers=("web",), waiting=("web",)), False, TeardownStanding.WAITING),
        (facts(effect=LeavingEffect.RETAIN), False, TeardownStanding.RETAIN),
        (facts(effect=LeavingEffect.RELEASE), False, TeardownStanding.RELEASE),
        (facts(effect=LeavingEffect.RETAIN, consumers=("web",)), True, TeardownStanding.BEHIND),
        (facts(effect=LeavingEffect.RELEASE, consumers=("web",)), True, TeardownStanding.BEHIND),
        (facts(condition=broken()), True, TeardownStanding.READY),
        (facts(condition=uncertain()), True, TeardownStanding.UNCERTAIN),
        (facts(condition=uncertain(), recovery=CONVERGE), True, TeardownStanding.READY),
        (facts(REQUESTED, uncertain()), False, TeardownStanding.READY),
        (facts(STARTED, teardown(ConditionState.FAILED)), True, TeardownStanding.FAILED),
        (facts(STARTED, teardown(ConditionState.FAILED, retryable=True)), False, TeardownStanding.READY),
        (facts(STARTED, teardown(ConditionState.FAILED), teardown_recovery=CONVERGE), False, TeardownStanding.READY),
        (facts(STARTED, teardown(ConditionState.UNCERTAIN)), True, TeardownStanding.UNCERTAIN),
        (
            facts(STARTED, teardown(ConditionState.UNCERTAIN), teardown_recovery=CONVERGE),
            False,
            TeardownStanding.READY,
        ),
        (facts(STARTED, teardown(ConditionState.UNCERTAIN), recovery=CONVERGE), True, TeardownStanding.UNCERTAIN),
        (facts(policy=BY_KEY), True, TeardownStanding.UNAPPROVED),
        (facts(policy=BY_KEY), False, TeardownStanding.UNPERMITTED),
        (facts(REQUESTED, policy=BY_KEY), False, TeardownStanding.UNAPPROVED),
        (facts(policy=BY_KEY, consumers=("web",)), True, TeardownStanding.UNAPPROVED),
        (facts(STARTED, policy=BY_KEY), False, TeardownStanding.READY),
        (facts(STARTED, teardown(ConditionState.FAILED, retryable=True), policy=BY_KEY), False, TeardownStanding.READY),
        (facts(policy=BY_KEY, held=True), True, TeardownStanding.HELD),
        (facts(policy=BY_KEY, effect=LeavingEffect.RETAIN), True, TeardownStanding.RETAIN),
        (facts(replanned=KEY), True, TeardownStanding.UNAPPROVED),
        (facts(observed=REPAIRED), True, TeardownStanding.UNAPPROVED),
        (facts(observed=REPAIRED), False, TeardownStanding.UNPERMITTED),
        (facts(REQUESTED, observed=REPAIRED), False, TeardownStanding.UNAPPROVED),
        (facts(STARTED, observed=REPAIRED), False, TeardownStanding.UNAPPROVED),
        (facts(observed=REPAIRED, effect=LeavingEffect.RETAIN), False, TeardownStanding.RETAIN),
        (facts(observed=REPAIRED, effect=LeavingEffect.RELEASE), False, TeardownStanding.RELEASE),
        (facts(observed=REPAIRED, held=True), True, TeardownStanding.HELD),
        (unready(OMISSION), True, TeardownStanding.UNREADY),
        (unready(REQUESTED), False, TeardownStanding.UNREADY),
        (unready(OMISSION), False, TeardownStanding.UNPERMITTED),
        (unready(STARTED), False, TeardownStanding.READY),
        (unready(OMISSION, policy=BY_KEY), True, TeardownStanding.UNREADY),
        (unready(OMISSION, consumers=("web",)), True, TeardownStanding.UNREADY),
        (unready(OMISSION, held=True), True, TeardownStanding.HELD),
        (unready(OMISSION, effect=LeavingEffect.RELEASE), True, TeardownStanding.RELEASE),
    ],
)
def test_what_a_run_does_with_a_unit_that_is_deleted(
    case: TeardownFacts, *, allowed: bool, standing: TeardownStanding
) -> None:
    assert decide_teardown(case, allow_teardown=allowed).standing is standing


def test_a_teardown_that_could_not_complete_starts_once_an_operator_accepts_that() -> None:
    case = unready(OMISSION)
    assert decide_teardown(case, allow_teardown=True, allow_incomplete=True).standing is TeardownStanding.READY
    assert decide_teardown(case, allow_teardown=True).reason == (
        "its teardown could not complete: its group orphans workloads"
    )


@pytest.mark.parametrize(
    ("case", "approval", "standing"),
    [
        (facts(policy=BY_KEY), GIVEN, TeardownStanding.READY),
        (facts(policy=BY_KEY), replace(GIVEN, uid="uid-before"), TeardownStanding.UNAPPROVED),
        (facts(policy=BY_KEY), replace(GIVEN, key=OTHER_KEY), TeardownStanding.UNAPPROVED),
        (facts(policy=REVIEWED), GIVEN, TeardownStanding.UNAPPROVED),
        (facts(policy=REVIEWED), replace(GIVEN, digest=KEY), TeardownStanding.READY),
        (facts(policy=REVIEWED, replanned=OTHER_KEY), replace(GIVEN, digest=KEY), TeardownStanding.UNAPPROVED),
        (facts(STARTED, policy=REVIEWED), GIVEN, TeardownStanding.READY),
        (facts(observed=REPAIRED), GIVEN, TeardownStanding.UNAPPROVED),
        (facts(observed=REPAIRED), replace(GIVEN, digest=KEY), TeardownStanding.READY),
        (facts(STARTED, observed=REPAIRED), GIVEN, TeardownStanding.UNAPPROVED),
        (facts(STARTED, observed=REPAIRED), replace(GIVEN, digest=KEY), TeardownStanding.READY),
        (facts(observed=REPAIRED), replace(GIVEN, digest=KEY, uid="uid-before"), TeardownStanding.UNAPPROVED),
        (facts(), GIVEN, TeardownStanding.READY),
    ],
)
def test_a_teardown_starts_with_an_approval_of_its_incarnation(
    case: TeardownFacts, approval: Authorization, standing: TeardownStanding
) -> None:
    decision = decide_teardown(case, allow_teardown=True, approval=approval)
    assert decision.standing is standing
    assert decision.digest == case.replanned
    if standing is not TeardownStanding.READY:
        assert decision.reason


@pytest.mark.parametrize(
    ("decision", "deletion", "users", "standing"),
    [
        (TeardownStanding.READY, OMISSION, ("worker",), TeardownStanding.HAS_DEPENDENTS),
        (TeardownStanding.READY, REQUESTED, ("prod/shop",), TeardownStanding.HAS_DEPENDENTS),
        (TeardownStanding.READY, OMISSION, (), TeardownStanding.READY),
        (TeardownStanding.READY, STARTED, ("worker",), TeardownStanding.READY),
        (TeardownStanding.UNAPPROVED, OMISSION, ("worker",), TeardownStanding.HAS_DEPENDENTS),
        (TeardownStanding.BEHIND, OMISSION, ("worker",), TeardownStanding.BEHIND),
    ],
)
def test_what_stays_and_uses_a_unit_keeps_its_teardown_from_starting(
    decision: TeardownStanding, deletion: Deletion, users: tuple[str, ...], standing: TeardownStanding
) -> None:
    document = desired("cache", deletion=deletion)
    assert refuse_for(TeardownDecision(decision), document, users).standing is standing


def test_a_teardown_that_waited_says_that_it_goes_on() -> None:
    wait = TeardownWait(EARLIER, NOW, "the workloads are there")
    case = facts(STARTED, observed=observed("cache", receipt(), teardown=wait))
    assert decide_teardown(case, allow_teardown=False).reason == "its teardown goes on: the workloads are there"


def test_units_that_wait_only_for_what_goes_go_in_the_same_run() -> None:
    def behind(*others: str) -> TeardownDecision:
        return TeardownDecision(TeardownStanding.BEHIND, others=others)

    decisions = {
        "top": TeardownDecision(TeardownStanding.READY),
        "kept": TeardownDecision(TeardownStanding.HELD),
        "middle": behind("top"),
        "below": behind("middle"),
        "stuck": behind("top", "kept"),
        "deeper": behind("stuck"),
    }
    assert behind_what_goes(decisions) == {"middle", "below"}
