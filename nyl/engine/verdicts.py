"""Verdicts on units: what a run, a plan or a status says of each, from its resolution and how it ended."""

from collections.abc import Mapping, Sequence

import nyl
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Diagnostic
from nyl.core.exits import Exit
from nyl.engine.decision import Standing
from nyl.engine.held_verdicts import shown_kind, what_waits
from nyl.engine.ledger import Ledger
from nyl.engine.outcomes import Ended, RunOutcome
from nyl.engine.preflight import CheckedUnit
from nyl.engine.repairs import effective_policy, repair_of, told
from nyl.engine.resolution import Resolution
from nyl.engine.results import Action, Result, UnitReport, UnitState
from nyl.state.documents import ConditionState, ObservedUnit
from nyl.units.outcomes import Failed, Succeeded

_RESULTS = {
    Standing.CURRENT: Result.CURRENT,
    Standing.READY: Result.BLOCKED,
    Standing.BLOCKED: Result.BLOCKED,
    Standing.FAILED: Result.FAILED,
    Standing.UNCERTAIN: Result.UNCERTAIN,
    Standing.HELD: Result.HELD,
    Standing.DRIFTED: Result.DRIFTED,
    Standing.AWAITING_APPROVAL: Result.AWAITING_APPROVAL,
}
_ACTIONS = {
    Standing.CURRENT: Action.NONE,
    Standing.READY: Action.EXECUTE,
    Standing.BLOCKED: Action.BLOCKED,
    Standing.FAILED: Action.BLOCKED,
    Standing.UNCERTAIN: Action.BLOCKED,
    Standing.HELD: Action.HELD,
    Standing.DRIFTED: Action.BLOCKED,
    Standing.AWAITING_APPROVAL: Action.AWAIT_APPROVAL,
}
_STATES = {
    Standing.CURRENT: UnitState.CURRENT,
    Standing.READY: UnitState.READY,
    Standing.BLOCKED: UnitState.BLOCKED,
    Standing.FAILED: UnitState.FAILED,
    Standing.UNCERTAIN: UnitState.UNCERTAIN,
    Standing.HELD: UnitState.HELD,
    Standing.DRIFTED: UnitState.DRIFTED,
    Standing.AWAITING_APPROVAL: UnitState.AWAITING_APPROVAL,
}


def unit_order(dispatched: Sequence[str], order: Sequence[str]) -> tuple[str, ...]:
    """Units in the order they were dispatched, then those that did not run in dependency order."""
    ran = set(dispatched)
    return (*dispatched, *(name for name in order if name not in ran))


@dataclass(frozen=True)
class RunEnd:
    """What the end of a run means for a unit: `unstarted` when nothing else kept it from starting."""

    source_commit: str
    unstarted: bool


def run_verdict(
    unit: CheckedUnit, resolution: Resolution, outcome: RunOutcome, ledger: Ledger, end: RunEnd
) -> UnitReport:
    """What a reconcile did with a unit."""
    ended = outcome.ended.get(unit.name)
    observed = ledger.observed_of(unit.name)
    if ended is not None:
        return _ended_verdict(unit, ended, observed)
    detail = resolution.decision.reason
    if end.unstarted:
        detail = why_not_started(outcome) or detail
    elif resolution.standing is Standing.HELD:
        detail = what_waits(unit, resolution, ledger, end.source_commit)
    result = _RESULTS[resolution.standing]
    condition = observed.condition if observed and resolution.standing is Standing.FAILED else None
    if unit.name in ledger.takeover.touched and resolution.standing in (Standing.CURRENT, Standing.READY):
        condition = observed.condition if observed else None
        result, detail = _inherited_result(unit.name, result, ledger), condition.reason if condition else detail
    return UnitReport(
        unit.name,
        shown_kind(unit, resolution, ledger),
        result,
        detail=detail,
        execution_key=resolution.key,
        outputs=_outputs(observed) if resolution.standing in (Standing.CURRENT, Standing.DRIFTED) else None,
        category=condition.category if condition else None,
        retryable=condition.retryable if condition else None,
        run=_last_run(observed),
        nyl_version=_other_version(observed),
        exit=Exit.UNCERTAIN if result is Result.AWAITING_APPROVAL and _is_uncertain(observed) else None,
        change_digest=ledger.replanned.get(unit.name),
        unsafe=resolution.decision.unsafe,
        forced=resolution.decision.forced,
        approval=effective_policy(unit.rendered.approval, observed),
        location=unit.rendered.location,
    )


def _inherited_result(name: str, otherwise: Result, ledger: Ledger) -> Result:
    """The result of a unit that did not run in this run and that a dead run left something of."""
    observed = ledger.observed_of(name)
    if observed is not None and observed.condition is not None:
        uncertain = observed.condition.state is ConditionState.UNCERTAIN
        return Result.UNCERTAIN if uncertain else Result.FAILED
    return Result.IMPORTED if name in ledger.takeover.imported and otherwise is Result.CURRENT else otherwise


def _ended_verdict(unit: CheckedUnit, ended: Ended, observed: ObservedUnit | None) -> UnitReport:
    failed = ended.outcome if isinstance(ended.outcome, Failed) else None
    return UnitReport(
        unit.name,
        unit.rendered.kind,
        ended.result,
        reason=ended.started.decision.reason,
        detail=ended.trouble,
        execution_key=ended.started.document.execution_key,
        outputs=_outputs(observed) if isinstance(ended.outcome, Succeeded) else None,
        duration_ms=round(ended.seconds * 1000),
        category=str(failed.category) if failed else None,
        retryable=failed.retryable if failed else None,
        approval=effective_policy(unit.rendered.approval, observed),
        location=unit.rendered.location,
    )


def why_not_started(outcome: RunOutcome) -> str:
    """What kept a run from starting units that were ready; empty when nothing did."""
    if outcome.stopped_by is not None:
        return f"--fail-fast stopped the run after {outcome.stopped_by}"
    if outcome.cancelled:
        return "the run was cancelled before it started"
    if outcome.expired:
        return "the lease of the run passed its deadline before it started"
    if outcome.interruption is not None:
        return "the run could not record that it starts"
    return ""


def plan_verdict(unit: CheckedUnit, resolution: Resolution, ledger: Ledger, source_commit: str) -> UnitReport:
    """What a reconcile of a source commit would do with a unit."""
    observed = ledger.observed_of(unit.name)
    waits = resolution.standing in (Standing.FAILED, Standing.UNCERTAIN, Standing.DRIFTED)
    reason = resolution.decision.reason
    if resolution.standing is Standing.HELD:
        reason = what_waits(unit, resolution, ledger, source_commit)
    return UnitReport(
        unit.name,
        shown_kind(unit, resolution, ledger),
        _ACTIONS[resolution.standing],
        reason=reason,
        detail=f"{resolution.standing.value}, waits for an operator" if waits else "",
        execution_key=resolution.key,
        run=_last_run(observed),
        nyl_version=_other_version(observed),
        approval=effective_policy(unit.rendered.approval, observed),
    )


def status_verdict(
    unit: CheckedUnit, resolution: Resolution, ledger: Ledger, running: Mapping[str, str], source_commit: str
) -> UnitReport:
    """How a unit stands. `running` holds the units that a live run is executing, with its id."""
    observed = ledger.observed_of(unit.name)
    receipt = observed.receipt if observed else None
    state = UnitState.RUNNING if unit.name in running else _state_of(resolution, observed)
    is_new = receipt is None and (observed is None or observed.condition is None)
    recorded = ledger.desired_of(unit.name)
    expected = resolution.key or (recorded.execution_key if recorded else None)  # no key: blocked, or not evaluated
    current = receipt is not None and receipt.execution_key == expected
    reason = "" if state is UnitState.READY and is_new else resolution.decision.reason
    if resolution.standing is Standing.HELD:
        reason = what_waits(unit, resolution, ledger, source_commit)
    return UnitReport(
        unit.name,
        shown_kind(unit, resolution, ledger),
        state,
        detail=_status_detail(observed, resolution.standing, reason),
        execution_key=resolution.key,
        outputs=_outputs(observed),
        receipt="none" if receipt is None else "current" if current else "outdated",
        run=running.get(unit.name) or _last_run(observed),
        nyl_version=_other_version(observed),
        unsafe=resolution.decision.unsafe,
        approval=effective_policy(unit.rendered.approval, observed),
        location=unit.rendered.location,
    )


def _status_detail(observed: ObservedUnit | None, standing: Standing, otherwise: str) -> str:
    """What an uncertain condition says by itself, which the warning about it explains; and a repair of the unit."""
    if standing is Standing.HELD:
        return otherwise
    condition, repair = observed.condition if observed else None, repair_of(observed)
    if condition is not None and condition.state is ConditionState.UNCERTAIN:
        otherwise = condition.reason
    elif standing is Standing.AWAITING_APPROVAL:
        return otherwise
    return "; ".join(each for each in (otherwise, told(repair) if repair else "") if each)


def _state_of(resolution: Resolution, observed: ObservedUnit | None) -> UnitState:
    """How a unit stands before any run does what it would do about it: uncertain or drifted, even where it runs."""
    standing = resolution.standing
    if standing in (Standing.READY, Standing.BLOCKED, Standing.AWAITING_APPROVAL) and _is_uncertain(observed):
        return UnitState.UNCERTAIN
    if resolution.decision.drifted and standing in (Standing.READY, Standing.AWAITING_APPROVAL):
        return UnitState.DRIFTED
    return _STATES[standing]


def _is_uncertain(observed: ObservedUnit | None) -> bool:
    condition = observed.condition if observed else None
    return condition is not None and condition.state is ConditionState.UNCERTAIN


def _outputs(observed: ObservedUnit | None) -> Mapping[str, object] | None:
    return observed.receipt.outputs if observed and observed.receipt else None


def _last_run(observed: ObservedUnit | None) -> str | None:
    if observed is None:
        return None
    if observed.condition is not None:
        return observed.condition.run
    return observed.receipt.run if observed.receipt else None


def _other_version(observed: ObservedUnit | None) -> str | None:
    recorded = observed.receipt.nyl_version if observed and observed.receipt else None
    return recorded if recorded != nyl.__version__ else None


def resolution_errors(
    environment: str, resolutions: Mapping[str, Resolution], only: frozenset[str] | None
) -> tuple[Diagnostic, ...]:
    """What kept units from being resolved; with `only` just those units."""
    return tuple(
        found
        for name, each in resolutions.items()
        if each.error is not None and (only is None or name in only)
        for found in each.error.about(environment=environment).diagnostics
    )
