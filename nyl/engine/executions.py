"""The executions of a run: units whose resolution says that they are ready."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Protocol

from nyl.core.dataclass import dataclass
from nyl.engine.audit import approval_of
from nyl.engine.ledger import Ledger
from nyl.engine.outcomes import Ended, RunOutcome, Started
from nyl.engine.preflight import CheckedUnit
from nyl.engine.recording import RunFacts, condition_checkpoint, desired_document, receipt_checkpoint
from nyl.engine.resolution import Resolver
from nyl.state.coordination_documents import Checkpoint
from nyl.state.documents import DesiredUnit
from nyl.units.driver import ReceiptFacts
from nyl.units.outcomes import Failed, Outcome, Succeeded, Uncertain


class Executor(Protocol):
    """Executes one unit in a slot of its own; called from as many threads as there are slots."""

    def __call__(
        self, unit: CheckedUnit, document: DesiredUnit, receipt: ReceiptFacts, approved_digest: str | None
    ) -> Outcome:
        """Brings the unit about, if what it changes has the approved digest. `receipt` is the last. Never raises."""


@dataclass(frozen=True)
class Executions:
    """What a resolver finds ready, executed. `only` None runs every ready unit."""

    facts: RunFacts
    units: Mapping[str, CheckedUnit]
    resolver: Resolver
    execute: Executor
    only: frozenset[str] | None = None
    stops_at_waits: bool = False
    """Whether nothing starts any more once a unit waits for an approval, as --fail-fast wants it."""

    @property
    def ledger(self) -> Ledger:
        """What is known of every unit at the moment."""
        return self.resolver.ledger

    def total(self, ended: Collection[str]) -> int:
        """How many units the environment has."""
        return len(self.units)

    def ready(self, ended: Collection[str]) -> list[str]:
        """The units that may run now, by name."""
        if self.stops_at_waits and self.resolver.awaiting(self.only):
            return []
        return [name for name in self.resolver.ready(self.only) if name not in ended]

    def begin(self, name: str) -> Started:
        """A unit with the desired document that its resolution gives it."""
        unit, resolution = self.units[name], self.resolver.resolutions[name]
        document = desired_document(self.facts, unit, resolution, self.ledger.desired_of(name))
        decision = resolution.decision
        digest = decision.approval.digest if decision.approval else None
        receipt = replace(self.ledger.facts_of(name), uid=document.unit.uid, drifted=decision.restores)
        return Started(
            self.facts.environment,
            unit,
            document,
            decision,
            lambda: self.execute(unit, document, receipt, digest),
        )

    def checkpoint(self, ended: Ended) -> Checkpoint:
        """A receipt, or a condition beside the previous receipt and its artifacts."""
        unit, document, outcome = ended.started.unit, ended.started.document, ended.outcome
        if isinstance(outcome, Succeeded):
            approval = approval_of(self.facts, ended.started.decision)
            return receipt_checkpoint(self.facts, unit, document, outcome, ended.began_at, ended.ended_at, approval)
        assert isinstance(outcome, Failed | Uncertain)
        before = self.ledger.results.get(unit.name)
        recorded = self.ledger.observed_of(unit.name)
        condition = condition_checkpoint(self.facts, document, outcome, recorded, ended.ended_at)
        return replace(condition, artifacts=before.artifacts) if before else condition

    def renew(self, names: Iterable[str]) -> None:
        """Resolves some units again, and what depends on them."""
        self.resolver.renew(names)


def resolve_again(resolver: Resolver, outcome: RunOutcome, ledger: Ledger) -> None:
    """Resolves over a newer reading of the state. Own results stay where their keys do; other units run again."""
    resolver.rebase(ledger)
    for name, ended in list(outcome.ended.items()):
        if not isinstance(ended.outcome, Succeeded):
            continue
        if resolver.resolutions[name].key != ended.started.document.execution_key:
            del outcome.ended[name]
