"""Which copy of a state an invocation works on, and what is in the way of working on the state itself."""

from datetime import timedelta
from pathlib import Path

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.core.ids import new_id
from nyl.engine.commit_identity import commit_identity
from nyl.engine.local_state import publish_state, reset_state
from nyl.engine.states import States
from nyl.engine.workspace import Workspace
from nyl.git.embedded import EmbeddedRemote
from nyl.git.local_copy import LocalCopy
from nyl.git.remotes import Remote
from nyl.state.taking import RunRequest
from tests.engine.projects import workspace
from tests.git.building import PatientClock
from tests.support.world import World


def locally(world: World) -> Workspace:
    """The project as one invocation with --local sees it."""
    return Workspace.open(world.project, world.environ, PatientClock(), lambda event: None, is_local=True)


@pytest.fixture
def known(world: World) -> World:
    """A state that is initialised and empty."""
    return world.pair().initialise()


def test_the_option_chooses_the_local_copy(known: World) -> None:
    for opened, kind in ((workspace(known), Remote), (locally(known), LocalCopy)):
        store = States(opened).store(opened.worktree.environments["dev"])
        assert isinstance(store.access.remote, kind)
        assert store.access.is_local is (kind is LocalCopy)
        assert store.read().desired_commit == known.state()


def test_without_a_remote_the_state_is_its_own_copy(world: World) -> None:
    world.git("remote", "remove", "origin")
    opened = locally(world.pair())
    access = States(opened).store(opened.worktree.environments["dev"]).access
    assert type(access.remote) is EmbeddedRemote
    assert not access.is_local


def test_a_commit_that_the_remote_lacks_is_in_the_way_until_it_is_dropped(known: World) -> None:
    known.git("fetch", "-q")
    mine = known.git("commit-tree", "-m", "mine", "-p", known.state(), f"{known.state()}^{{tree}}")
    known.git("update-ref", "refs/heads/nyl/dev/observed", mine)
    opened = workspace(known)
    dev = opened.worktree.environments["dev"]
    with pytest.raises(NylError) as caught:
        States(opened).store(dev)
    assert caught.value.diagnostic.code is Code.STATE_UNPUBLISHED
    assert States(opened).unchecked(dev).read().observed_commit == known.state()
    report = reset_state(opened, ("dev",), "not nyl's", None)
    assert report.details["commits"] == 1
    States(opened).store(dev)


def broken(opened: Workspace) -> None:
    """Breaks the lease of an operation that left nothing."""
    store = States(opened).store(opened.worktree.environments["dev"])
    identity = commit_identity(opened, None)
    store.take(RunRequest(new_id(), "hold", "alice@host", identity, "", timedelta(minutes=10), keeps_run_ref=False))
    store.break_lease(identity, "gone")


@pytest.mark.parametrize("has_remote", [True, False])
def test_a_broken_lease_is_in_the_way_though_there_is_nothing_to_publish_or_drop(
    tmp_path: Path, *, has_remote: bool
) -> None:
    world = World(tmp_path, remote=has_remote).pair().initialise()
    world.nyl("status", exits=2)
    broken(locally(world))
    opened = workspace(world)
    writers = (lambda: publish_state(opened, "dev", None, None), lambda: reset_state(opened, ("dev",), "tried", None))
    for write in writers:
        with pytest.raises(NylError) as caught:
            write()
        assert caught.value.diagnostic.code is Code.LEASE_BROKEN


def test_what_somebody_else_published_is_in_nobodys_way(known: World) -> None:
    known.git("fetch", "-q")
    mine = known.git("commit-tree", "-m", "mine", "-p", known.state(), f"{known.state()}^{{tree}}")
    known.git("update-ref", "refs/heads/nyl/dev/observed", mine)
    known.git("push", "-q", "origin", "refs/heads/nyl/dev/observed")
    opened = workspace(known)
    assert States(opened).store(opened.worktree.environments["dev"]).read().observed_commit == mine
    assert publish_state(opened, "dev", None, None).details == {"commits": 0}
