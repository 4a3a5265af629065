"""What is known of every unit while a run works: the state it read, overlaid with its own results."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from nyl.engine.holds import Declared, held_anyway, held_without_incarnation
from nyl.engine.lifecycle import after_removal
from nyl.engine.takeover import Takeover
from nyl.state.coordination_documents import Checkpoint
from nyl.state.documents import Data, DesiredUnit, ObservedUnit, Provenance
from nyl.state.lifecycles import Hold, LifecycleState
from nyl.state.snapshot import StateSnapshot
from nyl.units.driver import ReceiptFacts
from nyl.units.outcomes import InspectOutcome

StoredArtifact = Callable[[StateSnapshot, str, str], Data]
"""The document of an artifact of a receipt that a snapshot holds, by unit and artifact name."""


@dataclass
class Ledger:
    """Grows with each result of the run. Documents of `snapshot` stay as they were read."""

    snapshot: StateSnapshot
    stored_artifact: StoredArtifact
    desired: dict[str, DesiredUnit] = field(default_factory=dict)
    """Desired documents that this run wrote or will write."""
    results: dict[str, Checkpoint] = field(default_factory=dict)
    """How executions of this run ended."""
    holds: dict[str, Hold] = field(default_factory=dict)
    """Holds that were sent to this run, or to dead ones that it takes over from."""
    takeover: Takeover = field(default_factory=Takeover)
    """What dead runs left."""
    dropped: set[str] = field(default_factory=set)
    """Units whose files go. One that is in `desired` too keeps that document: held, without an incarnation."""
    inspected: dict[str, InspectOutcome] = field(default_factory=dict)
    """What drivers told in this run of the effects of uncertain units."""
    replanned: dict[str, str] = field(default_factory=dict)
    """Digests of changes that drivers planned in this run, and that are not those that were approved."""

    def desired_of(self, unit: str) -> DesiredUnit | None:
        """The latest desired document of a unit."""
        known = self.desired.get(unit)
        if known is not None or unit in self.dropped:
            return known
        return self.snapshot.desired.get(unit)

    @property
    def recorded(self) -> Mapping[str, DesiredUnit]:
        """The latest desired documents of all units."""
        kept = {name: each for name, each in self.snapshot.desired.items() if name not in self.dropped}
        return {**kept, **self.desired}

    def take_back(self, units: Iterable[str], before: Mapping[str, DesiredUnit]) -> None:
        """Leaves the desired documents of units as they were `before`, or as the state has them."""
        for unit in units:
            self.desired.pop(unit, None)
            if unit in before:
                self.desired[unit] = before[unit]

    def drop(self, unit: str, kept: DesiredUnit | None = None) -> None:
        """The incarnation of a unit is gone, and its files with it, but for a desired document that is kept."""
        self.dropped.add(unit)
        self.desired.pop(unit, None)
        self.results.pop(unit, None)
        if kept is not None:
            self.desired[unit] = kept

    def remove(self, unit: str) -> None:
        """The same, with what the unit's deletion says is left: the held document of one that is not to come back."""
        self.drop(unit, after_removal(self.desired_of(unit)))

    def observed_of(self, unit: str) -> ObservedUnit | None:
        """The latest observed document of a unit."""
        checkpoint = self.results.get(unit)
        if checkpoint is not None and not checkpoint.removed:
            return checkpoint.observed
        return None if unit in self.dropped else self.snapshot.observed.get(unit)

    def is_held(self, unit: str) -> bool:
        """Whether a hold, recorded or sent to this run, freezes the unit."""
        document = self.snapshot.desired.get(unit)
        return unit in self.holds or (document is not None and document.lifecycle is LifecycleState.HELD)

    def write_holds(self, declared: Declared) -> None:
        """The holds that reached the run, on whatever it is that runs now: the run may have ended the unit before.

        A unit whose incarnation the run removed keeps its last document, held without an incarnation.
        """
        for unit, hold in self.holds.items():
            recorded, before = self.desired_of(unit), self.snapshot.desired.get(unit)
            if recorded is None and before is not None:
                self.desired[unit] = held_without_incarnation(before, hold)
            else:
                self.desired[unit] = held_anyway(self.snapshot.environment, unit, recorded, hold, declared)

    def settle(self, unit: str, key: str | None) -> None:
        """Goes on with what a dead run left of a unit, if it is not settled yet. `key` None: the unit has none."""
        settled = self.takeover.settle(unit, key, self.snapshot)
        if settled is None:
            return
        if settled.document is not None:
            self.desired[unit] = settled.document
        if settled.checkpoint is not None:
            self.results[unit] = settled.checkpoint
            if settled.checkpoint.removed:
                self.remove(unit)

    def settle_rest(self) -> None:
        """Goes on with everything that dead runs left of units that have no key."""
        for unit in self.takeover.pending:
            self.settle(unit, None)

    def artifact(self, unit: str, name: str) -> Data:
        """The document of an artifact of the latest receipt."""
        checkpoint = self.results.get(unit)
        if checkpoint is not None and name in checkpoint.artifacts:
            return checkpoint.artifacts[name]
        return self.stored_artifact(self.snapshot, unit, name)

    def facts_of(self, unit: str) -> ReceiptFacts:
        """What drivers are told of the latest receipt of a unit."""
        observed, recorded = self.observed_of(unit), self.desired_of(unit)
        uid = recorded.unit.uid if recorded else None
        if observed is None or observed.receipt is None:
            return ReceiptFacts(uid=uid)
        artifacts = {each: self.artifact(unit, each) for each in observed.receipt.artifacts}
        return ReceiptFacts(observed.receipt.outputs, artifacts, uid)

    def provenance_of(self, unit: str) -> Provenance | None:
        """Where the latest receipt of a unit comes from: this run, or the state that it read."""
        observed = self.observed_of(unit)
        if observed is None or observed.receipt is None or observed.unit.uid is None:
            return None
        from_run = observed.receipt.run if unit in self.results else None
        return Provenance(
            unit,
            observed.unit.uid,
            observed.receipt.execution_key,
            observed_commit=None if from_run else self.snapshot.observed_commit,
            run=from_run,
        )

    def overlay(self, snapshot: StateSnapshot) -> "Ledger":
        """The same results over a newer reading of the state."""
        return replace(self, snapshot=snapshot)


def written_documents(
    ledger: Ledger,
) -> tuple[Mapping[str, DesiredUnit | None], Mapping[str, ObservedUnit | None]]:
    """The documents that differ from the state that was read; None for those that go."""
    before, dropped = ledger.snapshot, ledger.dropped
    desired: dict[str, DesiredUnit | None] = {
        name: None for name in dropped if name in before.desired and name not in ledger.desired
    }
    desired |= {name: each for name, each in ledger.desired.items() if before.desired.get(name) != each}
    observed: dict[str, ObservedUnit | None] = {name: None for name in dropped if name in before.observed}
    results = {name: each.observed for name, each in ledger.results.items() if not each.removed}
    observed |= {name: each for name, each in results.items() if before.observed.get(name) != each}
    return desired, observed
