"""Who gets the lease."""

import threading
from datetime import timedelta

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.core.exits import Exit
from nyl.state.changes import Batch
from nyl.state.session import Session
from tests.state.worlds import LOCATION, Runner, World, desired, transition

STATE = {LOCATION.desired_ref, LOCATION.observed_ref}


def refusal(runner: Runner, wait: timedelta | None = None) -> NylError:
    with pytest.raises(NylError) as caught:
        runner.take(wait)
    return caught.value


def test_a_held_lease_is_refused_naming_holder_and_remedy(alice: Runner, bob: Runner) -> None:
    session = alice.take()
    told = refusal(bob).diagnostic
    assert told.code is Code.LEASE_HELD
    assert told.code.exit is Exit.WAITING
    assert told.message == (
        f"dev is held by run {session.run.run} (reconcile) by alice@host, until 2026-10-25T13:45:12.386099409+00:00"
    )
    assert told.fix == (
        "wait for that run to finish, pass --wait-lease <duration>, or run `nyl lease break` if its runner is gone"
    )


def test_a_refused_runner_leaves_nothing_behind(world: World, alice: Runner, bob: Runner) -> None:
    alice.take()
    before = world.refs()
    refusal(bob)
    assert world.refs() == before


def test_of_runners_that_start_in_the_same_instant_one_wins(world: World, alice: Runner) -> None:
    runners = [world.runner(f"runner{number}") for number in range(4)]
    won: list[Session] = []
    lost: list[NylError] = []
    gate = threading.Barrier(len(runners))

    def start(runner: Runner) -> None:
        gate.wait()
        try:
            won.append(runner.take())
        except NylError as error:
            lost.append(error)

    threads = [threading.Thread(target=start, args=(each,)) for each in runners]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1
    assert {each.diagnostic.code for each in lost} == {Code.LEASE_HELD}
    run = won[0].run.run
    assert world.names() - STATE == {"refs/nyl/dev/lease", f"refs/nyl/dev/runs/{run}", f"refs/nyl/dev/signals/{run}"}


def test_two_leases_of_one_identity_and_second_are_different_objects(world: World, alice: Runner) -> None:
    request = alice.request()
    first = alice.store.take(request)
    commit = world.refs()["refs/nyl/dev/lease"]
    first.release()
    alice.store.take(request)
    assert world.refs()["refs/nyl/dev/lease"] != commit


def test_a_run_ref_alone_holds_the_environment(world: World, alice: Runner, bob: Runner) -> None:
    session = alice.take()
    alice.git("push", "-q", str(world.origin), ":refs/nyl/dev/lease")
    assert session.run.run in refusal(bob).diagnostic.message


def test_a_waiting_runner_gets_the_lease_when_it_is_released(alice: Runner, bob: Runner) -> None:
    session = alice.take()
    bob.clock.on_sleep = lambda: bob.clock.slept > 2 and session.release()  # type: ignore[func-returns-value]
    bob.take(timedelta(minutes=1))
    assert any("waiting for run" in each for each in bob.told)


def test_a_cancelled_runner_waits_no_longer(world: World, alice: Runner, bob: Runner) -> None:
    alice.take()
    before, began = world.refs(), bob.clock.monotonic()
    request = bob.request(given_up=lambda: bob.clock.monotonic() > began + 3)
    with pytest.raises(NylError) as caught:
        bob.store.take(request, timedelta(minutes=10))
    assert caught.value.diagnostic.code is Code.RUN_CANCELLED
    assert bob.clock.monotonic() < began + 4
    assert world.refs() == before


def test_a_waiting_runner_gives_up_when_its_time_is_over(alice: Runner, bob: Runner) -> None:
    alice.take()
    assert refusal(bob, timedelta(seconds=30)).diagnostic.code is Code.LEASE_HELD
    assert 29.9 < bob.clock.slept < 30.1


def test_a_deadline_is_counted_from_when_the_lease_was_taken(alice: Runner, bob: Runner) -> None:
    session = alice.take()
    bob.clock.on_sleep = lambda: bob.clock.slept > 5 and session.release()  # type: ignore[func-returns-value]
    taken = bob.take(timedelta(minutes=1))
    assert taken.lease.deadline == taken.lease.taken_at + timedelta(minutes=40)
    assert taken.lease.taken_at == bob.clock.now()


def test_an_expired_run_with_results_must_be_imported_first(world: World, alice: Runner, bob: Runner) -> None:
    alice.take().checkpoint(Batch(starting={"database": desired("database")}))
    before = world.refs()
    bob.clock.instant += timedelta(hours=2)
    error = refusal(bob)
    assert error.diagnostic.code is Code.RUN_UNIMPORTED
    assert error.exit is Exit.WAITING
    assert world.refs() == before


def test_an_expired_run_that_recorded_nothing_is_replaced(world: World, alice: Runner, bob: Runner) -> None:
    alice.take()
    bob.clock.instant += timedelta(hours=2)
    bob.take().release()
    assert world.names() == STATE


def test_a_run_whose_empty_lease_was_replaced_has_lost_it(alice: Runner, bob: Runner) -> None:
    session = alice.take()
    bob.clock.instant += timedelta(hours=2)
    bob.take()
    with pytest.raises(NylError) as caught:
        session.checkpoint(Batch(starting={"database": desired("database")}))
    assert caught.value.diagnostic.code is Code.LEASE_LOST


def test_a_cancelled_run_must_be_imported_first(alice: Runner, bob: Runner) -> None:
    session = alice.take()
    session.checkpoint(Batch(starting={"database": desired("database")}))
    session.cancel()
    assert refusal(bob).diagnostic.code is Code.RUN_UNIMPORTED


def test_missing_state_names_the_command_and_leaves_nothing(world: World) -> None:
    told = refusal(world.runner()).diagnostic
    assert told.code is Code.STATE_MISSING
    assert "nyl state init -e dev" in told.fix
    assert not world.names()


def test_state_that_cannot_be_trusted_leaves_no_lease(world: World, alice: Runner) -> None:
    alice.reconcile("database")
    world.edit(LOCATION.observed_ref, "observed/units/database.yaml", "apiVersion: gitops.nyl/v1\nkind: Obs")
    assert refusal(world.runner("bob")).diagnostic.code is Code.STATE_CORRUPT
    assert world.names() == STATE


def test_an_operation_goes_on_after_one_that_crashed_before_its_release(alice: Runner, bob: Runner) -> None:
    crashed = alice.take()
    crashed.checkpoint(Batch(starting={"database": desired("database")}))
    crashed.commit(transition(crashed, "database"))
    assert bob.take().snapshot.observed.keys() == {"database"}


def test_a_run_ref_that_cannot_be_read_leaves_no_lease(world: World, alice: Runner) -> None:
    world.edit("refs/nyl/dev/runs/01a1", "run.yaml", "kind: [")
    assert refusal(alice).diagnostic.code is Code.STATE_CORRUPT
    assert world.names() - STATE == {"refs/nyl/dev/runs/01a1"}


def test_state_of_another_environment_is_not_taken_for_ours(alice: Runner, world: World) -> None:
    alice.reconcile("database")
    other = world.runner("bob", environment="prod")
    told = refusal(other).diagnostic
    assert told.code is Code.STATE_CORRUPT
    assert "belongs to environment dev" in told.message
    assert world.names() == STATE
