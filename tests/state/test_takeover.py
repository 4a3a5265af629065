"""Operations that import what dead runs left, and those that must wait for them."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.state import codec
from nyl.state.changes import Batch, Consumption
from nyl.state.coordination_documents import Break, Checkpoint, Lease, LeaseState
from nyl.state.lease import breaks_of
from nyl.state.session import Session
from tests.state.test_failures import Wire
from tests.state.worlds import LOCATION, START, Runner, World, desired, observed, transition

STATE = {LOCATION.desired_ref, LOCATION.observed_ref}
LEASE = "refs/nyl/dev/lease"
START_DATABASE = Batch(starting={"database": desired("database")})
DATABASE_DONE = Batch({"database": Checkpoint(observed("database"))})


def importer(runner: Runner, wait: timedelta | None = None) -> Session:
    return runner.store.take(runner.request(imports=True), wait)


def importing(session: Session, *units: str) -> None:
    """A whole import: what the dead runs left goes with the transition."""
    whole = transition(session, *units)
    session.commit(replace(whole, consumes=Consumption(frozenset(session.snapshot.runs))))
    assert session.release().trouble is None


def dead(runner: Runner) -> str:
    """A run that is cancelled after its unit ended."""
    session = runner.take()
    session.checkpoint(START_DATABASE)
    session.cancel(DATABASE_DONE)
    return session.run.run


def expired(runner: Runner) -> str:
    """A run that was killed while its unit was running, long ago."""
    session = runner.take()
    session.checkpoint(START_DATABASE)
    runner.clock.instant += timedelta(hours=2)
    return session.run.run


def break_lease(world: World, runner: Runner, **fields: object) -> Break:
    """Breaks the lease as an operator would."""
    lease = runner.store.read().lease
    assert lease is not None
    broken = Break(lease.run, "Bob <bob@example.com>", START, "gone")
    document = replace(lease, state=LeaseState.BROKEN, broken=broken, **fields)  # type: ignore[arg-type]
    world.edit(LEASE, "lease.yaml", codec.encode(codec.LEASE, document).decode())
    return broken


def lease_of(runner: Runner) -> Lease:
    lease = runner.store.read().lease
    assert lease is not None
    return lease


def refusal(call: Callable[[], object]) -> NylError:
    with pytest.raises(NylError) as caught:
        call()
    return caught.value


@pytest.mark.parametrize("die", [dead, expired])
def test_an_importer_takes_over_from_a_dead_run_and_its_refs_go_with_the_transition(
    world: World, alice: Runner, die: Callable[[Runner], str]
) -> None:
    run = die(alice)
    session = importer(alice)
    assert session.snapshot.runs.keys() == {run}
    assert session.snapshot.runs[run].desired.keys() == {"database"}
    importing(session, "database")
    assert world.names() == STATE


def test_taking_over_takes_as_few_round_trips_as_a_run_without_changes(alice: Runner) -> None:
    dead(alice)
    since = len(alice.calls.commands)
    importer(alice).release()
    network = [each for call in alice.calls.commands[since:] for each in call if each in ("push", "fetch")]
    assert network == ["push", "fetch", "push"]


def test_what_is_not_consumed_stays(world: World, alice: Runner) -> None:
    run = dead(alice)
    session = importer(alice)
    session.commit(transition(session, "other"))
    session.release()
    assert world.names() - STATE == {f"refs/nyl/dev/runs/{run}"}


def test_a_run_says_what_it_read_and_whom_it_followed(alice: Runner) -> None:
    first = expired(alice)
    session = importer(alice)
    session.checkpoint(Batch(starting={"other": desired("other")}))
    record = alice.store.read().runs[session.run.run].record
    assert record.after == (first,)
    assert record.read_observed == session.snapshot.observed_commit


def test_a_broken_lease_is_refused_to_everyone_but_importers(world: World, alice: Runner, bob: Runner) -> None:
    session = alice.take()
    session.checkpoint(START_DATABASE)
    break_lease(world, alice)
    told = refusal(bob.take).diagnostic
    assert told.code is Code.LEASE_BROKEN
    assert told.message == f"the lease of dev was broken and its run {session.run.run} has not been imported yet"
    assert told.fix.startswith("run `nyl recover -e dev` to import it")
    assert importer(bob).snapshot.runs.keys() == {session.run.run}


def test_who_waits_gets_a_broken_lease_once_it_is_imported(world: World, alice: Runner, bob: Runner) -> None:
    alice.take().checkpoint(START_DATABASE)
    break_lease(world, alice)

    def import_it() -> None:
        bob.clock.on_sleep = lambda: None
        importing(importer(alice), "database")

    bob.clock.on_sleep = import_it
    bob.take(timedelta(minutes=1)).release()
    assert any("to be imported" in each for each in bob.told)
    assert world.names() == STATE


def test_a_taken_over_break_stays_in_the_lease_until_it_is_recorded(world: World, alice: Runner, bob: Runner) -> None:
    alice.take().checkpoint(START_DATABASE)
    broken = break_lease(world, alice)
    session = importer(bob)
    assert session.lease.taken_over == (broken,)
    session.commit(replace(transition(session, "database"), consumes=Consumption(frozenset(session.snapshot.runs))))
    assert session.lease.taken_over == ()
    session.release()
    assert world.names() == STATE


@pytest.mark.parametrize("end", [Session.release, Session.cancel, Session.abandon])
def test_an_importer_that_ends_without_a_transition_puts_the_broken_lease_back(
    world: World, alice: Runner, bob: Runner, end: Callable[[Session], object]
) -> None:
    run = alice.take()
    run.checkpoint(START_DATABASE)
    broken = break_lease(world, alice)
    end(importer(bob))
    lease = lease_of(bob)
    assert (lease.state, lease.broken, lease.run) == (LeaseState.BROKEN, broken, run.run.run)
    assert world.names() - STATE == {
        LEASE,
        f"refs/nyl/dev/runs/{run.run.run}",
        f"refs/nyl/dev/signals/{run.run.run}",
    }
    assert refusal(bob.take).diagnostic.code is Code.LEASE_BROKEN


def test_a_cancelled_importer_leaves_its_results_beside_the_broken_lease(
    world: World, alice: Runner, bob: Runner
) -> None:
    first = alice.take()
    first.checkpoint(START_DATABASE)
    break_lease(world, alice)
    second = importer(bob)
    second.checkpoint(Batch(starting={"other": desired("other")}))
    second.cancel()
    assert importer(bob).snapshot.runs.keys() == {first.run.run, second.run.run}


def test_breaks_add_up_until_one_transition_records_them(world: World, alice: Runner, bob: Runner) -> None:
    alice.take().checkpoint(START_DATABASE)
    first = break_lease(world, alice)
    importer(bob).checkpoint(Batch(starting={"other": desired("other")}))
    second = break_lease(world, alice)
    assert breaks_of(lease_of(bob)) == (first, second)
    session = importer(alice)
    assert session.lease.taken_over == (first, second)
    session.abandon()
    assert breaks_of(lease_of(bob)) == (first, second)


def test_the_break_of_a_killed_importer_survives_in_its_expired_lease(world: World, alice: Runner, bob: Runner) -> None:
    run = alice.take()
    run.checkpoint(START_DATABASE)
    broken = break_lease(world, alice)
    importer(bob)
    bob.clock.instant += timedelta(hours=2)
    assert refusal(bob.take).diagnostic.code is Code.RUN_UNIMPORTED
    session = importer(bob)
    assert session.lease.taken_over == (broken,)
    assert session.snapshot.runs.keys() == {run.run.run}


def test_a_runner_that_cannot_read_state_puts_the_broken_lease_back(world: World, alice: Runner, bob: Runner) -> None:
    alice.take().checkpoint(START_DATABASE)
    broken = break_lease(world, alice)
    world.edit(LOCATION.observed_ref, "observed/units/x.yaml", "kind: [")
    assert refusal(lambda: importer(bob)).diagnostic.code is Code.STATE_CORRUPT
    commit = world.refs()[LEASE]
    alice.git("fetch", "-q", str(world.origin), LEASE)
    assert alice.store.access.coordination.lease(commit).broken == broken


@pytest.mark.parametrize("keeps_run_ref", [True, False], ids=["a run", "a short operation"])
def test_a_broken_lease_of_a_holder_that_left_nothing_must_still_be_recorded(
    world: World, alice: Runner, bob: Runner, *, keeps_run_ref: bool
) -> None:
    alice.store.take(alice.request(keeps_run_ref=keeps_run_ref))
    broken = break_lease(world, alice)
    assert refusal(bob.take).diagnostic.code is Code.LEASE_BROKEN
    session = importer(bob)
    assert session.snapshot.runs == {}
    assert session.lease.taken_over == (broken,)
    told = replace(transition(session), environment=None, announces=True, summary={"leaseBroken": {"by": broken.by}})
    landed = session.commit(told)
    session.release()
    assert landed.observed is not None
    assert landed.desired is None
    assert world.names() == STATE


def test_a_run_whose_lease_was_broken_saves_late_results_that_are_imported_next(
    world: World, alice: Runner, bob: Runner
) -> None:
    session = alice.take()
    session.checkpoint(START_DATABASE)
    break_lease(world, alice)
    taker = importer(bob)
    assert refusal(lambda: session.checkpoint(DATABASE_DONE)).diagnostic.code is Code.LEASE_LOST
    importing(taker, "database")
    left = importer(bob).snapshot.runs
    assert left.keys() == {session.run.run}
    assert left[session.run.run].checkpoints.keys() == {"database"}


def test_a_run_ref_that_was_consumed_is_made_again_for_late_results(world: World, alice: Runner, bob: Runner) -> None:
    session = alice.take()
    session.checkpoint(START_DATABASE)
    break_lease(world, alice)
    importing(importer(bob), "database")
    assert world.names() == STATE
    assert refusal(lambda: session.checkpoint(DATABASE_DONE)).diagnostic.code is Code.LEASE_LOST
    assert importer(bob).snapshot.runs[session.run.run].checkpoints.keys() == {"database"}


def test_a_consumer_without_news_lets_the_refs_go_as_well(world: World, alice: Runner) -> None:
    dead(alice)
    session = importer(alice)
    session.release(Consumption(frozenset(session.snapshot.runs)))
    assert world.names() == STATE


def test_a_takeover_whose_every_answer_is_lost_works_all_the_same(world: World, alice: Runner, bob: Runner) -> None:
    alice.take().checkpoint(START_DATABASE)
    broken = break_lease(world, alice)
    Wire(bob).lose_answers = True
    session = importer(bob)
    assert session.lease.taken_over == (broken,)
    importing(session, "database")
    assert world.names() == STATE


def test_a_break_that_is_put_back_is_so_though_the_answer_is_lost(world: World, alice: Runner, bob: Runner) -> None:
    alice.take().checkpoint(START_DATABASE)
    broken = break_lease(world, alice)
    wire = Wire(bob)
    session = importer(bob)
    wire.lose_answers = True
    session.cancel()
    assert lease_of(alice).broken == broken


def test_of_importers_that_race_for_a_broken_lease_one_wins(world: World, alice: Runner, bob: Runner) -> None:
    alice.take().checkpoint(START_DATABASE)
    broken = break_lease(world, alice)
    wire, won = Wire(bob), list[Session]()
    # Bob's first push finds the broken lease; before his second one Alice has taken it over.
    wire.before_push = lambda: setattr(wire, "before_push", lambda: won.append(importer(alice)))
    assert refusal(lambda: importer(bob)).diagnostic.code is Code.LEASE_HELD
    assert won[0].lease.taken_over == (broken,)
    importing(won[0], "database")
    assert world.names() == STATE
