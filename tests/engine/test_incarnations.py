from dataclasses import replace

import pytest

from nyl.engine.incarnations import find_owner, incarnation_in
from nyl.engine.owner_states import lived_at, lives_at, owner_place
from nyl.kubernetes.index import Index, IndexOwner, IndexPublication, OwnerPlace
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


HERE = OwnerPlace("https://git.example.com/team/shop.git", "refs/heads/nyl/dev/desired")


def owned(state: OwnerPlace | None = None, environment: str = "dev", commit: str | None = None) -> Index:
    """An index of a tree that the incarnation owns."""
    owner = IndexOwner(environment, UID, state)
    return Index("prod", "shared", IndexPublication(None, "deploy", "prod"), commit=commit, owner=owner)


def test_a_state_is_read_where_the_working_tree_says_that_it_lives(world: World) -> None:
    head = world.environment("dev").environment("new").initialise("dev").git("rev-parse", "HEAD")
    where = workspace(world)
    assert find_owner(where, owned(commit=head)) == Incarnation(False)
    assert find_owner(where, owned(environment="new", commit=head)) == Incarnation(False)


def test_a_state_that_cannot_be_read_may_hold_it(world: World) -> None:
    world.environment("dev").initialise("dev")
    world.git("remote", "set-url", "origin", str(world.tmp / "gone.git"))
    found = find_owner(workspace(world), owned())
    assert found.exists
    assert "gone.git" in (found.obstacle or "")
    undeclared = find_owner(workspace(world), owned(environment="old"))
    assert undeclared.exists
    assert "declares no Environment old" in (undeclared.obstacle or "")
    assert "declare it again" in undeclared.way_out


def test_an_index_that_does_not_say_where_the_state_is_says_by_its_commit_whether_it_is_of_this_project(
    world: World,
) -> None:
    world.environment("dev").initialise("dev")
    found = find_owner(workspace(world), owned(commit="c" * 40))
    assert found.exists
    assert "lack the commit" in (found.obstacle or "")


def test_a_shallow_clone_asks_for_the_commit_that_tells_its_own_tree(world: World) -> None:
    old = world.environment("dev").initialise("dev").git("rev-parse", "HEAD")
    world.commit("Go on")
    where = workspace(world, world.clone("shallow", "--depth=1"))
    assert where.objects.resolve(old) is None
    assert find_owner(where, owned(commit=old)) == Incarnation(False)


@pytest.mark.parametrize("url", ["git@git.example.com:team/shop.git", "https://git.example.com/team/shop/"])
def test_the_state_of_a_project_is_known_by_every_spelling_of_its_url(world: World, url: str) -> None:
    world.environment("dev").git("remote", "set-url", "origin", url)
    where = workspace(world)
    declared = where.worktree.environments["dev"].state
    assert owner_place(where, declared) == HERE
    assert lives_at(HERE, where, declared)
    for other in ({"repository": "https://git.example.com/team/other.git"}, {"ref": "refs/heads/x"}, {"path": "x"}):
        assert not lives_at(replace(HERE, **other), where, declared)


def test_a_relative_url_is_not_recorded_and_is_compared_as_the_place_that_it_means(world: World) -> None:
    world.environment("dev").git("remote", "set-url", "origin", "../origin.git")
    where = workspace(world)
    declared = where.worktree.environments["dev"].state
    assert owner_place(where, declared) is None
    assert lives_at(replace(HERE, repository=str(world.origin)), where, declared)


def test_a_place_that_a_state_was_moved_from_is_its_own(world: World) -> None:
    former = {"repository": "ssh://git@git.example.com/team/shop", "desiredRef": HERE.ref, "observedRef": "any"}
    assert lived_at(HERE, [{"event": "initialised"}, {"event": "moved", "from": former}])
    assert not lived_at(HERE, [{"event": "moved", "from": {**former, "path": "elsewhere"}}])


def test_another_projects_owner_exists_whatever_the_state_of_its_environments_name_knows_here(world: World) -> None:
    head = world.environment("dev").initialise("dev").git("rev-parse", "HEAD")
    found = find_owner(workspace(world), owned(HERE, commit=head))
    assert found.exists
    assert "refs/heads/nyl/dev/desired of https://git.example.com/team/shop.git" in (found.obstacle or "")
    assert "set `owner` to null" in found.way_out
