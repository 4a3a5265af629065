"""What fits together in a state, and what does not."""

from dataclasses import replace

import pytest

from nyl.state.codec import Origin
from nyl.state.documents import (
    Condition,
    ConditionState,
    DesiredUnit,
    Observation,
    ObservationType,
    ObservedUnit,
    TeardownWait,
    Work,
)
from nyl.state.lifecycles import Deletion, DeletionIntent, DeletionReason, Hold, LifecycleState
from nyl.state.relations import Placed, relation_problems
from tests.state.worlds import KEY, START, desired, identity, observed

HOLD = Hold("bob", START, "incident")
DELETION = Deletion(DeletionReason.OMISSION, DeletionIntent.TEARDOWN)
ACTIVE = desired("a")
DELETING = replace(ACTIVE, lifecycle=LifecycleState.DELETING, deletion=DELETION)
HELD = replace(ACTIVE, lifecycle=LifecycleState.HELD, hold=HOLD)
NO_UID = replace(identity("a"), uid=None)
WAITS = replace(observed("a"), teardown=TeardownWait("01a1", START, "waits"))
TORN = replace(observed("a"), condition=Condition(ConditionState.FAILED, "01a1", START, "x", KEY, work=Work.TEARDOWN))
DRIFT = Observation(identity("a"), ObservationType.DRIFT, "drifted", "01a1", START, KEY)


def problems(wanted: DesiredUnit, found: ObservedUnit | None = None, seen: Observation | None = None) -> list[str]:
    documents = [wanted, found, seen]
    placed = [Placed("a", "drift", Origin("c0ffee", "a.yaml"), each) for each in documents if each is not None]
    return [each.diagnostic.message for each in relation_problems(placed)]


@pytest.mark.parametrize(
    ("wanted", "found", "seen"),
    [
        (ACTIVE, None, None),
        (ACTIVE, observed("a"), DRIFT),
        (DELETING, WAITS, None),
        (DELETING, TORN, None),
        (replace(HELD, deletion=DELETION), WAITS, DRIFT),
        (replace(HELD, unit=NO_UID, execution_key=""), None, None),
        (replace(ACTIVE, unit=NO_UID), None, None),
        (replace(ACTIVE, lifecycle=LifecycleState.RETAINED), observed("a"), None),
    ],
)
def test_documents_that_fit(wanted: DesiredUnit, found: ObservedUnit | None, seen: Observation | None) -> None:
    assert problems(wanted, found, seen) == []


@pytest.mark.parametrize(
    ("wanted", "found", "seen", "told"),
    [
        (replace(ACTIVE, hold=HOLD), None, None, "a hold stands where and only where it is held"),
        (replace(HELD, hold=None), None, None, "a hold stands where and only where it is held"),
        (replace(ACTIVE, deletion=DELETION), None, None, "it has a deletion"),
        (replace(DELETING, deletion=None), None, None, "does not say why"),
        (replace(DELETING, unit=NO_UID), None, None, "has no incarnation"),
        (replace(ACTIVE, execution_key=""), None, None, "no execution key"),
        (replace(ACTIVE, unit=NO_UID), replace(observed("a"), unit=NO_UID), None, "a receipt and no incarnation"),
        (ACTIVE, WAITS, None, "a unit that is not deleted"),
        (ACTIVE, TORN, None, "a unit that is not deleted"),
        (ACTIVE, None, DRIFT, "no receipt"),
        (ACTIVE, observed("a"), replace(DRIFT, type=ObservationType.HEALTH), "its file name does not say"),
        (ACTIVE, observed("a"), replace(DRIFT, unit=replace(identity("a"), uid="old")), "the incarnation old"),
        (ACTIVE, observed("a"), replace(DRIFT, execution_key=KEY[:-1] + "0"), "another receipt"),
    ],
)
def test_documents_that_do_not_fit(
    wanted: DesiredUnit, found: ObservedUnit | None, seen: Observation | None, told: str
) -> None:
    assert any(told in each for each in problems(wanted, found, seen))
