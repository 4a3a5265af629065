"""Whole runs over the state store."""

from dataclasses import replace
from pathlib import Path

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.state.changes import Batch
from nyl.state.coordination_documents import Checkpoint, LeaseState
from tests.state.worlds import KEY, LOCATION, Runner, World, desired, observed, transition

STATE = {LOCATION.desired_ref, LOCATION.observed_ref}


def test_initialised_refs_start_from_one_commit(world: World, alice: Runner) -> None:
    assert world.names() == STATE
    assert len(set(world.refs().values())) == 1


def test_a_run_holds_lease_and_run_ref_until_it_is_released(world: World, alice: Runner) -> None:
    session = alice.take()
    run = session.run.run
    assert world.names() - STATE == {"refs/nyl/dev/lease", f"refs/nyl/dev/runs/{run}", f"refs/nyl/dev/signals/{run}"}
    session.release()
    assert world.names() == STATE


def test_a_run_that_changes_nothing_writes_no_state(world: World, alice: Runner) -> None:
    alice.reconcile("database")
    before = world.refs()
    alice.take().release()
    assert world.refs() == before


def test_a_transition_is_one_commit_a_ref(world: World, alice: Runner) -> None:
    before = world.refs()
    landed_by = alice.reconcile("database", "migrate", host="db")
    after = world.refs()
    assert set(after) == STATE
    for ref in STATE:
        assert alice.git("rev-list", "--count", f"{before[ref]}..{after[ref]}") == "1"
    message = alice.git("log", "-1", "--format=%B", after[LOCATION.observed_ref])
    assert f"Nyl-Run-Id: {landed_by.run.run}\n" in message
    assert f"Nyl-Read-Desired: {before[LOCATION.desired_ref]}\n" in message


def test_what_was_written_reads_back(alice: Runner, bob: Runner) -> None:
    alice.reconcile("database", host="db")
    snapshot = bob.store.read()
    assert snapshot.desired == {"database": desired("database")}
    assert snapshot.observed == {"database": observed("database", host="db")}
    assert snapshot.environment_record is not None
    assert snapshot.environment_record.ownership == ("database",)
    assert snapshot.lease is None


def test_a_checkpoint_is_on_the_run_ref_for_others_to_read(alice: Runner, bob: Runner) -> None:
    session = alice.take()
    session.checkpoint(Batch(starting={"database": desired("database")}))
    session.checkpoint(Batch({"database": Checkpoint(observed("database"), {"plan": {"n": 2**60}})}))
    ref = bob.store.read().runs[session.run.run]
    assert ref.desired == {"database": desired("database")}
    assert ref.checkpoints["database"].observed == observed("database")
    assert not ref.record.executing


def test_executing_units_are_on_lease_and_run_ref(alice: Runner, bob: Runner) -> None:
    session = alice.take()
    deadline = alice.clock.now() + 3 * (session.lease.deadline - alice.clock.now())
    session.checkpoint(Batch(starting={"a": desired("a"), "b": desired("b")}, deadline=deadline))
    snapshot = bob.store.read()
    assert snapshot.lease is not None
    assert snapshot.lease.executing == ("a", "b")
    assert snapshot.lease.deadline == deadline
    record = snapshot.runs[session.run.run].record
    assert (record.executing, record.deadline) == ({"a": KEY, "b": KEY}, deadline)


def test_a_deadline_never_moves_back(alice: Runner) -> None:
    session = alice.take()
    before = session.lease.deadline
    session.checkpoint(Batch(deadline=alice.clock.now()))
    assert session.lease.deadline == before


def test_state_without_a_remote_works_alike(world: World) -> None:
    runner = world.embedded().init()
    session = runner.take()
    session.checkpoint(Batch(starting={"database": desired("database")}))
    session.commit(transition(session, "database"))
    session.release()
    assert runner.store.read().observed == {"database": observed("database")}
    refs = runner.git("for-each-ref", "--format=%(refname)", "refs/heads", "refs/nyl").split()
    assert set(refs) == STATE


def test_repositories_with_sha_256_work_alike(tmp_path: Path) -> None:
    runner = World(tmp_path, "sha256").runner().init()
    runner.reconcile("database")
    runner.reconcile("cache")
    assert runner.store.read().observed.keys() == {"database", "cache"}
    assert len(runner.store.read().desired_commit) == 64


def test_state_is_initialised_once(world: World, alice: Runner) -> None:
    before = world.refs()
    with pytest.raises(NylError) as caught:
        alice.init()
    assert caught.value.diagnostic.code is Code.STATE_EXISTS
    assert world.refs() == before


def test_state_is_not_put_into_a_branch_of_something_else(world: World) -> None:
    world.edit("refs/heads/main", "README.md", "hello")
    runner = world.runner(location=replace(LOCATION, desired_ref="refs/heads/main"))
    with pytest.raises(NylError) as caught:
        runner.init()
    assert caught.value.diagnostic.code is Code.STATE_EXISTS
    assert world.names() == {"refs/heads/main"}


def test_worktree_snapshots_are_kept_by_run_ref_and_observed_ref_alone(world: World, alice: Runner) -> None:
    snapshot = world.edit("refs/heads/snapshot", "main.sh", "echo")
    alice.git("fetch", "-q", str(world.origin), "refs/heads/snapshot")
    session = alice.store.take(alice.request(archive=(snapshot,)))
    run = world.refs()[f"refs/nyl/dev/runs/{session.run.run}"]
    session.commit(transition(session, "database"), (snapshot,))
    session.release()
    for commit in (run, world.refs()[LOCATION.observed_ref]):
        assert snapshot in alice.git("rev-list", commit).split()
        assert "main.sh" not in alice.git("ls-tree", "-r", "--name-only", commit)
    assert snapshot not in alice.git("rev-list", world.refs()[LOCATION.desired_ref]).split()


def test_a_landed_lease_holds_nobody_and_is_tidied(world: World, alice: Runner, bob: Runner) -> None:
    crashed = alice.take()
    crashed.commit(transition(crashed, "database"))
    assert crashed.lease.state is LeaseState.LANDED
    bob.take().release()
    assert world.names() == STATE
