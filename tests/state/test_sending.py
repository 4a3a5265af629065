"""Holds that are sent to live runs."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from nyl.state.changes import Batch
from nyl.state.lifecycles import Hold
from nyl.state.session import Session
from tests.state.worlds import IDENTITY, LOCATION, START, Runner, World, desired, transition

STATE = {LOCATION.desired_ref, LOCATION.observed_ref}
HOLD = Hold("bob", START, "incident")
START_DATABASE = Batch(starting={"database": desired("database")})


def send(runner: Runner, session: Session, unit: str = "database") -> bool:
    return runner.store.send_holds(session.run.run, {unit: HOLD}, IDENTITY, runner.store.access.look())


@pytest.mark.parametrize("before", [Batch(), Batch(starting={"other": desired("other")})])
def test_a_live_run_reads_the_hold_before_it_starts_the_unit(alice: Runner, bob: Runner, before: Batch) -> None:
    session = alice.take()
    session.checkpoint(before)
    assert send(bob, session)
    assert session.checkpoint(START_DATABASE) == {"database": HOLD}
    assert "database" not in session.run.executing


def test_holds_of_several_units_and_names_arrive(alice: Runner, bob: Runner) -> None:
    session = alice.take()
    names = ["database", "a/b", "..", "é.yaml"]
    assert all(send(bob, session, name) for name in names)
    assert session.checkpoint(Batch()).keys() == set(names)


def test_sending_takes_three_round_trips(alice: Runner, bob: Runner) -> None:
    session = alice.take()
    since = len(bob.calls.commands)
    send(bob, session)
    calls = [each for call in bob.calls.commands[since:] for each in call if each in ("push", "fetch")]
    assert calls == ["fetch", "push", "fetch"]


def test_a_run_that_changes_nothing_still_hears_a_hold_before_it_ends(world: World, alice: Runner, bob: Runner) -> None:
    session = alice.take()
    assert send(bob, session)
    assert session.release().late_holds == {"database": HOLD}
    session.commit(transition(session, "database"))
    assert session.release().ended
    assert world.names() == STATE


def expire(runner: Runner, session: Session) -> None:
    runner.clock.instant += timedelta(hours=2)


def land(runner: Runner, session: Session) -> None:
    session.commit(transition(session, "database"))


@pytest.mark.parametrize(
    "end", [lambda _, session: session.release(), lambda _, session: session.cancel(), expire, land]
)
def test_a_run_that_is_over_gets_no_hold(
    world: World, alice: Runner, bob: Runner, end: Callable[[Runner, Session], object]
) -> None:
    session = alice.take()
    session.checkpoint(START_DATABASE)
    end(bob, session)
    before = world.refs()
    assert not send(bob, session)
    assert world.refs() == before


def test_an_operation_without_a_run_ref_gets_no_hold(world: World, alice: Runner, bob: Runner) -> None:
    session = alice.store.take(alice.request(keeps_run_ref=False))
    assert not send(bob, session)


def test_a_broken_run_gets_no_hold(alice: Runner, bob: Runner) -> None:
    session = alice.take()
    bob.store.break_lease(IDENTITY, "gone")
    assert not send(bob, session)
