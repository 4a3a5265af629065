"""What a run may do with a unit that is otherwise decided: repair its drift, force it, or wait for an approval.

Follows the section Repairing drift of the Recovery page, and the sections Waves and Approvals of the Runs page.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from nyl.engine.decision import Decision, Standing
from nyl.project.resources import DriftRepair


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
    approved: Mapping[str, str] = field(default_factory=dict)
    """Unit -> the execution key that --approve authorizes."""
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


def permit(candidate: Candidate, rules: RunRules) -> Decision:
    """The decision as the rules leave it.

    A current unit runs only because --reapply names it or because it drifted, and then, unless that is safe, only with
    an approval of its key; the same holds for another try of a repair. What runs anyway needs an approval only in a
    --local run.
    """
    decision = candidate.decision
    if decision.standing is Standing.CURRENT:
        return replace(_permit_current(candidate, rules), unsafe=not candidate.safe)
    if decision.standing is not Standing.READY:
        return decision
    if candidate.drift is not None and candidate.keyed:
        decision = replace(decision, drifted=True)
    if _approved(candidate, rules):
        return replace(decision, approved=True)
    if candidate.safe or decision.inspecting:
        return decision
    if rules.local:
        return _waiting(decision, f"a --local run executes it only with --approve: {decision.reason}")
    if decision.drifted and not decision.recovering:
        return _waiting(decision, _unsafe(decision))
    return decision


def _permit_current(candidate: Candidate, rules: RunRules) -> Decision:
    drift = candidate.drift
    reason = f"drifted: {drift}" if drift is not None and drift != "drifted" else "drifted"
    if candidate.unit in rules.reapplied and not candidate.fresh:
        told = f"forced with --reapply: {rules.reason}"
        return _approvable(candidate, rules, Decision(Standing.READY, told, drifted=drift is not None, forced=True))
    if drift is None:
        return candidate.decision
    if rules.only is not None and candidate.unit not in rules.only:
        return Decision(Standing.DRIFTED, reason, drifted=True)
    if rules.drift_repair is DriftRepair.MANUAL:
        return Decision(Standing.DRIFTED, f"{reason}; driftRepair: manual leaves it so", drifted=True)
    decision = _approvable(candidate, rules, Decision(Standing.READY, reason, drifted=True))
    return decision if rules.repairs else replace(decision, standing=Standing.DRIFTED)


def _approvable(candidate: Candidate, rules: RunRules, decision: Decision) -> Decision:
    if _approved(candidate, rules):
        return replace(decision, approved=True)
    if candidate.safe:
        return decision
    return replace(decision, standing=Standing.AWAITING_APPROVAL, reason=_unsafe(decision))


def _waiting(decision: Decision, reason: str) -> Decision:
    """A unit that waits and whose receipt nothing may read: its inputs changed, or its last execution failed."""
    return replace(decision, standing=Standing.AWAITING_APPROVAL, reason=reason, drifted=False)


def _unsafe(decision: Decision) -> str:
    return f"{decision.reason}; it is not safe to run again without an approval"


def _approved(candidate: Candidate, rules: RunRules) -> bool:
    return rules.approved.get(candidate.unit) == candidate.key
