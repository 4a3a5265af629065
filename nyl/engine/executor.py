"""Letting a driver act on one unit of a run: its slot's checkouts, its environment, its output, its outcome."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, TypeVar

from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Diagnostic, NylError
from nyl.engine.content import MAIN
from nyl.engine.equipment import Equipment
from nyl.engine.events import OutputEnded, UnitOutput
from nyl.engine.preflight import CheckedUnit
from nyl.engine.slots import SlotPool, Workplace
from nyl.state.documents import DesiredUnit
from nyl.units.admission import Admitted, admit, secret_keys
from nyl.units.driver import ReceiptFacts
from nyl.units.logs import UnitLogs
from nyl.units.outcomes import Failed, FailureCategory, Outcome

if TYPE_CHECKING:
    from nyl.units.context import UnitContext
    from nyl.units.transcript import Sink

_Answer = TypeVar("_Answer")


@dataclass(frozen=True)
class UnitExecutor:
    """Brings units about in the slots of one run."""

    environment: str
    slots: SlotPool
    workplace: Callable[[str], Workplace]
    equipment: Equipment
    logs: UnitLogs | None = None
    warnings: list[Diagnostic] = field(default_factory=list)
    """What drivers warned of, for the report."""

    def __call__(
        self, unit: CheckedUnit, document: DesiredUnit, receipt: ReceiptFacts, approved_digest: str | None
    ) -> Outcome:
        """Executes a unit that has a start record. Failures of its preparation have had no effect."""
        from nyl.units.execution import execute

        resolved = unit.resolved(self.environment, document.resolved_spec)
        place = self.workplace(unit.name)

        def act(context: "UnitContext") -> Outcome:
            context.receipt = receipt
            context.fingerprint = document.inputs.fingerprint
            context.execution_key = document.execution_key
            return execute(unit.driver, resolved, context)

        return self.work(unit, place, act, approved_digest)

    def work(
        self,
        unit: CheckedUnit,
        place: Workplace,
        act: "Callable[[UnitContext], _Answer]",
        approved_digest: str | None = None,
    ) -> "_Answer | Failed":
        """Lets a driver act on a unit in a slot that holds its files. A failed preparation has had no effect."""
        from nyl.units.context import private_folder

        rendered, workspace = unit.rendered, self.equipment.workspace
        keys = secret_keys(unit.driver, rendered.spec)
        admitted = admit(rendered.passthrough, rendered.secrets, workspace.environ, self.equipment.secrets, keys)
        missing = admitted.failure()
        if missing is not None:
            return missing
        with ExitStack() as stack:
            slot = stack.enter_context(self.slots.slot())
            try:
                checkouts = slot.prepare(place)
                temporary = stack.enter_context(private_folder())
                sink = self._sink(unit.name, stack)
            except (NylError, OSError) as error:
                return Failed(FailureCategory.START, True, f"its checkout could not be prepared: {error}")
            context = self._context(checkouts, temporary, admitted, sink)
            context.approved_digest = approved_digest
            context.roots = {name: _root(path, place.contents[name].folder) for name, path in checkouts.items()}
            context.revision = place.contents[MAIN].commit
            context.source = self.equipment.sources.at(context.revision)
            context.restore = lambda: slot.prepare(place)
            answer = act(context)
            self.warnings.extend(context.warnings)
            return answer

    def _context(
        self, checkouts: Mapping[str, Path], temporary: Path, admitted: Admitted, sink: "Sink"
    ) -> "UnitContext":
        from nyl.core.masking import Masker
        from nyl.units.context import UnitContext

        return UnitContext(
            checkout=checkouts[MAIN],
            checkouts={name: path for name, path in checkouts.items() if name != MAIN},
            temporary=temporary,
            variables=admitted.variables,
            secrets=admitted.secrets,
            masker=Masker(admitted.secret_values),
            sink=sink,
            cancellation=self.equipment.workspace.cancellation,
            shared=self.equipment.workspace.unit_cache_folder,
        )

    def _sink(self, unit: str, stack: ExitStack) -> "Sink":
        log = stack.enter_context(self.logs.sink(self.environment, unit)) if self.logs else None
        listener = self.equipment.workspace.listener
        stack.callback(listener, OutputEnded(self.environment, unit))

        def show(line: str) -> None:
            listener(UnitOutput(self.environment, unit, line))
            if log is not None:
                log(line)

        return show


def _root(folder: Path, below: str) -> Path:
    """The root of the checkout that a folder is in, `below` which it lies."""
    return folder.parents[len(PurePosixPath(below).parts) - 1] if below else folder
