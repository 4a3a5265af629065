"""`nyl plan --teardown --all`: what a decommissioning would do. Reads state alone and writes nothing."""

from dataclasses import replace

from nyl.core.diagnostics import NylError
from nyl.core.exits import Exit
from nyl.engine.dead_runs import inheriting_ledger
from nyl.engine.deletion_plans import planned_deletions
from nyl.engine.deletion_warnings import waiting_warnings
from nyl.engine.events import Step
from nyl.engine.lifecycle_work import LifecycleWork, previewing_parts
from nyl.engine.native_plans import native_plans, plannable_teardowns
from nyl.engine.outcomes import RunOutcome
from nyl.engine.recorded_units import RecordedUnits
from nyl.engine.recording import RunFacts
from nyl.engine.requests import Selection
from nyl.engine.results import Action, EnvironmentReport, Report, ReportKind
from nyl.engine.selection import select_environments
from nyl.engine.source_projects import SourceProjects
from nyl.engine.states import States
from nyl.engine.teardown_decision import behind_what_goes
from nyl.engine.teardown_permissions import Permissions
from nyl.engine.teardown_requests import Wish, owned_kinds, requested
from nyl.engine.workspace import Workspace
from nyl.project.resources import Environment
from nyl.state.lifecycles import TeardownRequested


def plan_teardown(workspace: Workspace, selection: Selection, concurrency: int | None = None) -> Report:
    """What `nyl teardown --all` would do in the selected environments, consumers first.

    As many drivers at once as `concurrency` says plan what they would remove; None takes the project's.
    """
    workspace.listener(Step(None, "planning"))
    project, states = workspace.worktree, States(workspace)
    selected = select_environments(project.environments, project.groups, selection)
    return Report(ReportKind.PLAN, tuple(_section(states, each, concurrency) for each in selected))


def _section(states: States, environment: Environment, concurrency: int | None) -> EnvironmentReport:
    try:
        return _preview(states, environment, concurrency)
    except NylError as error:
        return EnvironmentReport.failed(environment.name, error)


def _preview(states: States, environment: Environment, concurrency: int | None) -> EnvironmentReport:
    workspace, store, name = states.workspace, states.store(environment), environment.name
    snapshot, now = store.read(), workspace.clock.now()
    ledger = inheriting_ledger(store, snapshot, {}, now)
    parts = previewing_parts(states, name)
    record = snapshot.environment_record
    source = record.source_commit if record else None
    facts = RunFacts(name, "", source or "", source or "", snapshot.desired_commit)
    wish = Wish(TeardownRequested("`nyl teardown --all`", now, "decommission"), everything=True)
    lifecycle = LifecycleWork(facts, parts, Permissions(), owned_kinds(ledger.recorded))
    for unit, document in ledger.recorded.items():
        if document.unit.uid is not None:
            effect = parts.kinds.leaving_effect(replace(document, deletion=None))
            ledger.desired[unit] = requested(document, wish, effect)
    lifecycle.agenda(ledger).preview()
    deletions = lifecycle.deletions(ledger, RunOutcome())
    units = tuple(planned_deletions(deletions, {}).values())
    in_turn = behind_what_goes(deletions.record.decisions)
    waits = tuple(each for each in waiting_warnings(name, deletions) if each.unit not in in_turn)
    wanted = plannable_teardowns(RecordedUnits(workspace, name, store.access.repository), deletions, units)
    plans = native_plans(workspace, name, wanted, concurrency, SourceProjects(workspace))
    units = tuple(plans.shown(each) for each in units)
    return EnvironmentReport(
        name,
        units,
        source=source,
        desired=snapshot.desired_commit,
        observed=snapshot.observed_commit,
        diagnostics=(*waits, *plans.diagnostics),
        exit_hints=(Exit.WAITING,) if any(each.verdict is Action.HELD for each in units) else (),
    )
