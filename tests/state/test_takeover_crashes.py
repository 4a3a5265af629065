"""Importers that are killed at any point, once or twice: no break and no result is lost or recorded twice."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta

import pytest

from nyl.core import faults
from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.state.changes import Batch, Consumption
from nyl.state.check import check
from nyl.state.coordination_documents import Checkpoint
from nyl.state.history import transitions
from nyl.state.lifecycles import Hold
from nyl.state.session import Session
from tests.state.worlds import IDENTITY, LOCATION, START, Runner, World, desired, observed, transition

STATE = {LOCATION.desired_ref, LOCATION.observed_ref}
HOLD = Hold("bob", START, "incident")
POINTS = ["before push of lease", *(f"after push of {what}" for what in ("lease", "checkpoints", "results", "release"))]
"""A death before another push leaves what one behind the push before it leaves."""
SHORT_POINTS = ["before push of lease", "after push of lease", "after push of conclusion"]
PAIRS = [
    ("after push of lease", "after push of checkpoints"),
    ("after push of lease", "after push of release"),
    ("after push of checkpoints", "after push of lease"),
    ("after push of checkpoints", "after push of results"),
]
"""What takes over comes less far than what died, farther, or to the end."""


class Killed(BaseException):
    """The process is gone: from here on nothing of it does anything."""


def send(runner: Runner, run: str) -> bool:
    """Sends a hold on `database` to a run."""
    return runner.store.send_holds(run, {"database": HOLD}, IDENTITY, runner.store.access.look())


@pytest.fixture(autouse=True)
def no_faults() -> Iterator[None]:
    yield
    faults.install(None)


def killed_at(point: str, work: Callable[[], object]) -> None:
    """Work that dies at a point, if it comes there."""
    dead = False

    def hook(name: str) -> None:
        nonlocal dead
        dead = dead or name == point
        if dead:
            raise Killed

    faults.install(hook)
    try:
        work()
    except Killed:
        pass
    finally:
        faults.install(None)


def importing(runner: Runner, run_ref: bool = True) -> None:
    """What an importer does: dead runs, holds and breaks go into one transition, and nothing twice."""
    session = runner.store.take(runner.request(imports=True, keeps_run_ref=run_ref))
    snapshot, breaks = session.snapshot, session.lease.taken_over
    units = {unit for ref in snapshot.runs.values() for unit in ref.checkpoints} - snapshot.observed.keys()
    if run_ref:
        session.checkpoint(Batch(starting={"own": desired("own")}))
    told = [f"{each.at.iso()} {each.run}" for each in breaks]
    change = replace(
        transition(session, *units),
        summary={"units": {unit: {"result": "imported"} for unit in units}, "breaks": told},
        announces=bool(breaks),
        consumes=Consumption(frozenset(snapshot.runs)),
    )
    if run_ref:
        session.commit(change)
        session.release()
    else:
        session.conclude(change)


def broken_run(alice: Runner, bob: Runner) -> Session:
    """A run with a result and a hold for it, whose lease is broken."""
    session = alice.take()
    session.checkpoint(Batch(starting={"database": desired("database")}))
    session.checkpoint(Batch({"database": Checkpoint(observed("database"))}))
    assert send(bob, session.run.run)
    bob.store.break_lease(IDENTITY, "runner was killed")
    return session


def settle(world: World, runner: Runner) -> None:
    """Goes on until nothing is left to import: a killed importer's own start is imported as well."""
    for _ in range(3):
        runner.clock.instant += timedelta(hours=2)
        importing(runner, run_ref=False)
    assert world.names() == STATE
    assert not check(runner.store.access).problems
    messages = [entry.record for entry in transitions(runner.store.access, runner.store.read().observed_commit)]
    breaks = [each for record in messages for each in record.summary.get("breaks", [])]
    assert len(breaks) == len(set(breaks)) == 1
    assert runner.store.read().observed["database"] == observed("database")


@pytest.mark.parametrize("point", POINTS)
def test_an_importer_killed_anywhere_loses_nothing(world: World, alice: Runner, bob: Runner, point: str) -> None:
    broken_run(alice, bob)
    killed_at(point, lambda: importing(bob))
    settle(world, alice)


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_importers_killed_one_after_another_lose_nothing(
    world: World, alice: Runner, bob: Runner, first: str, second: str
) -> None:
    broken_run(alice, bob)
    killed_at(first, lambda: importing(bob))
    alice.clock.instant += timedelta(hours=2)
    killed_at(second, lambda: importing(alice))
    bob.clock.instant += timedelta(hours=4)
    settle(world, bob)


@pytest.mark.parametrize("point", SHORT_POINTS)
def test_an_import_without_a_run_ref_that_is_killed_loses_nothing(
    world: World, alice: Runner, bob: Runner, point: str
) -> None:
    broken_run(alice, bob)
    killed_at(point, lambda: importing(bob, run_ref=False))
    settle(world, alice)


@pytest.mark.parametrize("point", ["before push of hold", "after push of hold"])
def test_a_sender_that_is_killed_stands_in_nobodys_way(world: World, alice: Runner, bob: Runner, point: str) -> None:
    session = alice.take()
    killed_at(point, lambda: send(bob, session.run.run))
    released = session.release()
    assert released.ended == (point == "before push of hold")
    if not released.ended:
        session.release()
    assert world.names() == STATE


@pytest.mark.parametrize("point", ["before push of break", "after push of break"])
def test_a_break_that_is_killed_is_made_or_not(world: World, alice: Runner, bob: Runner, point: str) -> None:
    alice.take()
    killed_at(point, lambda: bob.store.break_lease(IDENTITY, "gone"))
    with pytest.raises(NylError) as caught:
        bob.take()
    assert caught.value.diagnostic.code is (Code.LEASE_HELD if "before" in point else Code.LEASE_BROKEN)
