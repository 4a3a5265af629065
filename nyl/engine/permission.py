"""What a run may do with a unit that is otherwise decided: repair its drift, force it, or wait for an approval.

Follows the section Repairing drift of the Recovery page, and the sections Waves and Approvals of the Runs page.
"""

from collections.abc import Mapping
from dataclasses import field, replace

from nyl.core.dataclass import dataclass
from nyl.engine.authorization import Authorization, Subject, counts, manual, what_lacks
from nyl.engine.decision import Decision, Standing
from nyl.engine.repairs import review_needed
from nyl.project.resources import DriftRepair
from nyl.project.units import ApprovalPolicy
from nyl.state.documents import Repair


@dataclass(frozen=True)
class RunRules:
    """How the invocation and the environment limit and extend what a run executes."""

    run: str | None = None
    """The run, whose own receipts --reapply is done with; None where nothing runs."""
    drift_repair: DriftRepair = DriftRepair.CONVERGE
    only: frozenset[str] | None = None
    """The units that --unit names."""
    reapplied: frozenset[str] = frozenset()
    """The units that --reapply executes although they are current."""
    reason: str = ""
    """Why they are."""
    approved: Mapping[str, Authorization] = field(default_factory=dict)
    """Unit -> what its approval authorizes."""
    local: bool = False
    """Whether --local asks for an approval of every unit that is not safe to run again."""
    repairs: bool = True
    """Whether drifted units run: who only looks finds them drifted, and their receipts current."""


@dataclass(frozen=True)
class Candidate:
    """A decided unit, and what else matters."""

    unit: str
    key: str
    decision: Decision
    safe: bool
    """Whether running the unit again is safe: its recovery policy is converge."""
    drift: str | None
    """What drifted of its receipt; None when nothing did."""
    keyed: bool = False
    """Whether its receipt is of its present key, so that only a condition can keep it from being current."""
    fresh: bool = False
    """Whether its receipt is one of the run itself, so that --reapply is done with it."""
    policy: ApprovalPolicy | None = None
    """`approval: manual`; None where the unit declares no approval."""
    replanned: str | None = None
    """The digest of what it would change, where its driver found in this run that this is not what was approved."""

    repair: Repair | None = None
    """The repair with the unit's own tool that no execution followed yet."""

    @property
    def current(self) -> bool:
        """Whether its receipt is current, so that consumers read it while it waits."""
        return self.decision.standing is Standing.CURRENT


def permit(candidate: Candidate, rules: RunRules) -> Decision:
    """The decision as the rules leave it.

    A current unit runs only because --reapply names it or because it drifted, and then, unless that is safe, only with
    an approval of its key; the same holds for another try of a repair. What runs anyway needs an approval in a --local
    run, unless it is safe. A unit with `approval: manual` always needs one. One that was repaired runs although its
    receipt is current, and needs an approval of the change that results.
    """
    decision = candidate.decision
    if candidate.current:
        unsafe = not candidate.safe or candidate.policy is not None or candidate.repair is not None
        permitted = _permit_current(candidate, rules)
        return replace(permitted, unsafe=unsafe, restores=permitted.drifted or permitted.forced)
    if decision.standing is not Standing.READY:
        return decision
    if decision.inspecting:
        return replace(decision, unsafe=bool(_need(candidate, rules, decision)))
    if candidate.drift is not None and candidate.keyed:
        decision = replace(decision, drifted=True)
    repairs = candidate.drift is not None and rules.drift_repair is DriftRepair.CONVERGE
    if decision.drifted or repairs or candidate.unit in rules.reapplied:
        decision = replace(decision, restores=True)
    return _approvable(candidate, rules, decision)


def permit_unevaluated(decision: Decision, repair: Repair | None) -> Decision:
    """The same where the key is unknown: whatever it is, a repaired unit waits for an approval."""
    if repair is None or decision.standing is not Standing.READY:
        return decision
    reason = f"{decision.reason}; {review_needed(repair)}"
    return replace(decision, standing=Standing.AWAITING_APPROVAL, reason=reason)


def _permit_current(candidate: Candidate, rules: RunRules) -> Decision:
    drift = candidate.drift
    reason = f"drifted: {drift}" if drift is not None and drift != "drifted" else "drifted"
    if candidate.unit in rules.reapplied and not candidate.fresh:
        told = f"forced with --reapply: {rules.reason}"
        return _approvable(candidate, rules, Decision(Standing.READY, told, drifted=drift is not None, forced=True))
    if candidate.repair is not None:
        since = Decision(
            Standing.READY, "its receipt is from before a repair", drifted=drift is not None, repaired=True
        )
        return _approvable(candidate, rules, since)
    if drift is None:
        return candidate.decision
    if rules.only is not None and candidate.unit not in rules.only:
        return Decision(Standing.DRIFTED, reason, drifted=True)
    if rules.drift_repair is DriftRepair.MANUAL:
        return Decision(Standing.DRIFTED, f"{reason}; driftRepair: manual leaves it so", drifted=True)
    decision = _approvable(candidate, rules, Decision(Standing.READY, reason, drifted=True))
    return decision if rules.repairs else replace(decision, standing=Standing.DRIFTED)


def _approvable(candidate: Candidate, rules: RunRules, decision: Decision) -> Decision:
    """A decision to run with the approval that the unit has, or to wait for the one that it needs.

    Nothing may read the receipt of a unit that waits because its inputs changed or its last execution failed.
    """
    subject = Subject(
        candidate.key,
        policy=candidate.policy,
        replanned=candidate.replanned,
        repaired=candidate.repair is not None,
    )
    approval = rules.approved.get(candidate.unit)
    lacks = what_lacks(subject, approval, _need(candidate, rules, decision))
    if not lacks:
        return replace(decision, approval=approval if counts(subject, approval) else None)
    drifted = decision.drifted and candidate.current
    waiting = f"{decision.reason}; {lacks}"
    return replace(decision, standing=Standing.AWAITING_APPROVAL, reason=waiting, drifted=drifted)


def _need(candidate: Candidate, rules: RunRules, decision: Decision) -> str:
    """Why the unit runs only with an approval; empty where it runs without one."""
    if candidate.repair is not None:
        return review_needed(candidate.repair)
    if candidate.policy is not None:
        return manual(candidate.policy)
    if candidate.safe:
        return ""
    if rules.local and not candidate.current:
        return "a --local run executes it only with --approve"
    if candidate.current or (decision.drifted and not decision.recovering):
        return "it is not safe to run again without an approval"
    return ""
