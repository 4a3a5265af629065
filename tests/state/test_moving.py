"""Spec of bringing a state to another place."""

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.state.moving import Arrival, copy_state
from nyl.state.writing import Committer
from tests.state.worlds import IDENTITY, START, Runner, World, git


@pytest.mark.parametrize(("lost", "code"), [(False, Code.STATE_EXISTS), (True, Code.LEASE_LOST)])
def test_a_state_is_not_copied_onto_itself_though_its_lease_was_lost(
    world: World, alice: Runner, lost: bool, code: Code
) -> None:
    (world.folder / "link.git").symlink_to(world.origin)
    link = Runner(alice.folder, "../link.git", world.environ)
    read = alice.take().snapshot
    if lost:
        git(world.origin, "update-ref", "-d", "refs/nyl/dev/lease")
    before = world.refs()
    with pytest.raises(NylError) as caught:
        copy_state(
            alice.store.access, link.store.access, read, Arrival(read.record, "Move", Committer(IDENTITY, START))
        )
    assert (caught.value.diagnostic.code, world.refs()) == (code, before)
