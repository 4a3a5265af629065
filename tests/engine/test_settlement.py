"""Page Deletion and holds, Order and Holds: which incarnations are on their way out, so that what they use waits."""

from dataclasses import replace

import pytest

from nyl.engine.settlement import is_outside
from nyl.state.documents import DesiredUnit
from nyl.state.lifecycles import Deletion, DeletionIntent, DeletionReason, LifecycleState, TeardownRequested
from tests.engine.builders import API, HOLD, NOW, desired

SAME = (API, "Command")
OTHER = (API, "Probe")
TOMB_HOLD = replace(HOLD, before=LifecycleState.RETAINED)
OMISSION = Deletion(DeletionReason.OMISSION, DeletionIntent.TEARDOWN)
ASKED = replace(OMISSION, reason=DeletionReason.REPLACE, requested=TeardownRequested("alice", NOW, "broken"))

ACTIVE = desired()
HELD = replace(ACTIVE, lifecycle=LifecycleState.HELD, hold=HOLD)
RETAINED = replace(ACTIVE, lifecycle=LifecycleState.RETAINED)
DELETING = replace(ACTIVE, lifecycle=LifecycleState.DELETING, deletion=OMISSION)


def without_incarnation(document: DesiredUnit) -> DesiredUnit:
    return replace(document, unit=replace(document.unit, uid=None))


@pytest.mark.parametrize(
    ("document", "owned", "outside"),
    [
        (ACTIVE, SAME, False),
        (RETAINED, None, False),
        (DELETING, None, True),
        (replace(DELETING, deletion=ASKED), SAME, True),
        # A hold pauses a deletion, and takes none back.
        (HELD, SAME, False),
        (HELD, None, True),
        (HELD, OTHER, True),
        (replace(HELD, deletion=OMISSION), None, True),
        (replace(HELD, deletion=ASKED), SAME, True),
        (replace(HELD, hold=TOMB_HOLD), None, False),
        (replace(HELD, hold=TOMB_HOLD, deletion=ASKED), None, True),
        (without_incarnation(HELD), None, False),
    ],
)
def test_an_incarnation_is_on_its_way_out_from_its_deletion_on_held_or_not(
    document: DesiredUnit, owned: tuple[str, str] | None, *, outside: bool
) -> None:
    assert is_outside(document, {document.unit.name: owned} if owned else {}) is outside
