"""What source would change of held units: recorded on their files, and rewritten only when that changes. Pure.

Follows the section Holds of the page Deletion and holds.
"""

from dataclasses import replace

from nyl.engine.lifecycle import Kind
from nyl.state.documents import DesiredUnit
from nyl.state.lifecycles import DeletionReason, PendingChange


def with_pending(document: DesiredUnit, owned: Kind | None, key: str | None, source_commit: str) -> DesiredUnit:
    """A held document with what waits for its hold to be lifted.

    `owned` is the kind that source gives the unit, None outside the ownership set; `key` the execution key it has at
    source, None where that is not known, so that what is recorded of it stays.
    """
    hold = document.hold
    if hold is None:
        return document
    known = hold.pending
    deletion = _deletion(document, owned)
    if deletion is None and owned is not None and key is None:
        return document
    changed = key if deletion is None and owned is not None and key != document.execution_key else None
    if (known.deletion if known else None, known.execution_key if known else None) == (deletion, changed):
        return document
    pending = PendingChange(source_commit, changed, deletion) if deletion or changed else None
    return replace(document, hold=replace(hold, pending=pending))


def _deletion(document: DesiredUnit, owned: Kind | None) -> DeletionReason | None:
    """The deletion that the unit would begin, had it no hold."""
    unit = document.unit
    if unit.uid is None or document.deletion is not None or owned == (unit.api_version, unit.kind):
        return None
    return DeletionReason.OMISSION if owned is None else DeletionReason.KIND_CHANGE
