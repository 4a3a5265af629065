"""The lifecycle of one run: the ownership set settled against what is recorded, then the deletions that follow."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from nyl.engine.authorization import Authorization
from nyl.engine.deletion_verdicts import Deletions
from nyl.engine.foreign_dependents import ForeignDependents
from nyl.engine.ledger import Ledger
from nyl.engine.lifecycle import Kind
from nyl.engine.outcomes import RunOutcome
from nyl.engine.preflight import CheckedUnit
from nyl.engine.recorded_kinds import RecordedKinds
from nyl.engine.recorded_units import RecordedUnit, RecordedUnits
from nyl.engine.recording import RunFacts
from nyl.engine.settlement import Settlement, is_outside, settle_units, take_back
from nyl.engine.states import States
from nyl.engine.teardown_decision import TeardownStanding
from nyl.engine.teardown_permissions import Permissions
from nyl.engine.teardown_record import TeardownRecord
from nyl.engine.teardowns import TeardownParts, Teardowns
from nyl.state.documents import DesiredUnit
from nyl.units.driver import ReceiptFacts, TeardownOrder
from nyl.units.outcomes import TeardownOutcome

if TYPE_CHECKING:
    from nyl.engine.executor import UnitExecutor


@dataclass
class LifecycleWork:
    """Keeps the deletions of a run together while the state under it may be read again.

    Without `deletes` units only come back: a run of named units does no lifecycle work.
    """

    facts: RunFacts
    parts: TeardownParts
    permissions: Permissions
    owned: Mapping[str, Kind]
    deletes: bool = True
    settlement: Settlement = field(default_factory=lambda: Settlement({}))
    record: TeardownRecord = field(default_factory=TeardownRecord)

    def settle(self, ledger: Ledger) -> None:
        """Puts every recorded unit where the ownership set has it."""
        self.settlement = settle_units(ledger, self.owned, self.parts.kinds, deletes=self.deletes)

    def settle_again(self, ledger: Ledger, outcome: RunOutcome) -> None:
        """The same over a newer reading of the state; units that the run started stay where they are."""
        kept = {*outcome.dispatched, *ledger.takeover.touched}
        take_back(ledger, self.settlement, kept)
        for name in {*self.record.released, *self.record.retained} - kept:
            ledger.dropped.discard(name)
            ledger.desired.pop(name, None)
        record = self.record
        self.record = TeardownRecord(allowed=record.allowed, incomplete=record.incomplete, confirmed=record.confirmed)
        self.settle(ledger)

    def approve(self, approved: Mapping[str, Authorization]) -> None:
        """Lets teardowns start that an invocation approves."""
        self.permissions = replace(self.permissions, approved=approved)

    def outside(self, ledger: Ledger) -> dict[str, DesiredUnit]:
        """The recorded units on their way out, which a run that deletes may tear down."""
        if not self.deletes:
            return {}
        return {name: each for name, each in ledger.recorded.items() if is_outside(each, self.owned)}

    def standing(self, standing: TeardownStanding) -> tuple[str, ...]:
        """The units whose deletion was decided on so."""
        return tuple(name for name, each in self.record.decisions.items() if each.standing is standing)

    def agenda(self, ledger: Ledger, only: frozenset[str] | None = None) -> Teardowns:
        """The deletions that are left to do."""
        return Teardowns(self.facts, ledger, self.owned, self.parts, self.permissions, only, self.record)

    def deletions(self, ledger: Ledger, outcome: RunOutcome) -> Deletions:
        """What they came to."""
        before = ledger.snapshot.observed
        return Deletions(ledger, self.settlement, self.record, outcome, before, self.facts.source_commit)


def kinds_of(units: Mapping[str, CheckedUnit]) -> dict[str, Kind]:
    """The ownership set with the kind of each unit."""
    return {name: (each.rendered.api_version, each.rendered.kind) for name, each in units.items()}


def teardown_parts(states: States, recorded: RecordedUnits, executor: "Callable[[], UnitExecutor]") -> TeardownParts:
    """Deletions that work in the slots of a run. The executor is made when the first teardown starts."""
    workspace = states.workspace
    foreign = ForeignDependents(states, recorded.environment, workspace.worktree.environments)
    kinds = RecordedKinds(workspace.recorded_driver)
    return TeardownParts(kinds, recorded.read, partial(_tear_down, executor), foreign)


def previewing_parts(states: States, environment: str) -> TeardownParts:
    """Deletions that are decided on and never carried out, as plan and status do."""
    workspace = states.workspace
    foreign = ForeignDependents(states, environment, workspace.worktree.environments)

    def carry_out(unit: RecordedUnit, document: DesiredUnit, *_: object) -> TeardownOutcome:
        raise AssertionError(f"a preview tears down {document.unit.name}")

    return TeardownParts(RecordedKinds(workspace.recorded_driver), lambda _: {}, carry_out, foreign)


def _tear_down(
    executor: "Callable[[], UnitExecutor]",
    recorded: RecordedUnit,
    document: DesiredUnit,
    receipt: ReceiptFacts,
    order: TeardownOrder,
    approved_digest: str | None,
) -> TeardownOutcome:
    from nyl.units.execution import tear_down

    unit = recorded.unit
    resolved = unit.resolved(document.unit.environment, document.resolved_spec)
    return executor().work(
        unit,
        recorded.place,
        lambda context: tear_down(unit.driver, resolved, context, receipt, order),
        approved_digest,
    )
