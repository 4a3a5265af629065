"""The ownership set against everything recorded: the transition table applied to what a run knows of its units."""

from collections.abc import Mapping, Set
from dataclasses import field

from nyl.core.dataclass import dataclass
from nyl.engine.ledger import Ledger
from nyl.engine.lifecycle import RETURNS, Change, Kind, Move, settle
from nyl.engine.recorded_kinds import RecordedKinds
from nyl.engine.results import LeavingEffect
from nyl.state.documents import DesiredUnit, UnitIdentity
from nyl.state.lifecycles import LifecycleState


@dataclass(frozen=True)
class Settlement:
    """What became of the recorded units that changed their place, by name, and their documents before."""

    owned: Mapping[str, Kind]
    """The ownership set, with the kind that source gives each unit."""
    moves: Mapping[str, Move] = field(default_factory=dict)
    before: Mapping[str, DesiredUnit] = field(default_factory=dict)

    def having(self, change: Change) -> tuple[str, ...]:
        """The units that a change came to, by name."""
        return tuple(sorted(name for name, move in self.moves.items() if move.change is change))


def settle_units(ledger: Ledger, owned: Mapping[str, Kind], kinds: RecordedKinds, *, deletes: bool) -> Settlement:
    """Puts every recorded unit where the ownership set has it, in the ledger.

    Without `deletes` only those move that come back: to begin a deletion is lifecycle work.
    """
    moves: dict[str, Move] = {}
    before: dict[str, DesiredUnit] = {}
    for name, document in ledger.recorded.items():
        kind = owned.get(name)
        stays = kind == (document.unit.api_version, document.unit.kind)
        move = settle(document, kind, LeavingEffect.TEARDOWN if stays else kinds.leaving_effect(document))
        if move.change is Change.KEPT or not (deletes or move.change in RETURNS):
            continue
        moves[name], before[name] = move, document
        if move.document is None:
            ledger.drop(name)
        else:
            ledger.desired[name] = move.document
    return Settlement(owned, moves, before)


def take_back(ledger: Ledger, settlement: Settlement, kept: Set[str]) -> None:
    """Undoes what a settlement put into the ledger, so that it can be made over another reading of the state.

    `kept` are units whose documents say more by now, such as those of a teardown that started.
    """
    for name in settlement.moves.keys() - kept:
        ledger.dropped.discard(name)
        ledger.desired.pop(name, None)


def is_tombstone(document: DesiredUnit) -> bool:
    """Whether an incarnation is kept outside the ownership set, held or not."""
    held = document.hold is not None and document.hold.before is LifecycleState.RETAINED
    return document.lifecycle is LifecycleState.RETAINED or (held and document.deletion is None)


def is_outside(document: DesiredUnit, owned: Mapping[str, Kind]) -> bool:
    """Whether an incarnation is on its way out: deleted, or held while it would be."""
    if document.unit.uid is None or is_tombstone(document):
        return False
    if document.lifecycle is LifecycleState.HELD:
        unit = document.unit
        return document.deletion is not None or owned.get(unit.name) != (unit.api_version, unit.kind)
    return document.lifecycle is LifecycleState.DELETING


def citing_tombstones(unit: UnitIdentity, ledger: Ledger) -> tuple[str, ...]:
    """The retained units whose receipts cite an incarnation, by name."""

    def cites(name: str) -> bool:
        observed = ledger.observed_of(name)
        receipt = observed.receipt if observed else None
        cited = receipt.provenance.values() if receipt else ()
        wanted = (unit.environment, unit.name, unit.uid)
        return any((each.environment or unit.environment, each.unit, each.uid) == wanted for each in cited)

    return tuple(sorted(name for name, each in ledger.recorded.items() if is_tombstone(each) and cites(name)))
