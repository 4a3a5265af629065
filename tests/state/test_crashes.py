"""A run that is killed at any point: what it recorded is never lost, and what it did not record is never guessed."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from nyl.core import faults
from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.state.changes import Batch
from nyl.state.coordination_documents import Checkpoint
from tests.state.worlds import LOCATION, Runner, World, desired, observed, transition

STATE = {LOCATION.desired_ref, LOCATION.observed_ref}


class Killed(BaseException):
    """The process is gone: from here on nothing of it does anything."""


@pytest.fixture
def kill() -> Iterator[list[str]]:
    """Names the point at which the process dies; from there on every point raises."""
    doomed: list[str] = []
    dead = False

    def hook(point: str) -> None:
        nonlocal dead
        dead = dead or point in doomed
        if dead:
            raise Killed

    faults.install(hook)
    yield doomed
    faults.install(None)


def run_to_the_end(runner: Runner) -> None:
    session = runner.take()
    session.checkpoint(Batch(starting={"database": desired("database")}))
    session.checkpoint(Batch({"database": Checkpoint(observed("database"))}))
    session.commit(transition(session, "database"))
    session.release()


def crash(runner: Runner, point: str, kill: list[str]) -> None:
    kill.append(point)
    with pytest.raises(Killed):
        run_to_the_end(runner)
    faults.install(None)


@pytest.mark.parametrize("point", ["before push of lease", "after push of lease", "before push of checkpoints"])
def test_a_run_killed_before_anything_started_stands_in_nobodys_way(
    world: World, alice: Runner, bob: Runner, kill: list[str], point: str
) -> None:
    crash(alice, point, kill)
    bob.clock.instant += timedelta(hours=1)
    run_to_the_end(bob)
    assert world.names() == STATE


def test_a_run_killed_while_units_run_leaves_them_on_its_run_ref(
    world: World, alice: Runner, bob: Runner, kill: list[str]
) -> None:
    crash(alice, "after push of checkpoints", kill)
    bob.clock.instant += timedelta(hours=1)
    with pytest.raises(NylError) as caught:
        bob.take()
    assert caught.value.diagnostic.code is Code.RUN_UNIMPORTED
    (left,) = bob.store.read().runs.values()
    assert left.record.executing.keys() == left.desired.keys() == {"database"}


def test_a_run_killed_before_its_transition_leaves_its_results(
    world: World, alice: Runner, bob: Runner, kill: list[str]
) -> None:
    crash(alice, "before push of results", kill)
    (left,) = bob.store.read().runs.values()
    assert left.checkpoints["database"].observed == observed("database")
    assert not bob.store.read().observed


@pytest.mark.parametrize("point", ["after push of results", "before push of release", "after push of release"])
def test_a_run_killed_after_its_transition_holds_nobody(
    world: World, alice: Runner, bob: Runner, kill: list[str], point: str
) -> None:
    crash(alice, point, kill)
    session = bob.take()
    assert session.snapshot.observed == {"database": observed("database")}
    session.release()
    assert world.names() == STATE
