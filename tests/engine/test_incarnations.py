from dataclasses import replace

import pytest

from nyl.engine.incarnations import find_incarnation, incarnation_in
from nyl.state.documents import DesiredUnit
from nyl.state.lifecycles import Hold, LifecycleState
from nyl.state.snapshot import StateSnapshot
from nyl.units.source_project import Incarnation
from tests.engine.builders import EARLIER, HOLD, desired, run_ref, snapshot
from tests.engine.projects import workspace
from tests.support.world import World

UID = "01a22cd2-d27c-76a2-a77c-22c1ab25f66c"


def document(lifecycle: LifecycleState = LifecycleState.ACTIVE, hold: Hold | None = None) -> DesiredUnit:
    plain = desired()
    return replace(plain, unit=replace(plain.unit, uid=UID), lifecycle=lifecycle, hold=hold)


@pytest.mark.parametrize(
    "state",
    [
        snapshot((document(), None)),
        snapshot((document(LifecycleState.HELD, HOLD), None)),
        snapshot((document(LifecycleState.DELETING), None)),
        snapshot((document(LifecycleState.RETAINED), None)),
        snapshot(runs={EARLIER: run_ref(started={"db": document()})}),
    ],
    ids=["active", "held", "deleting", "retained", "started by a run that recorded nothing yet"],
)
def test_a_stored_incarnation_exists_whatever_becomes_of_it(state: StateSnapshot) -> None:
    assert incarnation_in(state, UID) == "db"


def test_another_incarnation_of_the_unit_is_not_it() -> None:
    assert incarnation_in(snapshot((desired(), None)), UID) is None


def test_a_state_is_read_where_the_working_tree_says_that_it_lives(world: World) -> None:
    world.environment("dev").environment("new").initialise("dev")
    where = workspace(world)
    assert find_incarnation(where, "dev", UID) == Incarnation(False)
    assert find_incarnation(where, "new", UID) == Incarnation(False)


def test_a_state_that_cannot_be_read_may_hold_it(world: World) -> None:
    world.environment("dev").initialise("dev")
    world.git("remote", "set-url", "origin", str(world.tmp / "gone.git"))
    found = find_incarnation(workspace(world), "dev", UID)
    assert found.exists
    assert "gone.git" in (found.obstacle or "")
    undeclared = find_incarnation(workspace(world), "old", UID)
    assert undeclared.exists
    assert "declares no Environment old; declare it again" in (undeclared.obstacle or "")
