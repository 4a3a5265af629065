"""What units would change, as their drivers plan it: `nyl plan` asks them in slots, and takes no lease for it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Diagnostic, NylError, Severity
from nyl.engine.deletion_verdicts import Deletions
from nyl.engine.equipment import Equipment
from nyl.engine.events import Step
from nyl.engine.lifecycle import is_in_progress
from nyl.engine.preflight import CheckedUnit
from nyl.engine.recorded_units import RecordedUnit, RecordedUnits
from nyl.engine.repairs import repair_of
from nyl.engine.resolution import Resolution
from nyl.engine.results import Action, UnitReport
from nyl.engine.slots import Workplace, slot_pool, workplace
from nyl.engine.source_projects import SourceProjects
from nyl.engine.survey import Survey
from nyl.engine.teardown_decision import TeardownStanding
from nyl.engine.workspace import Workspace
from nyl.state.documents import DesiredUnit, ObservedUnit
from nyl.units.driver import Capability, ReceiptFacts
from nyl.units.outcomes import Failed, FailureCategory, Planned, PlanOutcome

if TYPE_CHECKING:  # a plan of nothing needs none of them
    from nyl.engine.executor import UnitExecutor
    from nyl.units.context import UnitContext

_EXECUTES = (Action.EXECUTE, Action.AWAIT_APPROVAL)
_TEARS_DOWN = (
    TeardownStanding.READY,
    TeardownStanding.UNAPPROVED,
    TeardownStanding.UNREADY,
    TeardownStanding.BEHIND,
)
"""Teardowns that a reconcile with --allow-teardown carries out, as far as they are approved and accepted."""


@dataclass(frozen=True)
class Plannable:
    """An execution or a teardown that a unit's driver can plan, in a slot that holds its files."""

    unit: CheckedUnit
    place: Workplace
    plan: "Callable[[UnitContext], PlanOutcome]"


@dataclass(frozen=True)
class NativePlans:
    """What the drivers of one environment planned, by unit."""

    environment: str
    outcomes: Mapping[str, PlanOutcome] = field(default_factory=dict)
    warnings: tuple[Diagnostic, ...] = ()
    """What drivers warned of."""

    def shown(self, unit: UnitReport) -> UnitReport:
        """The unit's section with its change, or with why that is not known."""
        outcome = self.outcomes.get(unit.unit)
        if outcome is None:
            return unit
        if isinstance(outcome, Planned):
            return replace(unit, changes=outcome.text, change_digest=outcome.digest)
        return replace(unit, detail="; ".join(each for each in (unit.detail, _unplanned(outcome)) if each))

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """NYL-PLAN-FAILED for each unit whose change is not known; a warning where only credentials are missing."""
        failed = [(name, each) for name, each in sorted(self.outcomes.items()) if isinstance(each, Failed)]
        return (*self.warnings, *(_failure(self.environment, name, each) for name, each in failed))


def plannable_executions(survey: Survey, units: Iterable[UnitReport]) -> dict[str, Plannable]:
    """Those of the shown units that would execute or wait for an approval, and whose drivers plan."""
    prepared, found = survey.prepared, dict[str, Plannable]()
    for name in [each.unit for each in units if each.verdict in _EXECUTES]:
        unit, resolution = prepared.units[name], survey.resolutions[name]
        spec = resolution.resolved_spec
        if spec is not None and Capability.PLAN in unit.driver.capabilities(spec):
            place = workplace(prepared.contents[name], prepared.inputs[name])
            receipt = replace(survey.ledger.facts_of(name), drifted=resolution.decision.restores)
            found[name] = _execution(prepared.name, unit, place, resolution, receipt)
    return found


def plannable_teardowns(
    recorded: RecordedUnits, deletions: Deletions, units: Iterable[UnitReport]
) -> dict[str, Plannable | Failed]:
    """Those of the shown units that a reconcile would tear down and whose drivers plan that, as they are recorded.

    One that was begun goes on as it is, unless it was repaired. A unit whose files cannot be had any more fails.
    """
    wanted = [
        document
        for each in units
        if each.verdict is Action.TEARDOWN
        for document in (deletions.record.documents[each.unit],)
        if deletions.record.decisions[each.unit].standing in _TEARS_DOWN
        and _plans(recorded.workspace, document, deletions.ledger.observed_of(each.unit))
    ]
    return {name: _teardown(each, deletions) for name, each in recorded.read(wanted).items()}


def native_plans(
    workspace: Workspace,
    environment: str,
    wanted: Mapping[str, Plannable | Failed],
    concurrency: int | None,
    sources: SourceProjects,
) -> NativePlans:
    """What the drivers of an environment plan, `concurrency` at a time. Without any unit nothing is started.

    Raises NYL-RUN-CANCELLED.
    """
    asked = {name: each for name, each in wanted.items() if isinstance(each, Plannable)}
    failed = {name: each for name, each in wanted.items() if isinstance(each, Failed)}
    if not asked:
        return NativePlans(environment, failed)
    from concurrent.futures import ThreadPoolExecutor

    from nyl.engine.executor import UnitExecutor

    most = min(len(asked), concurrency or workspace.config.orchestration.concurrency)
    with slot_pool(most, workspace.environ) as slots, ThreadPoolExecutor(most) as pool:
        equipment = Equipment.of(workspace, sources)
        executor = UnitExecutor(environment, slots, lambda name: asked[name].place, equipment)
        futures = [(name, pool.submit(_ask, workspace, executor, each)) for name, each in sorted(asked.items())]
        try:
            outcomes = {name: each.result() for name, each in futures}
        except BaseException:  # such as a KeyboardInterrupt: what still runs ends, before the slots go
            if not workspace.cancelled():
                workspace.cancellation.cancel()
            raise
    if workspace.cancelled():
        raise _cancelled(environment)
    return NativePlans(environment, {**outcomes, **failed}, tuple(executor.warnings))


def _execution(
    environment: str, unit: CheckedUnit, place: Workplace, resolution: Resolution, receipt: ReceiptFacts
) -> Plannable:
    spec, inputs = resolution.resolved_spec or {}, resolution.inputs

    def ask(context: "UnitContext") -> PlanOutcome:
        from nyl.units.execution import plan

        context.fingerprint = inputs.fingerprint if inputs else None
        return plan(unit.driver, unit.resolved(environment, spec), context, receipt)

    return Plannable(unit, place, ask)


def _teardown(recorded: RecordedUnit | NylError, deletions: Deletions) -> Plannable | Failed:
    if isinstance(recorded, NylError):
        return Failed(FailureCategory.START, True, recorded.diagnostic.message.rstrip("."))
    unit, document = recorded.unit, recorded.document
    receipt = deletions.ledger.facts_of(unit.name)

    def ask(context: "UnitContext") -> PlanOutcome:
        from nyl.units.execution import plan_teardown

        resolved = unit.resolved(document.unit.environment, document.resolved_spec)
        return plan_teardown(unit.driver, resolved, context, receipt)

    return Plannable(unit, recorded.place, ask)


def _plans(workspace: Workspace, document: DesiredUnit, observed: ObservedUnit | None) -> bool:
    driver = workspace.recorded_driver(document.unit)
    plans = driver is not None and Capability.PLAN in driver.capabilities(document.resolved_spec)
    return plans and (repair_of(observed) is not None or not is_in_progress(document))


def _ask(workspace: Workspace, executor: "UnitExecutor", change: Plannable) -> PlanOutcome:
    if workspace.cancelled():
        return Failed(FailureCategory.START, True, "the plan was cancelled")
    workspace.listener(Step(executor.environment, f"planning {change.unit.name}"))
    return executor.work(change.unit, change.place, change.plan)


def _unplanned(failed: Failed) -> str:
    return f"its change is not known: {failed.message}"


def _failure(environment: str, unit: str, failed: Failed) -> Diagnostic:
    if failed.category is FailureCategory.CREDENTIALS:
        return Diagnostic(
            Code.PLAN_FAILED,
            f"unit {unit} cannot be planned here: {failed.message}",
            "plan where its variables and secrets are to see what it would change",
            Severity.WARNING,
            environment,
            unit,
        )
    return Diagnostic(
        Code.PLAN_FAILED,
        f"what unit {unit} would change could not be planned: {failed.message}",
        f"correct that and run `nyl plan -e {environment}` again; nothing was executed",
        Severity.ERROR,
        environment,
        unit,
    )


def _cancelled(environment: str) -> NylError:
    return NylError(
        Code.RUN_CANCELLED,
        f"The plan of {environment} was cancelled.",
        f"run `nyl plan -e {environment}` again",
        environment=environment,
    )
