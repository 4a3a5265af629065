"""`nyl exec`: a unit's own tool on the unit's recorded configuration, while the unit is held.

Follows the first paragraph of the Recovery page. The record of the repair is one transition, which gives the lease back
before the tool starts: from then on the hold keeps runs away from the unit.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING

from nyl.core import faults
from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Diagnostic, NylError
from nyl.core.tool_result import ToolResult
from nyl.engine.administration import state_of
from nyl.engine.commit_identity import commit_identity
from nyl.engine.dead_runs import imported_state
from nyl.engine.equipment import Equipment
from nyl.engine.events import Step
from nyl.engine.executor import UnitExecutor
from nyl.engine.operations import Actor, Change, Operation, named_units, operate, take
from nyl.engine.recorded_units import RecordedUnit, RecordedUnits
from nyl.engine.repairs import repaired, same_configuration, to_repair
from nyl.engine.results import EnvironmentReport, Report, ReportKind
from nyl.engine.slots import slot_pool
from nyl.engine.source_projects import SourceProjects
from nyl.engine.states import ledger_of
from nyl.engine.workspace import Workspace
from nyl.state.documents import DesiredUnit, Repair
from nyl.state.snapshot import StateSnapshot
from nyl.units.driver import ReceiptFacts
from nyl.units.outcomes import Failed

if TYPE_CHECKING:
    from nyl.units.context import UnitContext

OPERATION = "exec"


@dataclass(frozen=True)
class NativeRequest:
    """What is asked: the operation, the unit, and the arguments of its tool."""

    operation: Operation
    unit: str
    arguments: tuple[str, ...]
    reason: str = ""


@dataclass(frozen=True)
class _Ended:
    """How a tool ended, and what was wrong with that, as a sentence; '' where nothing was."""

    problem: str
    result: ToolResult | None = None
    """None for a tool that was not started."""
    cancelled: bool = False


@dataclass(frozen=True)
class _Worked:
    """The repair as it was recorded, and how the tool ended."""

    record: Report
    command: tuple[str, ...]
    ended: _Ended


def work_natively(workspace: Workspace, request: NativeRequest, write: Callable[[str], None]) -> Report:
    """Runs a unit's own tool; `write` takes what it prints on stdout, masked and as it comes.

    Nothing is recorded of a unit whose files or credentials cannot be had. Raises NYL-UNIT-UNKNOWN, NYL-EXEC-REFUSED,
    what reading recorded units raises, and what `operate` raises.
    """
    operation = request.operation
    identity = commit_identity(workspace, operation.author)
    (unit,) = named_units(operation.environment, (request.unit,))
    store = state_of(workspace, operation.environment)
    snapshot = imported_state(store, workspace.clock.now(), lambda: take(workspace, store, operation, identity))
    document = to_repair(snapshot, unit, lambda each: _runs_natively(workspace, each))
    recorded = RecordedUnits(workspace, operation.environment, store.access.repository).read((document,))[unit]
    if isinstance(recorded, NylError):
        raise recorded
    receipt = ledger_of(store, snapshot).facts_of(unit)

    def tell(text: str) -> None:
        workspace.listener(Step(operation.environment, text))

    def work(context: "UnitContext") -> _Worked:
        command = tuple(context.masker.mask(each) for each in request.arguments)
        record = operate(
            workspace, operation, _Recording(workspace, document, command, context.masker.mask(request.reason))
        )
        faults.point(f"after the record of a repair of {unit}")
        prepared = _Prepared(recorded, receipt, request.arguments)
        return _Worked(record, command, _run(prepared, context, write, tell))

    equipment = Equipment.of(workspace, SourceProjects(workspace, operation.author))
    with slot_pool(1, workspace.environ) as slots:
        executor = UnitExecutor(operation.environment, slots, lambda _: recorded.place, equipment)
        worked = executor.work(recorded.unit, recorded.place, work)
    return _report(request, unit, worked, tuple(executor.warnings))


@dataclass(frozen=True)
class _Prepared:
    """The unit whose tool is to start, what its receipt holds, and the arguments."""

    recorded: RecordedUnit
    receipt: ReceiptFacts
    arguments: tuple[str, ...]


def _run(
    prepared: _Prepared, context: "UnitContext", write: Callable[[str], None], tell: Callable[[str], None]
) -> _Ended:
    """Prepares the tool as the unit's driver does it, and runs it."""
    from nyl.units.execution import native
    from nyl.units.steps import interruption

    unit, document = prepared.recorded.unit, prepared.recorded.document
    resolved = unit.resolved(document.unit.environment, document.resolved_spec)
    tell(f"preparing the tool of {unit.name}")
    command = native(unit.driver, resolved, context, prepared.receipt, prepared.arguments)
    if isinstance(command, Failed):
        return _Ended(command.message, cancelled=context.cancellation.cancelled)
    program = PurePath(command.argv[0]).name
    tell(f"{program} works on {unit.name}")
    result = context.run_native(command, write)
    problem = interruption(program, result, resolved.timeout)
    if problem is None and result.exit_code != 0:
        problem = f"{program} ended with exit code {result.exit_code}"
    return _Ended(problem or "", result, result.cancelled)


@dataclass(frozen=True)
class _Recording:
    """Records the repair of a unit that is still as its tool was prepared for."""

    workspace: Workspace
    prepared: DesiredUnit
    command: tuple[str, ...]
    reason: str

    def __call__(self, snapshot: StateSnapshot, actor: Actor) -> Change:
        name = self.prepared.unit.name
        document = to_repair(snapshot, name, lambda each: _runs_natively(self.workspace, each))
        if not same_configuration(self.prepared, document):
            raise _changed_meanwhile(snapshot.environment, name)
        repair = Repair(str(actor.identity), actor.at, self.command, self.reason)
        told = {"result": "repaired", "command": list(self.command)}
        return Change(
            observed={name: repaired(document, snapshot.observed.get(name), repair)},
            count="1 repaired",
            summary={"units": {name: told | ({"reason": self.reason} if self.reason else {})}},
        )


def _runs_natively(workspace: Workspace, document: DesiredUnit) -> bool:
    from nyl.units.execution import runs_natively

    driver = workspace.kinds.driver(document.unit.api_version, document.unit.kind)
    return runs_natively(driver, document.resolved_spec)


def _report(request: NativeRequest, unit: str, worked: _Worked | Failed, warnings: tuple[Diagnostic, ...]) -> Report:
    environment = request.operation.environment
    if isinstance(worked, Failed):
        problem = _unprepared(environment, unit, worked)
        section = EnvironmentReport(environment, diagnostics=(*warnings, problem))
        return Report(ReportKind.OPERATION, (section,), operation=OPERATION)
    (recorded,) = worked.record.environments
    problems = _problems(environment, unit, worked.ended)
    section = replace(recorded, diagnostics=(*recorded.diagnostics, *warnings, *problems))
    details = {**worked.record.details, "unit": unit, "command": list(worked.command), **_ending(worked.ended.result)}
    return replace(worked.record, environments=(section,), details=details)


def _ending(result: ToolResult | None) -> dict[str, int]:
    told = {"exitCode": result.exit_code, "signal": result.signal} if result else {}
    return {name: value for name, value in told.items() if value is not None}


def _problems(environment: str, unit: str, ended: _Ended) -> tuple[Diagnostic, ...]:
    if not ended.problem:
        return ()
    return (
        Diagnostic(
            Code.RUN_CANCELLED if ended.cancelled else Code.EXEC_FAILED,
            f"the tool of unit {unit} did not end well: {ended.problem}",
            f"see what it did; the repair is recorded, and once `nyl resume -e {environment} --unit {unit}` lifted the "
            "hold, the unit executes with an approval of the change that results",
            environment=environment,
            unit=unit,
        ),
    )


def _unprepared(environment: str, unit: str, failed: Failed) -> Diagnostic:
    return Diagnostic(
        Code.EXEC_FAILED,
        f"the tool of unit {unit} was not started: {failed.message}",
        "correct that and run the command again; nothing was recorded",
        environment=environment,
        unit=unit,
    )


def _changed_meanwhile(environment: str, unit: str) -> NylError:
    return NylError(
        Code.EXEC_REFUSED,
        f"Unit {unit} of {environment} changed while its tool was prepared.",
        "run the command again",
        environment=environment,
        unit=unit,
    )
