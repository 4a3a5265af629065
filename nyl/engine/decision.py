"""What a run does with one unit: a pure function of its key, what is recorded of it, and what stands in the way."""

from enum import Enum

from nyl.core.dataclass import dataclass
from nyl.engine.authorization import Authorization
from nyl.state.documents import Condition, ConditionState, ObservedUnit, Receipt, Work
from nyl.units.driver import RecoveryPolicy
from nyl.units.outcomes import InspectOutcome, NotApplied, Succeeded, Unknown


class Standing(Enum):
    """How a unit stands towards its execution key."""

    CURRENT = "current"
    READY = "ready"
    BLOCKED = "blocked"
    FAILED = "failed"
    UNCERTAIN = "uncertain"
    HELD = "held"
    DRIFTED = "drifted"
    AWAITING_APPROVAL = "awaiting-approval"


@dataclass(frozen=True)
class Decision:
    """A unit's standing and why."""

    standing: Standing
    reason: str = ""
    recovering: bool = False
    """Whether an uncertain unit runs again under its recovery policy."""
    inspecting: bool = False
    """Whether the driver of an uncertain unit is asked for its effects before anything else happens."""
    drifted: bool = False
    """Whether the latest verification of the unit's receipt found drift."""
    repaired: bool = False
    """Whether its own tool worked on the unit since its receipt, which is current."""
    forced: bool = False
    """Whether only --reapply makes the unit run."""
    restores: bool = False
    """Whether what was changed by hand is put right too: the unit drifted, or --reapply names it."""
    unsafe: bool = False
    """Whether a unit whose receipt is current, or that is inspected first, runs again only with an approval."""
    approval: Authorization | None = None
    """The approval that the unit runs with."""

    @property
    def readable(self) -> bool:
        """Whether consumers may read the unit's receipt: it is current, whatever else there is to do about the unit."""
        if self.standing is Standing.AWAITING_APPROVAL:
            return self.drifted or self.repaired or self.forced
        return self.standing in (Standing.CURRENT, Standing.HELD, Standing.DRIFTED)


def decide(
    key: str,
    behavior_version: int,
    observed: ObservedUnit | None,
    policy: RecoveryPolicy,
    inspected: InspectOutcome | None = None,
) -> Decision:
    """Whether a unit whose references are resolved runs, is current, or waits for an operator.

    The execution key alone decides, but for a condition: an uncertain unit runs again only where its policy lets it, a
    failed one only when the failure is retryable. `inspected` is what the driver has told already of an uncertain unit.
    """
    condition = observed.condition if observed else None
    receipt = observed.receipt if observed else None
    if condition is not None:
        return _decide_condition(condition, policy, inspected)
    if receipt is None:
        return Decision(Standing.READY, "no receipt")
    if receipt.execution_key == key:
        return Decision(Standing.CURRENT)
    recovering = isinstance(inspected, Succeeded)
    return Decision(Standing.READY, outdated_reason(receipt, behavior_version), recovering)


def decide_unevaluated(observed: ObservedUnit | None, policy: RecoveryPolicy) -> Decision:
    """The same where a fingerprint was not evaluated, so that the key is unknown."""
    if observed is not None and observed.condition is not None:
        return _decide_condition(observed.condition, policy, None)
    return Decision(Standing.READY, "not evaluated" if observed and observed.receipt else "no receipt")


def decide_blocked(why: str, observed: ObservedUnit | None) -> Decision:
    """The same where producers are not there. That nobody knows what a unit did outweighs what it waits for."""
    condition = observed.condition if observed else None
    if condition is not None and condition.state is ConditionState.UNCERTAIN and condition.work is Work.EXECUTION:
        return Decision(Standing.UNCERTAIN, condition.reason)
    return Decision(Standing.BLOCKED, why)


def _decide_condition(condition: Condition, policy: RecoveryPolicy, inspected: InspectOutcome | None) -> Decision:
    if condition.state is ConditionState.FAILED:
        if condition.retryable:
            return Decision(Standing.READY, f"the last execution failed and may be retried: {condition.reason}")
        return Decision(Standing.FAILED, condition.reason)
    if policy is RecoveryPolicy.CONVERGE:
        return Decision(
            Standing.READY, f"uncertain, and running it again converges: {condition.reason}", recovering=True
        )
    if isinstance(inspected, NotApplied):
        reason = f"uncertain, and an inspection found no effect of it: {condition.reason}"
        return Decision(Standing.READY, reason, recovering=True)
    if isinstance(inspected, Unknown):
        reason = f"{condition.reason}; an inspection could not tell its effects: {inspected.reason}"
        return Decision(Standing.UNCERTAIN, reason)
    if policy is RecoveryPolicy.INSPECT:
        reason = f"uncertain, and its effects can be inspected: {condition.reason}"
        return Decision(Standing.READY, reason, inspecting=True)
    return Decision(Standing.UNCERTAIN, condition.reason)


def outdated_reason(receipt: Receipt, behavior_version: int) -> str:
    """Why a receipt's key no longer matches, as far as the receipt can tell."""
    if receipt.behavior_version != behavior_version:
        return f"driver behavior version changed from {receipt.behavior_version} to {behavior_version}"
    return "execution inputs changed"
