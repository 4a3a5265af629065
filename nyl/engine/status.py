"""`nyl status`: how the units of environments stand. Runs nothing and writes nothing.

Follows the Recovery page for what it shows of runs that are alive or left something.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from nyl.core.clock import Instant
from nyl.core.codes import Code
from nyl.core.diagnostics import Diagnostic, NylError, Severity
from nyl.core.exits import Exit
from nyl.engine.dead_runs import dead_runs
from nyl.engine.events import Listener, Step
from nyl.engine.foreign import ForeignProducers
from nyl.engine.inheritance import breaks_of
from nyl.engine.invocation import Invocation, SourceChoice, open_invocation
from nyl.engine.leaving import leaving_warning
from nyl.engine.requests import Selection, StatusRequest
from nyl.engine.results import EnvironmentReport, Leaving, LeavingEffect, Report, ReportKind, UnitReport, UnitState
from nyl.engine.states import States
from nyl.engine.survey import Survey, Surveyor
from nyl.engine.verdicts import condition_warnings, status_verdict
from nyl.engine.workspace import Workspace
from nyl.state.lease import is_live
from nyl.state.snapshot import StateSnapshot


@dataclass(frozen=True)
class _Runs:
    """The run refs of an environment: units that live runs execute, and runs that left something."""

    running: Mapping[str, str]
    left: tuple[str, ...]


def status(workspace: Workspace, request: StatusRequest, listener: Listener) -> Report:
    """The status of the selected environments, or of all."""
    listener(Step(None, "reading state"))
    chosen = request.selection
    if chosen.is_empty:
        chosen = Selection(names=tuple(sorted(workspace.worktree.environments)))
    invocation = open_invocation(workspace, chosen, SourceChoice())
    surveyor = Surveyor(workspace, States(workspace), evaluates_fingerprints=False)
    sections = tuple(_section(invocation, surveyor, name, request.revision) for name in invocation.order)
    return Report(ReportKind.STATUS, sections)


def _section(invocation: Invocation, surveyor: Surveyor, name: str, revision: str | None) -> EnvironmentReport:
    try:
        prepared = invocation.prepare(name)
        snapshot = surveyor.states.store(prepared.environment).read_at(revision) if revision else None
        foreign = ForeignProducers(surveyor.states, invocation.workspace.worktree.environments, {})
        survey = surveyor.survey(prepared, foreign, snapshot)
    except NylError as error:
        return EnvironmentReport.failed(name, error)
    return _report(survey, _runs(survey.snapshot, invocation.workspace.clock.now()))


def _runs(snapshot: StateSnapshot, now: Instant) -> _Runs:
    dead, broken = dead_runs(snapshot, now), {each.run for each in breaks_of(snapshot.lease)}
    live = {run: ref for run, ref in snapshot.runs.items() if run not in broken and is_live(ref.record, now)}
    running = {unit: run for run, ref in live.items() for unit in ref.record.executing}
    return _Runs(running, tuple(sorted(dead.keys() | broken)))


def _report(survey: Survey, runs: _Runs) -> EnvironmentReport:
    prepared, name = survey.prepared, survey.prepared.name
    units = tuple(
        status_verdict(prepared.units[unit], survey.resolutions[unit], survey.ledger, runs.running)
        for unit in prepared.order
    )
    left = tuple(_leaving_unit(survey, each) for each in survey.leaving)
    warnings = [leaving_warning(name, survey.leaving)] if survey.leaving else []
    warnings += [_unimported(name, run) for run in runs.left]
    record = survey.snapshot.environment_record
    return EnvironmentReport(
        name,
        (*units, *left),
        source=record.source_commit if record else prepared.source.commit,
        desired=survey.snapshot.desired_commit,
        observed=survey.snapshot.observed_commit,
        leaving=survey.leaving,
        diagnostics=(
            *warnings,
            *survey.ledger.takeover.warnings,
            *condition_warnings(name, units),
            *survey.errors(None),
        ),
        exit_hints=(Exit.WAITING,) if runs.left else (),
    )


def _leaving_unit(survey: Survey, leaving: Leaving) -> UnitReport:
    document = survey.snapshot.desired[leaving.unit]
    observed = survey.snapshot.observed.get(leaving.unit)
    receipt = observed.receipt if observed else None
    effect = "its resources would be kept" if leaving.effect is not LeavingEffect.TEARDOWN else "it would be torn down"
    return UnitReport(
        leaving.unit,
        document.unit.kind,
        UnitState.PENDING_TEARDOWN,
        detail=f"left the ownership set ({leaving.why}); {effect}",
        receipt="none" if receipt is None else "current",
        run=receipt.run if receipt else None,
    )


def _unimported(environment: str, run: str) -> Diagnostic:
    return Diagnostic(
        Code.RUN_UNIMPORTED,
        f"run {run} of {environment} ended and its results are not imported yet",
        f"make sure its runner is gone, then import it with the next `nyl reconcile -e {environment}`, "
        f"or with `nyl recover -e {environment}`, which executes nothing",
        Severity.WARNING,
        environment=environment,
    )
