"""Operations without a run ref: the lease, one push with everything, and nothing left."""

from dataclasses import replace

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.state.changes import Batch, Consumption, Landed, Transition
from nyl.state.coordination_documents import Checkpoint, LeaseState
from nyl.state.landing import StateMoved
from nyl.state.session import Session
from tests.state.test_failures import REFUSE, Wire, hold
from tests.state.worlds import IDENTITY, LOCATION, Runner, World, desired, observed, transition, uncertain

STATE = {LOCATION.desired_ref, LOCATION.observed_ref}
START_DATABASE = Batch(starting={"database": desired("database")})


def short(runner: Runner, imports: bool = False) -> Session:
    return runner.store.take(runner.request(keeps_run_ref=False, imports=imports))


def dead(runner: Runner) -> str:
    session = runner.store.take(runner.request(imports=True))
    session.checkpoint(START_DATABASE)
    session.cancel(Batch({"database": uncertain("database")}))
    return session.run.run


def consuming(session: Session, retired: bool = False, *evidence: str) -> Transition:
    runs = frozenset(session.snapshot.runs)
    consumption = Consumption(runs, runs if retired else frozenset(), frozenset(evidence))
    return replace(transition(session, "database"), consumes=consumption)


def evidence_of(run: str) -> str:
    return f"refs/nyl/dev/evidence/{run}"


def test_a_short_operation_has_no_run_ref(world: World, alice: Runner) -> None:
    session = short(alice)
    assert world.names() - STATE == {"refs/nyl/dev/lease"}
    session.release()
    assert world.names() == STATE


def test_a_short_operation_takes_three_round_trips_and_few_processes(alice: Runner) -> None:
    since = len(alice.calls.commands)
    session = short(alice)
    session.conclude(transition(session, "database"))
    calls = alice.calls.commands[since:]
    assert [each for call in calls for each in call if each in ("push", "fetch")] == ["push", "fetch", "push"]
    assert len(calls) <= 10
    assert alice.store.read().observed.keys() == {"database"}


def test_a_conclusion_without_anything_to_write_only_lets_go(world: World, alice: Runner) -> None:
    before = world.refs()
    session = short(alice)
    assert session.conclude(Transition("", {}, {})) == Landed(None, None)
    assert world.refs() == before


def test_a_conclusion_whose_answer_is_lost_is_found_to_be_made(world: World, alice: Runner) -> None:
    wire = Wire(alice)
    session = short(alice)
    wire.lose_answers = True
    landed = session.conclude(transition(session, "database"))
    assert landed.observed == world.refs()[LOCATION.observed_ref]
    assert world.names() == STATE


def test_a_conclusion_follows_others_who_wrote_elsewhere(world: World, alice: Runner) -> None:
    wire = Wire(alice)
    session = short(alice)
    wire.before_push = lambda: world.edit(LOCATION.observed_ref, "other/state.yaml", "x: 1\n")
    session.conclude(transition(session, "database"))
    assert world.names() == STATE
    assert alice.store.read().observed.keys() == {"database"}


def test_a_conclusion_on_state_that_moved_is_decided_again(world: World, alice: Runner) -> None:
    alice.reconcile("database")
    session = short(alice)
    world.edit(LOCATION.desired_ref, "desired/units/database.yaml", None)
    world.edit(LOCATION.observed_ref, "observed/units/database.yaml", None)
    with pytest.raises(StateMoved):
        session.conclude(transition(session, "database"))
    session.conclude(transition(session, "other"))
    assert world.names() == STATE
    assert alice.store.read().observed.keys() == {"other"}


def test_a_refused_conclusion_leaves_no_lease_and_no_partial_state(world: World, alice: Runner) -> None:
    session = short(alice)
    before = world.refs()[LOCATION.observed_ref]
    world.hook("update", REFUSE.format(ref=LOCATION.desired_ref))
    with pytest.raises(NylError) as caught:
        session.conclude(transition(session, "database"))
    assert caught.value.diagnostic.code is Code.PUSH_REFUSED
    assert world.names() == STATE
    assert world.refs()[LOCATION.observed_ref] == before


def test_a_conclusion_of_a_broken_operation_writes_nothing(world: World, alice: Runner, bob: Runner) -> None:
    session = short(alice)
    before = {ref: world.refs()[ref] for ref in STATE}
    bob.store.break_lease(IDENTITY, "gone")
    with pytest.raises(NylError) as caught:
        session.conclude(transition(session, "database"))
    assert caught.value.diagnostic.code is Code.LEASE_LOST
    assert {ref: world.refs()[ref] for ref in STATE} == before


def test_an_import_without_a_run_ref_consumes_in_the_same_push(world: World, alice: Runner) -> None:
    dead(alice)
    wire = Wire(alice)
    session = short(alice, imports=True)
    session.conclude(consuming(session))
    assert (wire.pushes, wire.fetches) == (2, 1)
    assert world.names() == STATE


@pytest.mark.parametrize("keeps_run_ref", [True, False])
def test_a_retired_run_stays_as_evidence_until_nothing_needs_it(
    world: World, alice: Runner, keeps_run_ref: bool
) -> None:
    run = dead(alice)
    commit = world.refs()[f"refs/nyl/dev/runs/{run}"]
    session = alice.store.take(alice.request(imports=True, keeps_run_ref=keeps_run_ref))
    end(session, consuming(session, True), keeps_run_ref)
    assert world.refs()[evidence_of(run)] == commit
    assert world.names() == {*STATE, evidence_of(run)}
    session = alice.store.take(alice.request(keeps_run_ref=keeps_run_ref))
    assert session.snapshot.runs == {}
    assert session.snapshot.evidence[run].checkpoints == {"database": uncertain("database")}
    end(session, consuming(session, False, run), keeps_run_ref)
    assert world.names() == STATE


def end(session: Session, change: Transition, keeps_run_ref: bool) -> None:
    """Writes a transition the way that suits the operation."""
    if keeps_run_ref:
        session.commit(change)
        session.release()
    else:
        session.conclude(change)


def test_evidence_of_a_run_that_is_retired_again_is_brought_forward(world: World, alice: Runner, bob: Runner) -> None:
    session = alice.take()
    session.checkpoint(START_DATABASE)
    bob.store.break_lease(IDENTITY, "gone")
    taker = short(bob, imports=True)
    taker.conclude(consuming(taker, True))
    with pytest.raises(NylError):
        session.checkpoint(Batch({"database": Checkpoint(observed("database"))}))
    taker = short(bob, imports=True)
    assert taker.snapshot.runs.keys() == {session.run.run}
    taker.conclude(consuming(taker, True))
    assert world.names() == {*STATE, evidence_of(session.run.run)}
    kept = bob.store.read().evidence[session.run.run]
    assert kept.checkpoints == {"database": Checkpoint(observed("database"))}


def test_a_run_ref_that_moved_since_it_was_read_stays(world: World, alice: Runner, bob: Runner) -> None:
    session = alice.take()
    session.checkpoint(START_DATABASE)
    bob.store.break_lease(IDENTITY, "gone")
    taker = short(bob, imports=True)
    with pytest.raises(NylError):
        session.checkpoint(Batch({"database": Checkpoint(observed("database"))}))
    taker.conclude(consuming(taker))
    assert bob.store.read().runs.keys() == {session.run.run}
    assert world.names() == {*STATE, f"refs/nyl/dev/runs/{session.run.run}"}


@pytest.mark.parametrize("retired", [True, False])
def test_what_a_crash_after_a_landing_left_is_tidied_by_anyone(
    world: World, alice: Runner, bob: Runner, retired: bool
) -> None:
    run = dead(alice)
    commit = world.refs()[f"refs/nyl/dev/runs/{run}"]
    crashed = alice.store.take(alice.request(imports=True))
    crashed.commit(consuming(crashed, retired))
    assert crashed.lease.state is LeaseState.LANDED
    assert crashed.lease.consumed == {run: commit}
    short(bob).release()
    assert world.names() == STATE | ({evidence_of(run)} if retired else set())


def test_a_late_result_after_a_crashed_landing_is_not_tidied(world: World, alice: Runner, bob: Runner) -> None:
    session = alice.take()
    session.checkpoint(START_DATABASE)
    bob.store.break_lease(IDENTITY, "gone")
    crashed = bob.store.take(bob.request(imports=True))
    crashed.commit(consuming(crashed))
    with pytest.raises(NylError):
        session.checkpoint(Batch({"database": Checkpoint(observed("database"))}))
    with pytest.raises(NylError) as caught:
        short(bob)
    assert caught.value.diagnostic.code is Code.RUN_UNIMPORTED
    assert short(bob, imports=True).snapshot.runs.keys() == {session.run.run}


def test_evidence_that_cannot_be_read_stands_in_nobodys_way(world: World, alice: Runner) -> None:
    world.edit(evidence_of("01a1"), "run.yaml", "kind: [")
    alice.reconcile("database")
    evidence = alice.store.read().evidence
    assert list(evidence) == ["01a1"]
    with pytest.raises(NylError) as caught:
        evidence["01a1"]
    assert caught.value.diagnostic.code is Code.STATE_CORRUPT


@pytest.mark.parametrize("write", [True, False])
def test_a_hold_that_nobody_applied_outlives_operations_that_import_nothing(
    world: World, alice: Runner, write: bool
) -> None:
    hold(world, "01a1")
    session = short(alice)
    session.conclude(transition(session, "database") if write else Transition("", {}, {}))
    assert world.names() == {*STATE, "refs/nyl/dev/signals/01a1"}
    assert short(alice, imports=True).snapshot.dead_holds.keys() == {"database"}


def test_evidence_goes_though_there_is_nothing_to_write(world: World, alice: Runner) -> None:
    dead(alice)
    session = short(alice, imports=True)
    session.conclude(consuming(session, True))
    (run,) = alice.store.read().evidence
    session = short(alice)
    session.conclude(Transition("", {}, {}, consumes=Consumption(evidence=frozenset({run}))))
    assert world.names() == STATE
