"""Deletion page, Leaving the ownership set: which units leave, and what becomes of them."""

from dataclasses import replace

import pytest

from nyl.engine.leaving import find_leaving, leaving_warning
from nyl.engine.recorded_kinds import RecordedKinds
from nyl.engine.results import Leaving, LeavingEffect, LeavingWhy
from nyl.state.documents import DesiredUnit
from nyl.state.lifecycles import Deletion, DeletionIntent, DeletionReason, LifecycleState
from nyl.units.driver import Driver
from tests.engine.builders import COMMAND, desired

CAN = {"command": ["./a.sh"], "teardown": ["./a.sh", "remove"]}
CANNOT = {"command": ["./a.sh"]}


def leaving(*documents: DesiredUnit, owned: frozenset[str] = frozenset()) -> tuple[Leaving, ...]:
    known = {each.unit.name: each for each in documents}
    return find_leaving(known, owned, lambda _: LeavingWhy.REMOVED, lambda _: LeavingEffect.TEARDOWN)


def effect(document: DesiredUnit, driver: Driver | None = COMMAND) -> LeavingEffect:
    return RecordedKinds(lambda _: driver).leaving_effect(document)


def test_recorded_units_that_are_not_owned_leave_by_name() -> None:
    found = leaving(desired("web"), desired("cache"), desired("db"), owned=frozenset({"db", "new"}))
    assert [each.unit for each in found] == ["cache", "web"]


@pytest.mark.parametrize("state", [LifecycleState.RETAINED, LifecycleState.HELD])
def test_a_tombstone_has_left_already_and_a_held_unit_goes_nowhere(state: LifecycleState) -> None:
    assert leaving(desired("cache", lifecycle=state)) == ()


def test_a_unit_without_an_incarnation_has_nothing_to_lose() -> None:
    document = desired("cache")
    assert leaving(replace(document, unit=replace(document.unit, uid=None))) == ()


@pytest.mark.parametrize("state", [LifecycleState.ACTIVE, LifecycleState.DELETING])
def test_any_other_incarnation_still_leaves(state: LifecycleState) -> None:
    assert leaving(desired("cache", lifecycle=state))[0].unit == "cache"


@pytest.mark.parametrize(
    ("policy", "spec", "expected"),
    [
        (None, CAN, LeavingEffect.TEARDOWN),
        (None, CANNOT, LeavingEffect.RELEASE),
        ("Teardown", CAN, LeavingEffect.TEARDOWN),
        ("Retain", CAN, LeavingEffect.RETAIN),
        ("Retain", CANNOT, LeavingEffect.RETAIN),
    ],
)
def test_the_recorded_policy_and_the_kind_decide_the_effect(
    policy: str | None, spec: dict[str, object], expected: LeavingEffect
) -> None:
    declared = {"deletionPolicy": policy} if policy else {}
    assert effect(desired("cache", resolved_spec=spec | declared)) is expected


@pytest.mark.parametrize(
    ("deletion", "expected"),
    [
        (Deletion(DeletionReason.OMISSION, DeletionIntent.TEARDOWN), LeavingEffect.TEARDOWN),
        (Deletion(DeletionReason.OMISSION, DeletionIntent.RETAIN), LeavingEffect.RETAIN),
        (Deletion(DeletionReason.DECOMMISSION, DeletionIntent.RETAIN), LeavingEffect.RELEASE),
        (Deletion(DeletionReason.TEARDOWN, DeletionIntent.TEARDOWN), LeavingEffect.TEARDOWN),
    ],
)
def test_a_deletion_that_began_says_what_becomes_of_the_unit(deletion: Deletion, expected: LeavingEffect) -> None:
    spec = CAN | {"deletionPolicy": "Retain"}
    assert effect(desired("cache", resolved_spec=spec, deletion=deletion)) is expected


def test_a_unit_whose_driver_is_missing_is_not_released_by_that() -> None:
    assert effect(desired("cache", resolved_spec=CANNOT), None) is LeavingEffect.TEARDOWN


def test_the_warning_names_every_unit_and_why() -> None:
    gone = Leaving("cache", LeavingWhy.DISABLED, LeavingEffect.TEARDOWN)
    other = Leaving("web", LeavingWhy.DESELECTED, LeavingEffect.RELEASE)
    message = leaving_warning("dev", (gone, other)).message
    assert message == "2 unit(s) leave the ownership set of dev: cache (disabled), web (deselected)"
