"""What a hold makes of a desired document, and what lifting it makes of it. Pure; for operators and runs alike.

Follows the section Holds of the page Deletion and holds.
"""

from collections.abc import Mapping
from dataclasses import replace

from nyl.core.dataclass import dataclass
from nyl.engine.repairs import repair_of, told
from nyl.state.documents import DesiredUnit, InputRecord, ObservedUnit, UnitIdentity
from nyl.state.lifecycles import DeletionReason, Hold, LifecycleState, PendingChange

_UNDECLARED = ("unknown", "Unknown")


@dataclass(frozen=True)
class Declared:
    """What is known of a unit without an incarnation: its kind where it is declared, and where that was read."""

    source_commit: str
    kinds: Mapping[str, tuple[str, str]]
    """Unit -> apiVersion and kind, of the units that are declared."""

    def kind_of(self, unit: str) -> tuple[str, str]:
        """The apiVersion and kind of a unit; words that say so where nobody declares it."""
        return self.kinds.get(unit, _UNDECLARED)


def held(document: DesiredUnit, hold: Hold) -> DesiredUnit:
    """The document of a unit that is held from now on: nothing else of it changes. A held one stays as it is."""
    if document.lifecycle is LifecycleState.HELD:
        return document
    fresh = replace(hold, before=document.lifecycle, pending=None)
    return replace(document, lifecycle=LifecycleState.HELD, hold=fresh)


def held_from_nothing(environment: str, unit: str, hold: Hold, declared: Declared) -> DesiredUnit:
    """The document of a held unit that has no incarnation, so that none is created."""
    api_version, kind = declared.kind_of(unit)
    return DesiredUnit(
        unit=UnitIdentity(environment, unit, None, api_version, kind),
        lifecycle=LifecycleState.HELD,
        source_commit=declared.source_commit,
        source_revision=declared.source_commit,
        spec={},
        resolved_spec={},
        execution_key="",
        inputs=InputRecord(),
        hold=replace(hold, before=LifecycleState.ACTIVE, pending=None),
    )


def held_without_incarnation(document: DesiredUnit, hold: Hold) -> DesiredUnit:
    """The last document of a unit whose incarnation is gone, held so that no run creates another one."""
    return replace(
        document,
        unit=replace(document.unit, uid=None),
        lifecycle=LifecycleState.HELD,
        deletion=None,
        hold=replace(hold, before=LifecycleState.ACTIVE, pending=None),
    )


def held_anyway(
    environment: str, unit: str, recorded: DesiredUnit | None, hold: Hold, declared: Declared
) -> DesiredUnit:
    """The document of a held unit, with an incarnation or without one."""
    return held(recorded, hold) if recorded is not None else held_from_nothing(environment, unit, hold, declared)


def resumed(document: DesiredUnit) -> DesiredUnit:
    """The document of a unit whose hold is lifted: it goes on where it was, or with the deletion that waited."""
    if document.lifecycle is not LifecycleState.HELD:
        return document
    return replace(document, lifecycle=_after_hold(document), hold=None)


def _after_hold(document: DesiredUnit) -> LifecycleState:
    if document.deletion is not None:
        return LifecycleState.DELETING
    before = document.hold.before if document.hold else LifecycleState.ACTIVE
    return before if before is LifecycleState.RETAINED else LifecycleState.ACTIVE


@dataclass(frozen=True)
class Wanted:
    """What source wants of a held unit now. `kind` is None when it is not in the ownership set.

    `key` is None where it is not known, because a producer has no current receipt or nothing was evaluated.
    """

    source_commit: str
    kind: tuple[str, str] | None
    key: str | None


def with_pending(document: DesiredUnit, wanted: Wanted) -> DesiredUnit:
    """A held document with the change that waits for its resume.

    The same change found at a later commit changes nothing, and a key that is not known leaves what was recorded.
    What waits for a unit without an incarnation is its creation.
    """
    hold = document.hold
    if document.lifecycle is not LifecycleState.HELD or hold is None:
        return document
    pending = _change(document, wanted, hold.pending) if document.unit.uid else _creation(wanted, hold.pending)
    return document if pending == hold.pending else replace(document, hold=replace(hold, pending=pending))


def _creation(wanted: Wanted, recorded: PendingChange | None) -> PendingChange | None:
    if wanted.kind is None:
        return None
    return recorded if wanted.key is None else _since(recorded, PendingChange(wanted.source_commit, wanted.key))


def _change(document: DesiredUnit, wanted: Wanted, recorded: PendingChange | None) -> PendingChange | None:
    deletion, key = None, wanted.key
    if wanted.kind is None:
        if document.deletion is not None or (document.hold and document.hold.before is LifecycleState.RETAINED):
            return None
        deletion, key = DeletionReason.OMISSION, None
    elif wanted.kind != (document.unit.api_version, document.unit.kind):
        deletion, key = DeletionReason.KIND_CHANGE, None
    elif key is None:
        return recorded if recorded and recorded.deletion is None else None
    elif key == document.execution_key:
        return None
    return _since(recorded, PendingChange(wanted.source_commit, key, deletion))


def _since(recorded: PendingChange | None, found: PendingChange) -> PendingChange:
    """The change that was found; where it is the recorded one, with the commit that it was first found at."""
    same = recorded and (recorded.execution_key, recorded.deletion) == (found.execution_key, found.deletion)
    return recorded if recorded and same else found


def held_detail(document: DesiredUnit | None, observed: ObservedUnit | None, obstacle: str = "") -> str:
    """What waits for the resume of a unit: a deletion, or what source would change and since which commit.

    How its work ended badly is told first, as a hold changes nothing about that, and a repair last, as what follows
    it waits for an approval.
    `obstacle` is what keeps the unit from being resolved, for one of which nothing else is known.
    """
    pending = document.hold.pending if document and document.hold else None
    condition, repair = observed.condition if observed else None, repair_of(observed)
    parts = [f"{condition.state}: {condition.reason}"] if condition else []
    if document is not None and document.deletion is not None:
        requested = document.deletion.requested
        by = f" that {requested.by} requested" if requested else ""
        parts.append(f"a teardown{by} waits")
    if pending is not None:
        parts.append(f"{_words(pending.deletion)} at {pending.source_commit}")
    if repair is not None:
        parts.append(told(repair))
    return "; ".join(parts) or obstacle


def _words(deletion: DeletionReason | None) -> str:
    if deletion is None:
        return "a change waits"
    return "a change of its kind waits" if deletion is DeletionReason.KIND_CHANGE else "a deletion waits"
