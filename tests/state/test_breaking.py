"""Spec of breaking a lease."""

from datetime import timedelta

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.state.changes import Batch
from nyl.state.coordination_documents import Checkpoint, LeaseState, RunState
from nyl.state.lease import unrecorded_breaks
from tests.state.worlds import IDENTITY, LOCATION, Runner, World, desired, git, observed

LEASE = "refs/nyl/dev/lease"


def broken(runner: Runner, reason: str = "runner was killed") -> str:
    """The run whose lease was broken."""
    lease = runner.store.break_lease(IDENTITY, reason)
    assert lease is not None
    assert lease.broken is not None
    return lease.broken.run


def refused(runner: Runner) -> NylError:
    with pytest.raises(NylError) as caught:
        runner.store.break_lease(IDENTITY, "no reason")
    assert caught.value.diagnostic.code is Code.LEASE_UNBREAKABLE
    return caught.value


def test_a_live_lease_is_broken_with_who_did_it_and_why(alice: Runner, bob: Runner) -> None:
    session = alice.take()
    lease = bob.store.break_lease(IDENTITY, "runner was killed")
    assert lease is not None
    assert lease.broken is not None
    assert (lease.run, lease.state, lease.runner) == (session.run.run, LeaseState.BROKEN, "alice@host")
    assert (lease.broken.by, lease.broken.reason) == (str(IDENTITY), "runner was killed")
    assert bob.store.read().lease == lease


def test_the_holder_of_a_broken_lease_can_write_nothing_more(alice: Runner, bob: Runner) -> None:
    session = alice.take()
    broken(bob)
    with pytest.raises(NylError) as caught:
        session.checkpoint(Batch(starting={"database": desired("database")}))
    assert caught.value.diagnostic.code is Code.LEASE_LOST


def test_a_lease_past_its_deadline_can_be_broken_too(alice: Runner, bob: Runner) -> None:
    session = alice.take()
    bob.clock.instant += timedelta(hours=2)
    assert broken(bob) == session.run.run


def test_a_live_run_whose_lease_is_gone_gets_a_broken_one(world: World, alice: Runner, bob: Runner) -> None:
    session = alice.take()
    world.edit(LEASE, "unused", None)
    bob.git("push", "-q", str(world.origin), f":{LEASE}")
    assert broken(bob) == session.run.run
    assert LEASE in world.names()


def test_there_is_nothing_to_break_where_nobody_holds(alice: Runner, world: World) -> None:
    before = world.refs()
    assert alice.store.break_lease(IDENTITY, "habit") is None
    alice.reconcile("database")
    assert alice.store.break_lease(IDENTITY, "habit") is None
    assert world.refs().keys() == before.keys()


def test_a_lease_that_was_broken_before_is_not_broken_again(alice: Runner, bob: Runner) -> None:
    alice.take()
    broken(bob)
    assert "broken already" in refused(bob).diagnostic.message
    assert "nyl recover -e dev" in refused(bob).diagnostic.fix


def test_breaking_takes_two_round_trips(alice: Runner, bob: Runner) -> None:
    alice.take()
    since = len(bob.calls.commands)
    broken(bob)
    calls = [" ".join(each) for each in bob.calls.commands[since:]]
    assert len([each for each in calls if " fetch " in f" {each} " or " push " in f" {each} "]) == 2, calls


def released(runner: Runner) -> tuple[str, ...]:
    """The runs whose refs stay when a broken lease goes without an import."""
    return runner.store.release_broken(runner.request(imports=True, keeps_run_ref=False))


def test_a_broken_lease_goes_where_the_state_that_its_run_belongs_to_is_gone(
    world: World, alice: Runner, bob: Runner
) -> None:
    session = alice.take()
    session.checkpoint(Batch(starting={"database": desired("database")}))
    broken(bob)
    for ref in (LOCATION.desired_ref, LOCATION.observed_ref):
        git(world.origin, "update-ref", "-d", ref)
    with pytest.raises(NylError) as caught:
        bob.init()
    assert caught.value.diagnostic.code is Code.LEASE_BROKEN
    assert released(bob) == (session.run.run,)
    assert LEASE not in world.names()
    bob.init()
    assert bob.store.take(bob.request(imports=True)).snapshot.runs.keys() == {session.run.run}


def test_the_break_of_a_run_that_left_nothing_outlives_its_lease(world: World, alice: Runner, bob: Runner) -> None:
    session = alice.store.take(alice.request(operation="hold", keeps_run_ref=False))
    broken(bob, "hangs")
    assert released(bob) == (session.run.run,)
    (left,) = bob.store.read().runs.values()
    assert (left.record.operation, left.record.state) == ("hold", RunState.FINISHED)
    with pytest.raises(NylError) as caught:
        bob.take()
    assert caught.value.diagnostic.code is Code.RUN_UNIMPORTED
    imported = bob.store.take(bob.request(imports=True)).snapshot
    assert [each.reason for each in unrecorded_breaks(imported.lease, imported.runs)] == ["hangs"]


@pytest.mark.parametrize("started", [True, False])
def test_a_holder_that_is_alive_after_all_saves_its_results_beside_the_break(
    alice: Runner, bob: Runner, started: bool
) -> None:
    session = alice.take()
    if started:
        session.checkpoint(Batch(starting={"database": desired("database")}))
    broken(bob, "hangs")
    released(bob)
    with pytest.raises(NylError) as caught:
        session.checkpoint(Batch({"database": Checkpoint(observed("database"))}))
    assert caught.value.diagnostic.code is Code.LEASE_LOST
    left = bob.store.read().runs[session.run.run]
    assert (left.checkpoints.keys(), [each.reason for each in left.record.breaks]) == ({"database"}, ["hangs"])


def test_no_state_begins_anew_under_a_lease_that_somebody_has(world: World, alice: Runner, bob: Runner) -> None:
    alice.take()
    for ref in (LOCATION.desired_ref, LOCATION.observed_ref):
        git(world.origin, "update-ref", "-d", ref)
    before = world.refs()
    with pytest.raises(NylError, match="dev is held by"):
        bob.init()
    assert world.refs() == before


def test_only_a_broken_lease_is_released(world: World, alice: Runner, bob: Runner) -> None:
    assert released(bob) == ()
    alice.take()
    before = world.refs()
    with pytest.raises(NylError, match="dev is held by"):
        released(bob)
    assert world.refs() == before


def test_a_lease_that_the_remote_keeps_is_not_called_released(world: World, alice: Runner, bob: Runner) -> None:
    alice.take()
    broken(bob)
    world.hook("update", f'[ "$1" != {LEASE} ] || [ "$3" != {"0" * 40} ]')
    with pytest.raises(NylError) as caught:
        released(bob)
    assert caught.value.diagnostic.code is Code.PUSH_REFUSED
    lease = bob.store.read().lease
    assert lease is not None
    assert lease.state is LeaseState.BROKEN
    (world.origin / "hooks/update").unlink()
    assert released(bob)
    assert LEASE not in world.names()


def test_a_lease_that_moves_at_every_try_is_contended(world: World, alice: Runner, bob: Runner) -> None:
    alice.take()
    moves = f"git -c user.name=x -c user.email=x@y commit-tree {LEASE}^{{tree}} -p {LEASE} -m again"
    world.hook(
        "pre-receive",
        f"unset $(env | sed -n 's/^\\(GIT_[A-Z_]*\\)=.*/\\1/p')\ngit update-ref {LEASE} $({moves})\nexit 1",
    )
    with pytest.raises(NylError, match="Other writers moved") as caught:
        broken(bob)
    assert caught.value.diagnostic.code is Code.STATE_CONTENDED


def test_a_broken_lease_goes_although_the_ref_of_its_run_moves(world: World, alice: Runner, bob: Runner) -> None:
    session = alice.take()
    session.checkpoint(Batch(starting={"database": desired("database")}))
    broken(bob)
    world.hook("pre-receive", f'all=$(cat); case "$all" in *{"0" * 40}\\ {LEASE}*/runs/*) exit 1;; esac')
    assert released(bob) == (session.run.run,)
    assert LEASE not in world.names()


def test_the_break_of_an_importer_that_was_killed_goes_once_its_lease_expired(
    world: World, alice: Runner, bob: Runner
) -> None:
    alice.take()
    broken(bob)
    bob.store.take(bob.request(imports=True))
    with pytest.raises(NylError, match="dev is held by"):
        released(bob)
    bob.clock.instant += timedelta(hours=2)
    assert released(bob)
    assert LEASE not in world.names()
