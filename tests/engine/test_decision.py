"""Runs page, Execution keys and receipts, and Waves: whether a unit runs."""

import pytest

from nyl.engine.decision import Decision, Standing, decide, decide_unevaluated, outdated_reason
from nyl.state.documents import ObservedUnit
from nyl.units.driver import RecoveryPolicy
from tests.engine.builders import KEY, OTHER_KEY, failed, observed, receipt, uncertain

MANUAL, CONVERGE, INSPECT = RecoveryPolicy.MANUAL, RecoveryPolicy.CONVERGE, RecoveryPolicy.INSPECT
CURRENT, READY = Standing.CURRENT, Standing.READY

DECISIONS: list[tuple[str, ObservedUnit | None, RecoveryPolicy, Standing, str]] = [
    ("never seen", None, MANUAL, READY, "no receipt"),
    ("seen without a receipt", observed(), MANUAL, READY, "no receipt"),
    ("the same key", observed(receipt=receipt()), MANUAL, CURRENT, ""),
    ("another key", observed(receipt=receipt(OTHER_KEY)), MANUAL, READY, "execution inputs changed"),
    (
        "another key of another behavior version",
        observed(receipt=receipt(OTHER_KEY, behavior_version=1)),
        MANUAL,
        READY,
        "driver behavior version changed from 1 to 2",
    ),
    ("a failure that may be retried", observed(condition=failed(retryable=True)), MANUAL, READY, "may be retried"),
    ("a failure that may not", observed(condition=failed()), CONVERGE, Standing.FAILED, "exit code 1"),
    ("a failure of other inputs", observed(condition=failed(key=OTHER_KEY)), MANUAL, Standing.FAILED, "exit code 1"),
    ("uncertain, converges", observed(condition=uncertain()), CONVERGE, READY, "it was killed"),
    ("uncertain, manual", observed(condition=uncertain()), MANUAL, Standing.UNCERTAIN, "it was killed"),
    ("uncertain, inspect", observed(condition=uncertain()), INSPECT, READY, "can be inspected: it was killed"),
    ("uncertain with a receipt", observed("db", receipt(), uncertain()), MANUAL, Standing.UNCERTAIN, "it was killed"),
    ("failed with a receipt", observed("db", receipt(), failed()), MANUAL, Standing.FAILED, "exit code 1"),
    (
        "to be retried with a receipt",
        observed("db", receipt(), failed(retryable=True)),
        MANUAL,
        READY,
        "may be retried",
    ),
]


@pytest.mark.parametrize(
    ("known", "policy", "standing", "reason"), [each[1:] for each in DECISIONS], ids=[each[0] for each in DECISIONS]
)
def test_key_receipt_condition_and_policy_decide(
    known: ObservedUnit | None, policy: RecoveryPolicy, standing: Standing, reason: str
) -> None:
    version = 2 if "version" in reason else 1
    decision = decide(KEY, version, known, policy)
    assert decision.standing is standing
    assert reason in decision.reason


@pytest.mark.parametrize("policy", list(RecoveryPolicy))
def test_only_an_uncertain_unit_that_converges_recovers(policy: RecoveryPolicy) -> None:
    assert decide(KEY, 1, observed(condition=uncertain()), policy).recovering is (policy is CONVERGE)
    assert not decide(KEY, 1, observed(condition=failed(retryable=True)), policy).recovering


@pytest.mark.parametrize("policy", list(RecoveryPolicy))
def test_only_an_uncertain_unit_whose_kind_can_tell_is_inspected(policy: RecoveryPolicy) -> None:
    assert decide(KEY, 1, observed(condition=uncertain()), policy).inspecting is (policy is INSPECT)
    assert not decide(KEY, 1, observed(condition=failed(retryable=True)), policy).inspecting


def test_a_newer_behavior_version_with_the_same_key_changes_nothing() -> None:
    assert decide(KEY, 2, observed(receipt=receipt(behavior_version=1)), MANUAL) == Decision(CURRENT)


@pytest.mark.parametrize(
    ("known", "standing", "reason"),
    [
        (None, READY, "no receipt"),
        (observed(receipt=receipt()), READY, "not evaluated"),
        (observed(receipt=receipt(), condition=failed()), Standing.FAILED, "exit code 1"),
        (observed(condition=uncertain()), Standing.UNCERTAIN, "it was killed"),
    ],
)
def test_without_a_fingerprint_no_receipt_is_called_current(
    known: ObservedUnit | None, standing: Standing, reason: str
) -> None:
    assert decide_unevaluated(known, MANUAL) == Decision(standing, reason)


def test_a_receipt_tells_what_it_can_of_why_it_is_out_of_date() -> None:
    assert outdated_reason(receipt(behavior_version=3), 4) == "driver behavior version changed from 3 to 4"
    assert outdated_reason(receipt(behavior_version=3), 3) == "execution inputs changed"
