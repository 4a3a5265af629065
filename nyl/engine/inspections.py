"""The inspections of a run: uncertain units whose drivers can tell whether their effects are there.

Follows the recovery policy `inspect` of the Recovery page. A driver is asked about the execution that became uncertain,
so about the recorded document. What it tells is in the ledger then, and resolution goes on from that.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from nyl.core.diagnostics import NylError
from nyl.engine.agenda import Agenda
from nyl.engine.decision import Standing
from nyl.engine.executor import UnitExecutor
from nyl.engine.ledger import Ledger
from nyl.engine.outcomes import Ended, RunOutcome, Started
from nyl.engine.preflight import CheckedUnit
from nyl.engine.recorded_units import RecordedUnit
from nyl.engine.recording import RunFacts, receipt_checkpoint
from nyl.engine.repairs import repair_of
from nyl.engine.resolution import Resolver
from nyl.state.coordination_documents import Checkpoint
from nyl.state.documents import DesiredUnit
from nyl.units.driver import ReceiptFacts
from nyl.units.outcomes import Failed, InspectOutcome, NotApplied, Succeeded, Unknown

ReadRecorded = Callable[[Sequence[DesiredUnit]], Mapping[str, RecordedUnit | NylError]]
"""Recorded units with their files, or why there is no working on one."""

InspectUnit = Callable[[RecordedUnit, ReceiptFacts], InspectOutcome]
"""Asks the driver of a recorded unit, in a slot of its own. Never raises."""


@dataclass
class Inspections:
    """What a resolver finds to be inspected. `only` None inspects every such unit."""

    units: Mapping[str, CheckedUnit]
    facts: RunFacts
    resolver: Resolver
    read: ReadRecorded
    inspect: InspectUnit
    only: frozenset[str] | None = None
    _read: dict[str, RecordedUnit | NylError] = field(default_factory=dict)

    @property
    def ledger(self) -> Ledger:
        """What is known of every unit at the moment."""
        return self.resolver.ledger

    def total(self, ended: Collection[str]) -> int:
        """How many units the environment has."""
        return len(self.units)

    def ready(self, ended: Collection[str]) -> list[str]:
        """The units whose drivers can be asked now, by name."""
        names = [name for name in self.resolver.inspectable(self.only) if name not in ended]
        documents = {name: self.ledger.desired_of(name) for name in names}
        unread = [each for name, each in documents.items() if each is not None and name not in self._read]
        if unread:
            self._read |= self.read(unread)
        return [name for name, each in documents.items() if each is not None]

    def begin(self, name: str) -> Started:
        """An inspection with the recorded document, which is what a crash would leave uncertain again."""
        found, decision = self._read[name], self.resolver.resolutions[name].decision
        environment, document = self.facts.environment, self.ledger.desired_of(name)
        assert document is not None
        if isinstance(found, NylError):
            unreadable = Unknown(found.diagnostic.message)
            return Started(environment, self.units[name], document, decision, lambda: unreadable)
        receipt = self.ledger.facts_of(name)
        return Started(environment, found.unit, document, decision, lambda: self.inspect(found, receipt))

    def checkpoint(self, ended: Ended) -> Checkpoint:
        """The receipt of effects that are there, beside a repair that came after them; else the condition as it was."""
        outcome, name, document = ended.outcome, ended.unit, ended.started.document
        known = self.ledger.observed_of(name)
        assert isinstance(outcome, Succeeded | NotApplied | Unknown)
        self.ledger.inspected[name] = outcome
        if isinstance(outcome, Succeeded):
            unit, approval = ended.started.unit, self.ledger.takeover.approvals.get(name)
            made = receipt_checkpoint(self.facts, unit, document, outcome, ended.began_at, ended.ended_at, approval)
            return replace(made, observed=replace(made.observed, repair=repair_of(known)))
        assert known is not None
        return Checkpoint(known)

    def renew(self, names: Iterable[str]) -> None:
        """Resolves some units again, and what depends on them."""
        self.resolver.renew(names)


def set_aside(outcome: RunOutcome, resolver: Resolver) -> None:
    """Takes inspections out of what a run did that settled nothing, or after which the unit runs for its new inputs.

    What becomes of those units is up to their resolutions.
    """
    for name, ended in list(outcome.ended.items()):
        if not ended.started.decision.inspecting:
            continue
        if not isinstance(ended.outcome, Succeeded) or resolver.resolutions[name].standing is not Standing.CURRENT:
            del outcome.ended[name]


def alternating(inspections: Inspections, executions: Agenda) -> Iterator[Agenda]:
    """Inspections, then executions, and again while executions leave more to be inspected."""
    seen: list[str] = []
    while True:
        yield inspections
        yield executions
        left = inspections.resolver.inspectable(inspections.only)
        if left in ([], seen):
            return
        seen = left


def inspect_in(executor: "Callable[[], UnitExecutor]", environment: str) -> InspectUnit:
    """Inspections that work in the slots of a run. The executor is made when the first one starts."""

    def carry_out(recorded: RecordedUnit, receipt: ReceiptFacts) -> InspectOutcome:
        from nyl.units.execution import inspect

        unit = recorded.unit.resolved(environment, recorded.document.resolved_spec)
        answer = executor().work(
            recorded.unit, recorded.place, lambda context: inspect(recorded.unit.driver, unit, context, receipt)
        )
        return Unknown(answer.message) if isinstance(answer, Failed) else answer

    return carry_out
