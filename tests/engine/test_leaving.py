"""Deletion page, Leaving the ownership set: which units leave, and what becomes of them."""

import pytest

from nyl.engine.leaving import find_leaving, leaving_effect, leaving_warning
from nyl.engine.results import Leaving, LeavingEffect, LeavingWhy
from nyl.state.documents import DesiredUnit
from nyl.state.lifecycles import LifecycleState
from nyl.units.driver import Capability
from tests.engine.builders import desired

ALL = frozenset(Capability)
NONE: frozenset[Capability] = frozenset()


def leaving(*documents: DesiredUnit, owned: frozenset[str] = frozenset()) -> tuple[Leaving, ...]:
    known = {each.unit.name: each for each in documents}
    return find_leaving(known, owned, lambda _: LeavingWhy.REMOVED, lambda _: ALL)


def test_recorded_units_that_are_not_owned_leave_by_name() -> None:
    found = leaving(desired("web"), desired("cache"), desired("db"), owned=frozenset({"db", "new"}))
    assert [each.unit for each in found] == ["cache", "web"]


def test_a_tombstone_has_left_already() -> None:
    assert leaving(desired("cache", lifecycle=LifecycleState.RETAINED)) == ()


@pytest.mark.parametrize("state", [LifecycleState.ACTIVE, LifecycleState.HELD, LifecycleState.DELETING])
def test_any_other_incarnation_still_leaves(state: LifecycleState) -> None:
    assert leaving(desired("cache", lifecycle=state))[0].unit == "cache"


@pytest.mark.parametrize(
    ("policy", "capabilities", "effect"),
    [
        (None, ALL, LeavingEffect.TEARDOWN),
        (None, NONE, LeavingEffect.RELEASE),
        ("Teardown", ALL, LeavingEffect.TEARDOWN),
        ("Retain", ALL, LeavingEffect.RETAIN),
        ("Retain", NONE, LeavingEffect.RETAIN),
    ],
)
def test_the_recorded_policy_and_the_kind_decide_the_effect(
    policy: str | None, capabilities: frozenset[Capability], effect: LeavingEffect
) -> None:
    spec = {"deletionPolicy": policy} if policy else {}
    assert leaving_effect(desired("cache", resolved_spec=spec), capabilities) is effect


def test_the_warning_names_every_unit_and_why() -> None:
    gone = Leaving("cache", LeavingWhy.DISABLED, LeavingEffect.TEARDOWN)
    other = Leaving("web", LeavingWhy.DESELECTED, LeavingEffect.RELEASE)
    message = leaving_warning("dev", (gone, other)).message
    assert message == "2 unit(s) leave the ownership set of dev: cache (disabled), web (deselected)"
