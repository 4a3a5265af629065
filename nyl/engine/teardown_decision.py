"""What a run does with one unit that is deleted. Pure.

Follows the sections Leaving the ownership set, Order and Explicit teardown of the page Deletion and holds.
"""

from collections.abc import Mapping, Sequence
from enum import Enum

from nyl.core.dataclass import dataclass
from nyl.engine.authorization import Authorization, Subject, counts, manual, what_lacks
from nyl.engine.lifecycle import is_in_progress, is_permitted
from nyl.engine.repairs import effective_policy, repair_of, review_needed
from nyl.engine.results import LeavingEffect
from nyl.project.units import ApprovalPolicy
from nyl.state.documents import ConditionState, DesiredUnit, ObservedUnit, Work
from nyl.units.driver import RecoveryPolicy


class TeardownStanding(Enum):
    """How a unit that is deleted stands."""

    READY = "ready"
    """Its driver's teardown may start, or go on."""
    RETAIN = "retain"
    """Its document becomes a tombstone now."""
    RELEASE = "release"
    """Its files go now, and its resources stay."""
    UNPERMITTED = "unpermitted"
    """It waits for --allow-teardown."""
    BEHIND = "behind"
    """It waits for the deleting units that depend on it."""
    WAITING = "waiting"
    """One of those waits in its own teardown."""
    UNAPPROVED = "unapproved"
    """It waits for an approval."""
    UNREADY = "unready"
    """Its teardown could not complete, as its kind told when it was resolved."""
    HAS_DEPENDENTS = "has-dependents"
    """Something that stays uses it."""
    HELD = "held"
    FAILED = "failed"
    UNCERTAIN = "uncertain"
    BROKEN = "broken"
    """Nothing can be said of it, because its driver or its files are missing."""


NOTHING_ELSE = (TeardownStanding.READY, TeardownStanding.UNAPPROVED)
"""Standings of teardowns that nothing but an approval keeps from starting, as far as was looked yet."""


_GOES = (TeardownStanding.READY, TeardownStanding.RETAIN, TeardownStanding.RELEASE)


@dataclass(frozen=True)
class TeardownDecision:
    """A unit's standing. `others` are the units or environments that it waits for."""

    standing: TeardownStanding
    reason: str = ""
    others: tuple[str, ...] = ()
    approval: Authorization | None = None
    """The approval that a ready teardown has."""
    digest: str | None = None
    """The digest of the change that an unapproved teardown would make, where its driver told one."""
    policy: ApprovalPolicy | None = None
    """What the approval must be like that it waits for."""


@dataclass(frozen=True)
class TeardownFacts:
    """What the decision looks at. The policies are those of the kind, for a teardown and for an execution."""

    document: DesiredUnit
    observed: ObservedUnit | None
    effect: LeavingEffect
    teardown_recovery: RecoveryPolicy = RecoveryPolicy.MANUAL
    recovery: RecoveryPolicy = RecoveryPolicy.MANUAL
    held: bool = False
    consumers: tuple[str, ...] = ()
    """Units outside the ownership set that depend on it and are not gone."""
    waiting: tuple[str, ...] = ()
    """The units whose teardown waits, among them or among what keeps them."""
    policy: ApprovalPolicy | None = None
    """What the recorded spec says of approvals."""
    replanned: str | None = None
    """The digest of what its teardown would change, where its driver found that this is not what was approved."""


def decide_teardown(
    facts: TeardownFacts,
    *,
    allow_teardown: bool,
    allow_incomplete: bool = False,
    approval: Authorization | None = None,
) -> TeardownDecision:
    """What happens to the unit now, as far as its own environment's deleting units are concerned.

    A teardown that was started goes on without a new approval, unless the unit was repaired since, and whatever its
    kind told of its readiness.
    """
    if facts.held:
        return TeardownDecision(TeardownStanding.HELD)
    if facts.effect is not LeavingEffect.TEARDOWN:
        return _behind(facts) or TeardownDecision(
            TeardownStanding.RETAIN if facts.effect is LeavingEffect.RETAIN else TeardownStanding.RELEASE
        )
    stuck = _condition(facts)
    if stuck is not None:
        return stuck
    document = facts.document
    repair, policy = repair_of(facts.observed), effective_policy(facts.policy, facts.observed)
    subject = Subject(document.execution_key, document.unit.uid, policy, facts.replanned, repair is not None)
    lacks = what_lacks(subject, approval, review_needed(repair) or _need(facts))
    if not (allow_teardown or is_permitted(document)):
        return _waiting(facts) or TeardownDecision(TeardownStanding.UNPERMITTED, lacks, policy=policy)
    if document.readiness and not (allow_incomplete or is_in_progress(document)):
        return _unready(document)
    if lacks:
        return TeardownDecision(TeardownStanding.UNAPPROVED, lacks, digest=facts.replanned, policy=policy)
    given = approval if counts(subject, approval) else None
    return _behind(facts) or TeardownDecision(TeardownStanding.READY, _reason(facts), approval=given)


def _unready(document: DesiredUnit) -> TeardownDecision:
    return TeardownDecision(
        TeardownStanding.UNREADY, f"its teardown could not complete: {'; '.join(document.readiness)}"
    )


def refuse_for(decision: TeardownDecision, document: DesiredUnit, users: Sequence[str]) -> TeardownDecision:
    """The same, given what uses the unit and stays: a teardown that was not started yet does not start."""
    if decision.standing not in NOTHING_ELSE or is_in_progress(document) or not users:
        return decision
    return TeardownDecision(TeardownStanding.HAS_DEPENDENTS, f"used by {', '.join(users)}", tuple(users))


def behind_what_goes(decisions: Mapping[str, TeardownDecision]) -> frozenset[str]:
    """The units that only wait for others that go as well, so that one run takes all of them. Consumers come first."""
    going: set[str] = set()
    behind: set[str] = set()
    for unit, decision in decisions.items():
        if decision.standing is TeardownStanding.BEHIND and going.issuperset(decision.others):
            behind.add(unit)
        if decision.standing in _GOES or unit in behind:
            going.add(unit)
    return frozenset(behind)


def _need(facts: TeardownFacts) -> str:
    return "" if is_in_progress(facts.document) else manual(facts.policy)


def _behind(facts: TeardownFacts) -> TeardownDecision | None:
    waiting = _waiting(facts)
    if waiting is None and facts.consumers:
        named = ", ".join(facts.consumers)
        return TeardownDecision(TeardownStanding.BEHIND, f"waits for {named}", facts.consumers)
    return waiting


def _waiting(facts: TeardownFacts) -> TeardownDecision | None:
    if not facts.waiting:
        return None
    named = ", ".join(facts.waiting)
    return TeardownDecision(TeardownStanding.WAITING, f"waits for the teardown of {named}", facts.waiting)


def _condition(facts: TeardownFacts) -> TeardownDecision | None:
    """Why the unit waits for an operator, or None."""
    condition = facts.observed.condition if facts.observed else None
    if condition is None:
        return None
    if condition.work is Work.EXECUTION:
        requested = facts.document.deletion is not None and facts.document.deletion.requested is not None
        if condition.state is ConditionState.FAILED or requested or facts.recovery is RecoveryPolicy.CONVERGE:
            return None
        return TeardownDecision(TeardownStanding.UNCERTAIN, condition.reason)
    if condition.retryable or facts.teardown_recovery is RecoveryPolicy.CONVERGE:
        return None
    failed = condition.state is ConditionState.FAILED
    return TeardownDecision(TeardownStanding.FAILED if failed else TeardownStanding.UNCERTAIN, condition.reason)


def _reason(facts: TeardownFacts) -> str:
    observed, deletion = facts.observed, facts.document.deletion
    condition = observed.condition if observed else None
    if condition is not None and condition.work is Work.TEARDOWN:
        how = "failed" if condition.state is ConditionState.FAILED else "is uncertain"
        return f"the last teardown {how} and may run again: {condition.reason}"
    if observed is not None and observed.teardown is not None:
        return f"its teardown goes on: {observed.teardown.reason}"
    return f"teardown ({deletion.reason})" if deletion else "teardown"
