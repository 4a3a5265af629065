"""`nyl status`: how the units of environments stand. Runs nothing and writes nothing.

Follows the Recovery page for what it shows of runs that are alive or left something.
"""

from collections.abc import Mapping
from dataclasses import replace

from nyl.core.clock import Instant
from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Diagnostic, NylError, Severity
from nyl.core.exits import Exit
from nyl.engine.condition_warnings import condition_warnings
from nyl.engine.dead_runs import dead_runs
from nyl.engine.deletion_warnings import waiting_warnings
from nyl.engine.events import Step
from nyl.engine.foreign import ForeignProducers
from nyl.engine.invocation import Invocation, open_invocation
from nyl.engine.leaving import leaving_warning
from nyl.engine.requests import Selection, SourceChoice, StatusRequest
from nyl.engine.results import EnvironmentReport, Report, ReportKind, UnitReport
from nyl.engine.states import States
from nyl.engine.survey import Survey, Surveyor
from nyl.engine.verdicts import status_verdict
from nyl.engine.workspace import Workspace
from nyl.state.lease import dead_runs as ended_runs
from nyl.state.lease import unrecorded_breaks
from nyl.state.snapshot import StateSnapshot


@dataclass(frozen=True)
class _Runs:
    """The run refs of an environment: units that live runs work on, and runs that left something."""

    executing: Mapping[str, str]
    """Unit -> the run that executes it."""
    checkpointed: Mapping[str, str]
    """Unit -> the run that is done with it, and whose transition is still to come."""
    left: tuple[str, ...]

    @property
    def running(self) -> Mapping[str, str]:
        """All units that live runs work on."""
        return {**self.checkpointed, **self.executing}

    def told(self, unit: UnitReport) -> UnitReport:
        """A unit with what its live run recorded of it."""
        run = self.checkpointed.get(unit.unit)
        if run is None:
            return unit
        return replace(unit, detail=f"run {run} checkpointed its result, which is not in the state yet")


def status(workspace: Workspace, request: StatusRequest) -> Report:
    """The status of the selected environments, or of all."""
    workspace.listener(Step(None, "reading state"))
    chosen = request.selection
    if chosen.is_empty:
        chosen = Selection(names=tuple(sorted(workspace.worktree.environments)))
    invocation = open_invocation(workspace, chosen, SourceChoice())
    surveyor = Surveyor(workspace, States(workspace), evaluates_fingerprints=False, repairs=False)
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
    broken = {each.run for each in unrecorded_breaks(snapshot.lease, snapshot.runs)}
    dead = dead_runs(snapshot, now)
    ended = ended_runs(snapshot.lease, snapshot.runs, now)
    live = {run: ref for run, ref in snapshot.runs.items() if run not in ended}
    executing = {unit: run for run, ref in live.items() for unit in ref.record.executing}
    done = {unit: run for run, ref in live.items() for unit in ref.checkpoints if unit not in executing}
    return _Runs(executing, done, tuple(sorted(dead.keys() | broken)))


def _report(survey: Survey, runs: _Runs) -> EnvironmentReport:
    prepared, name, commit = survey.prepared, survey.prepared.name, survey.prepared.source.commit
    deleted = survey.deletions.states(runs.running, {each.unit: each for each in survey.leaving})
    units = tuple(
        deleted.get(unit)
        or status_verdict(prepared.units[unit], survey.resolutions[unit], survey.ledger, runs.running, commit)
        for unit in prepared.order
    )
    units += tuple(deleted[unit] for unit in sorted(deleted.keys() - prepared.units.keys()))
    units = tuple(runs.told(unit) for unit in units)
    warnings = [leaving_warning(name, survey.leaving)] if survey.leaving else []
    warnings += [_unimported(name, run) for run in runs.left]
    record = survey.snapshot.environment_record
    return EnvironmentReport(
        name,
        units,
        source=record.source_commit if record else prepared.source.commit,
        desired=survey.snapshot.desired_commit,
        observed=survey.snapshot.observed_commit,
        leaving=survey.leaving,
        diagnostics=(
            *warnings,
            *survey.ledger.takeover.warnings,
            *(each for each in waiting_warnings(name, survey.deletions) if each.unit not in runs.running),
            *condition_warnings(name, units),
            *survey.errors(None),
        ),
        exit_hints=(Exit.WAITING,) if runs.left else (),
        graph=prepared.graph,
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
