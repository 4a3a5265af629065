"""What an operator's teardown makes of recorded units, before any of them is torn down. Pure.

Follows the section Explicit teardown of the page Deletion and holds.
"""

from collections.abc import Mapping, Set
from dataclasses import replace

from nyl.core.dataclass import dataclass
from nyl.engine.lifecycle import Kind
from nyl.engine.results import LeavingEffect
from nyl.engine.teardown_decision import TeardownDecision, TeardownStanding
from nyl.state.documents import DesiredUnit
from nyl.state.lifecycles import (
    Deletion,
    DeletionIntent,
    DeletionReason,
    Hold,
    LifecycleState,
    TeardownRequested,
)

_OBSTACLES = (TeardownStanding.HAS_DEPENDENTS, TeardownStanding.UNREADY, TeardownStanding.BROKEN)
_QUEUES = (TeardownStanding.BEHIND, TeardownStanding.WAITING)


@dataclass(frozen=True)
class Wish:
    """What the operator asked for. `everything` decommissions the environment, and `hold` holds what is owned."""

    requested: TeardownRequested
    everything: bool = False
    hold: bool = False


def requested(document: DesiredUnit, wish: Wish, effect: LeavingEffect) -> DesiredUnit:
    """The document of a unit whose teardown was asked for; a held one keeps its hold, and has the request beside it.

    Who asks again changes nothing about who asked first, when and why, unless the hold afterwards is theirs.
    `effect` is what the unit's deletion policy makes of it; only a decommissioning heeds that.
    """
    if document.unit.uid is None:
        return _without_incarnation(document, wish)
    lifecycle = LifecycleState.HELD if document.lifecycle is LifecycleState.HELD else LifecycleState.DELETING
    return replace(document, lifecycle=lifecycle, deletion=_deletion(document, wish, effect))


def refused(decisions: Mapping[str, TeardownDecision]) -> frozenset[str]:
    """The units whose teardown cannot begin, and those that wait for them, of which no request is to be recorded.

    Otherwise one that an operator was refused would start by itself as soon as its obstacle is gone.
    """
    found = {name for name, each in decisions.items() if each.standing in _OBSTACLES}
    while True:
        waiting = {
            name for name, each in decisions.items() if each.standing in _QUEUES and found.intersection(each.others)
        }
        if waiting <= found:
            return frozenset(found)
        found |= waiting


def owned_kinds(recorded: Mapping[str, DesiredUnit]) -> dict[str, Kind]:
    """The ownership set with the kinds of its units, as far as recorded documents tell."""
    return {name: (each.unit.api_version, each.unit.kind) for name, each in recorded.items() if is_owned(each)}


def is_owned(document: DesiredUnit) -> bool:
    """Whether the ownership set holds a unit, as its document tells: not once it was left or kept as a tombstone."""
    hold, deletion = document.hold, document.deletion
    if document.lifecycle is LifecycleState.RETAINED or (hold and hold.before is LifecycleState.RETAINED):
        return False
    if hold is not None and hold.pending is not None and hold.pending.deletion is DeletionReason.OMISSION:
        return False
    return deletion is None or deletion.reason is DeletionReason.REPLACE or deletion.hold


def unknown_units(named: Set[str], recorded: Mapping[str, DesiredUnit]) -> tuple[str, ...]:
    """The named units that the state does not know, by name."""
    return tuple(sorted(named - recorded.keys()))


def _without_incarnation(document: DesiredUnit, wish: Wish) -> DesiredUnit:
    if not (wish.hold or wish.everything) or document.lifecycle is LifecycleState.HELD:
        return document
    asked = wish.requested
    return replace(document, lifecycle=LifecycleState.HELD, hold=Hold(asked.by, asked.at, asked.reason))


def _deletion(document: DesiredUnit, wish: Wish, effect: LeavingEffect) -> Deletion:
    known, owned = document.deletion, is_owned(document)
    kind_changed = known is not None and known.reason is DeletionReason.KIND_CHANGE
    hold = (wish.everything and (owned or kind_changed)) or wish.hold or (known is not None and known.hold)
    if known is not None and known.intent is DeletionIntent.TEARDOWN:
        before = None if hold and not known.hold else known.requested
        asked = replace(before or wish.requested, confirm_removed=_confirmed(wish.requested, known.requested))
        return replace(known, requested=asked, hold=hold)
    keeps = wish.everything and effect is not LeavingEffect.TEARDOWN
    intent = DeletionIntent.RETAIN if keeps else DeletionIntent.TEARDOWN
    return Deletion(_reason(wish, owned=owned), intent, requested=wish.requested, hold=hold)


def _confirmed(now: TeardownRequested, before: TeardownRequested | None) -> bool:
    """That somebody saw the removal stays true."""
    return now.confirm_removed or (before is not None and before.confirm_removed)


def _reason(wish: Wish, *, owned: bool) -> DeletionReason:
    if wish.everything:
        return DeletionReason.DECOMMISSION
    return DeletionReason.REPLACE if owned else DeletionReason.TEARDOWN
