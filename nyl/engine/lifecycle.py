"""The transition table: what source and ownership set make of each recorded incarnation. Pure.

Follows the sections Leaving the ownership set, Retained tombstones, Kind changes and Holds of the page Deletion and
holds. What a teardown then does is decided in `teardown_decision`.
"""

from dataclasses import replace
from enum import Enum

from nyl.core.dataclass import dataclass
from nyl.engine.holds import held_without_incarnation
from nyl.engine.results import LeavingEffect
from nyl.state.documents import DesiredUnit
from nyl.state.lifecycles import (
    Deletion,
    DeletionIntent,
    DeletionReason,
    Hold,
    LifecycleState,
    TeardownProgress,
)

Kind = tuple[str, str]
"""apiVersion and kind."""

_RETURNABLE = (DeletionReason.OMISSION, DeletionReason.KIND_CHANGE)


class Change(Enum):
    """What became of an incarnation."""

    KEPT = "kept"
    LEFT = "left"
    """It left the ownership set and is deleted now."""
    KIND_CHANGED = "kind-changed"
    """Source gives another kind under its name, so it is deleted now."""
    RETURNED = "returned"
    """It was to be deleted and is wanted again."""
    ADOPTED = "adopted"
    """A tombstone that source declares again."""
    DROPPED = "dropped"
    """Its file goes, as there is no incarnation."""
    RELEASED = "released"
    """A tombstone that another kind replaces: its file goes and its resources stay."""


RETURNS = frozenset({Change.RETURNED, Change.ADOPTED})
"""Changes that no deletion work is needed for."""


@dataclass(frozen=True)
class Move:
    """What becomes of an incarnation, and its document afterwards: None for a file that goes."""

    change: Change
    document: DesiredUnit | None


def settle(document: DesiredUnit, owned: Kind | None, effect: LeavingEffect) -> Move:
    """One recorded unit against the ownership set. `owned` is the kind that source gives it there, None outside.

    `effect` is what the unit's deletion policy makes of it when it leaves.
    """
    same = owned == (document.unit.api_version, document.unit.kind)
    match document.lifecycle:
        case LifecycleState.ACTIVE:
            return _settle_active(document, owned, effect, same=same)
        case LifecycleState.DELETING:
            return _settle_deleting(document, same=same)
        case LifecycleState.RETAINED:
            return _settle_retained(document, owned, same=same)
        case LifecycleState.HELD:
            return Move(Change.KEPT, document)


def is_in_progress(document: DesiredUnit) -> bool:
    """Whether the driver's teardown was started."""
    return document.deletion is not None and document.deletion.teardown is TeardownProgress.IN_PROGRESS


def is_permitted(document: DesiredUnit) -> bool:
    """Whether a teardown needs no --allow-teardown any more: it was started, or an operator asked for it."""
    return is_in_progress(document) or (document.deletion is not None and document.deletion.requested is not None)


def in_progress(document: DesiredUnit) -> DesiredUnit:
    """A document whose teardown starts."""
    assert document.deletion is not None
    return replace(document, deletion=replace(document.deletion, teardown=TeardownProgress.IN_PROGRESS))


def tombstone(document: DesiredUnit) -> DesiredUnit:
    """A document that is kept because its resources stay."""
    return replace(document, lifecycle=LifecycleState.RETAINED, deletion=None)


def after_removal(document: DesiredUnit | None) -> DesiredUnit | None:
    """What is left of a document once its incarnation is gone: nothing, unless the unit is to be held afterwards."""
    deletion = document.deletion if document else None
    if document is None or deletion is None or deletion.requested is None or not deletion.hold:
        return None
    requested = deletion.requested
    return held_without_incarnation(document, Hold(requested.by, requested.at, requested.reason))


def _settle_active(document: DesiredUnit, owned: Kind | None, effect: LeavingEffect, *, same: bool) -> Move:
    if same or (owned is not None and document.unit.uid is None):
        return Move(Change.KEPT, document)
    if document.unit.uid is None:
        return Move(Change.DROPPED, None)
    reason = DeletionReason.OMISSION if owned is None else DeletionReason.KIND_CHANGE
    change = Change.LEFT if owned is None else Change.KIND_CHANGED
    return Move(change, deleting(document, reason, effect))


def deleting(document: DesiredUnit, reason: DeletionReason, effect: LeavingEffect) -> DesiredUnit:
    """A document whose deletion begins."""
    intent = DeletionIntent.TEARDOWN if effect is LeavingEffect.TEARDOWN else DeletionIntent.RETAIN
    return replace(document, lifecycle=LifecycleState.DELETING, deletion=Deletion(reason, intent), hold=None)


def active(document: DesiredUnit) -> DesiredUnit:
    """A document that is wanted again."""
    return replace(document, lifecycle=LifecycleState.ACTIVE, deletion=None, hold=None)


def _settle_deleting(document: DesiredUnit, *, same: bool) -> Move:
    deletion = document.deletion
    returnable = deletion is None or deletion.reason in _RETURNABLE
    if same and returnable and not is_permitted(document):
        return Move(Change.RETURNED, active(document))
    return Move(Change.KEPT, document)


def _settle_retained(document: DesiredUnit, owned: Kind | None, *, same: bool) -> Move:
    if same:
        return Move(Change.ADOPTED, active(document))
    if owned is not None:
        return Move(Change.RELEASED, None)
    return Move(Change.KEPT, document)
