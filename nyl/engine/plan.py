"""`nyl plan`: what a reconcile would do. Reads, writes nothing, takes no lease."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace

from nyl.core.diagnostics import Diagnostic, NylError
from nyl.core.exits import Exit
from nyl.engine.decision import Standing
from nyl.engine.deletion_plans import planned_deletions, planned_rest
from nyl.engine.events import Step
from nyl.engine.explanation import OUTSIDE, explain
from nyl.engine.foreign import ForeignProducers, Preceding
from nyl.engine.invocation import Invocation, open_invocation
from nyl.engine.leaving import leaving_warning
from nyl.engine.native_plans import NativePlans, native_plans, plannable_executions, plannable_teardowns
from nyl.engine.recorded_units import RecordedUnits
from nyl.engine.requests import PlanRequest
from nyl.engine.results import Action, EnvironmentReport, Report, ReportKind, UnitReport
from nyl.engine.selection import check_unit_names, units_by_environment
from nyl.engine.states import States
from nyl.engine.survey import Survey, Surveyor
from nyl.engine.verdicts import plan_verdict
from nyl.engine.workspace import Workspace

_WAITS = frozenset({Action.BLOCKED, Action.HELD, Action.AWAIT_APPROVAL, Action.TEARDOWN})
_RUNS = frozenset({Action.EXECUTE, Action.AWAIT_APPROVAL})
_Names = Mapping[str, frozenset[str]]


@dataclass
class _Planning:
    invocation: Invocation
    surveyor: Surveyor
    request: PlanRequest
    named: _Names | None
    explained: _Names | None
    preceding: dict[str, Preceding] = field(default_factory=dict)

    def section(self, name: str) -> EnvironmentReport:
        """Plans one environment. What it fails with becomes its report."""
        try:
            survey = self._survey(name)
        except NylError as error:
            self.preceding[name] = Preceding.failed(name, error)
            return EnvironmentReport.failed(name, error)
        self.preceding[name] = Preceding(_obstacles(name, survey))
        return self._report(name, survey)

    def _survey(self, name: str) -> Survey:
        prepared = self.invocation.prepare(name)
        if self.named is not None:
            check_unit_names(name, self.named[name], prepared.units)
        environments = self.invocation.workspace.worktree.environments
        survey = self.surveyor.survey(prepared, ForeignProducers(self.surveyor.states, environments, self.preceding))
        if self.explained is not None:
            check_unit_names(name, self.explained[name], prepared.units.keys() | survey.snapshot.desired.keys())
        return survey

    def _report(self, name: str, survey: Survey) -> EnvironmentReport:
        prepared, commit = survey.prepared, survey.prepared.source.commit
        only = self.named[name] if self.named is not None else None
        units = tuple(
            plan_verdict(prepared.units[unit], survey.resolutions[unit], survey.ledger, commit)
            for unit in prepared.order
            if only is None or unit in only
        )
        leaving = survey.leaving if only is None else ()
        if only is None:
            deleted = planned_deletions(survey.deletions, {each.unit: each for each in leaving})
            rest = (*(each for each in units if each.unit not in deleted), *planned_rest(survey.deletions).values())
            units = (*deleted.values(), *rest)
        plans = self._native_plans(survey, units)
        units = tuple(plans.shown(each) for each in units)
        return EnvironmentReport(
            name,
            tuple(self._explained(survey, each) for each in units),
            source=prepared.source.commit,
            desired=survey.snapshot.desired_commit,
            observed=survey.snapshot.observed_commit,
            leaving=leaving,
            diagnostics=(
                *prepared.notices,
                *self._leaving_diagnostics(name, survey, only),
                *survey.errors(only),
                *plans.diagnostics,
            ),
            exit_hints=self._exits(units),
            tree=self.invocation.workspace.objects.resolve(commit, "^{tree}"),
            graph=prepared.graph,
        )

    def _native_plans(self, survey: Survey, units: tuple[UnitReport, ...]) -> NativePlans:
        name, workspace = survey.prepared.name, self.invocation.workspace
        repository = self.surveyor.states.store(survey.prepared.environment).access.repository
        leaving = plannable_teardowns(RecordedUnits(workspace, name, repository), survey.deletions, units)
        wanted = {**plannable_executions(survey, units), **leaving}
        return native_plans(workspace, name, wanted, self.request.concurrency, self.invocation.sources)

    def _leaving_diagnostics(self, name: str, survey: Survey, only: frozenset[str] | None) -> tuple[Diagnostic, ...]:
        if not survey.leaving or only is not None:
            return ()
        return (leaving_warning(name, survey.leaving),)

    def _exits(self, units: tuple[UnitReport, ...]) -> tuple[Exit, ...]:
        counted = _WAITS | {Action.EXECUTE} if self.request.detailed_exitcode else _WAITS
        return (Exit.WAITING,) if any(each.verdict in counted for each in units) else ()

    def _explained(self, survey: Survey, unit: UnitReport) -> UnitReport:
        name, checked = survey.prepared.name, survey.prepared.units.get(unit.unit)
        named = self.explained is not None and unit.unit in self.explained[name]
        if not named and not (self.request.explains_all and _has_changed(survey, unit)):
            return unit
        if checked is None:
            return replace(unit, explanation=OUTSIDE)
        return replace(unit, explanation=explain(checked, survey.resolutions[unit.unit], survey.ledger))


def _has_changed(survey: Survey, unit: UnitReport) -> bool:
    """Whether a unit would run although it has a receipt already, so that there is something to compare."""
    observed = survey.ledger.observed_of(unit.unit)
    return unit.verdict in _RUNS and observed is not None and observed.receipt is not None


def plan(workspace: Workspace, request: PlanRequest) -> Report:
    """Plans every selected environment, producers first.

    A consumer of a unit that an earlier plan would change waits, since planning reads current receipts and no preview.
    """
    workspace.listener(Step(None, "planning"))
    invocation = open_invocation(workspace, request.selection, request.source)
    planning = _Planning(
        invocation,
        Surveyor(
            workspace,
            States(workspace),
            evaluates_fingerprints=True,
            allows_teardown=True,
            concurrency=request.concurrency,
        ),
        request,
        units_by_environment(request.units, invocation.order),
        units_by_environment(request.explain, invocation.order),
    )
    with closing(invocation.sources):
        sections = tuple(planning.section(name) for name in invocation.order)
    if request.fail_on_leaving:
        sections = tuple(_failing_on_leaving(each) for each in sections)
    return Report(ReportKind.PLAN, sections)


def _failing_on_leaving(section: EnvironmentReport) -> EnvironmentReport:
    return replace(section, exit_hints=(*section.exit_hints, Exit.ERROR)) if section.leaving else section


def _obstacles(name: str, survey: Survey) -> dict[str, str]:
    found = {}
    for unit, resolution in survey.resolutions.items():
        reason = f": {resolution.decision.reason}" if resolution.decision.reason else ""
        if resolution.standing is Standing.READY:
            found[unit] = f"{name}/{unit} would change{reason}"
        elif not resolution.decision.readable:
            found[unit] = f"{name}/{unit} is {resolution.standing.value}{reason}"
    return found
