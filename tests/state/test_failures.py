"""Remotes that refuse, hide, forget to answer, and other writers at the wrong moment."""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.core.exits import Exit
from nyl.git.updates import PushResult, RefStatus, RefUpdate
from nyl.state.changes import Batch
from nyl.state.coordination_documents import Checkpoint, RunState
from nyl.state.landing import StateMoved
from nyl.state.session import Session
from nyl.state.store import StateStore
from tests.state.worlds import LOCATION, Runner, World, desired, git, observed, transition, uncertain

STATE = {LOCATION.desired_ref, LOCATION.observed_ref}
START_DATABASE = Batch(starting={"database": desired("database")})
DATABASE_DONE = Batch({"database": Checkpoint(observed("database"))})


class Wire:
    """A remote whose answers a test can lose: the push is made, and nobody hears of it."""

    def __init__(self, runner: Runner) -> None:
        self._remote = runner.parts.remote
        self.lose_answers = False
        self.before_push: Callable[[], object] = lambda: None
        self.around_push: list[tuple[Callable[[], object], Callable[[], object]]] = []
        self.seen_instead: list[dict[str, str] | NylError] = []
        self.pushes = 0
        self.fetches = 0
        runner.store = StateStore(replace(runner.parts, remote=self), runner.environment, runner.location)

    @property
    def description(self) -> str:
        return self._remote.description

    def push(self, updates: Sequence[RefUpdate]) -> PushResult:
        self.pushes += 1
        then, self.before_push = self.before_push, lambda: None
        then()
        arrive, leave = self.around_push.pop() if self.around_push else (then, then)
        arrive()
        result = self._remote.push(updates)
        leave()
        if self.lose_answers:
            return PushResult({each.ref: RefStatus.UNKNOWN for each in updates}, answered=False, tries=3)
        return result

    def fetch(self, *patterns: str) -> dict[str, str]:
        self.fetches += 1
        instead = self.seen_instead.pop() if self.seen_instead else self._remote.fetch(*patterns)
        if isinstance(instead, NylError):
            raise instead
        return instead

    def list(self, *patterns: str) -> dict[str, str]:
        return self._remote.list(*patterns)

    def deepen(self, amount: str, *patterns: str) -> dict[str, str]:
        return self._remote.deepen(amount, *patterns)


@pytest.fixture
def wire(alice: Runner) -> Wire:
    return Wire(alice)


def error_of(call: Callable[[], object]) -> NylError:
    with pytest.raises(NylError) as caught:
        call()
    return caught.value


# Answers that get lost


def test_a_run_whose_every_answer_is_lost_works_all_the_same(world: World, alice: Runner, wire: Wire) -> None:
    wire.lose_answers = True
    session = alice.take()
    session.checkpoint(START_DATABASE)
    session.checkpoint(DATABASE_DONE)
    session.commit(transition(session, "database"))
    assert session.release().trouble is None
    assert world.names() == STATE
    assert alice.store.read().observed.keys() == {"database"}


def test_a_cancelled_run_whose_answers_are_lost_ends_once(world: World, alice: Runner, wire: Wire) -> None:
    session = alice.take()
    session.checkpoint(START_DATABASE)
    wire.lose_answers = True
    session.cancel(Batch({"database": uncertain("database")}))
    record = alice.store.read().runs[session.run.run].record
    assert record.state is RunState.FINISHED
    assert "refs/nyl/dev/lease" not in world.names()


# Remotes that refuse


REFUSE = 'case "$1" in {ref}) echo "rule 7 says no" >&2; exit 1;; esac'


def test_a_refused_lease_names_ref_text_and_setting(world: World, alice: Runner) -> None:
    world.hook("update", REFUSE.format(ref="refs/nyl/*"))
    error = error_of(alice.take)
    assert error.diagnostic.code is Code.PUSH_REFUSED
    assert error.exit is Exit.ERROR
    assert "refs/nyl/dev/lease" in error.diagnostic.message
    assert "rule 7 says no" in error.diagnostic.message
    assert "coordinationRefPrefix" in error.diagnostic.fix
    assert world.names() == STATE


def test_runs_that_come_and_go_while_the_lease_is_pushed_are_no_refusal(
    world: World, alice: Runner, bob: Runner, wire: Wire
) -> None:
    for _ in range(4):
        held: list[Session] = []
        wire.around_push.append((lambda held=held: held.append(bob.take()), lambda held=held: held.pop().release()))
    session = alice.take()
    assert not wire.around_push
    session.release()
    assert world.names() == STATE


def test_a_lease_that_is_there_and_never_shown_is_found_out(world: World, alice: Runner, bob: Runner) -> None:
    bob.take()
    git(world.origin, "config", "uploadpack.hideRefs", "refs/nyl")
    error = error_of(alice.take)
    assert error.diagnostic.code is Code.PUSH_REFUSED
    assert "lease" in error.diagnostic.message


def test_a_refused_run_ref_leaves_no_lease(world: World, alice: Runner) -> None:
    world.hook("update", REFUSE.format(ref="refs/nyl/dev/runs/*"))
    error = error_of(alice.take)
    assert "refs/nyl/dev/runs/" in error.diagnostic.message
    assert world.names() == STATE


def test_a_refused_state_ref_leaves_a_finished_run_and_no_lease(world: World, alice: Runner) -> None:
    session = alice.take()
    session.checkpoint(START_DATABASE)
    session.checkpoint(DATABASE_DONE)
    before = world.refs()[LOCATION.observed_ref]
    world.hook("update", REFUSE.format(ref=LOCATION.desired_ref))
    error = error_of(lambda: session.commit(transition(session, "database")))
    assert error.diagnostic.code is Code.PUSH_REFUSED
    assert LOCATION.desired_ref in error.diagnostic.message
    assert world.refs()[LOCATION.observed_ref] == before
    run = alice.store.read().runs[session.run.run]
    assert run.record.state is RunState.FINISHED
    assert run.checkpoints.keys() == {"database"}
    assert "refs/nyl/dev/lease" not in world.names()


def test_results_of_the_last_wave_survive_a_refused_state_ref(world: World, alice: Runner) -> None:
    session = alice.take()
    world.hook("update", REFUSE.format(ref=LOCATION.observed_ref))
    results = DATABASE_DONE.checkpoints
    error_of(lambda: session.commit(transition(session, "database"), results=results))
    assert alice.store.read().runs[session.run.run].checkpoints.keys() == {"database"}


def test_a_remote_that_hides_leases_is_found_out_before_any_unit(world: World, alice: Runner) -> None:
    world.edit("refs/heads/x", "x", "x")
    for setting in ("uploadpack.hideRefs",):
        alice.git(f"--git-dir={world.origin}", "config", setting, "refs/nyl")
    error = error_of(alice.take)
    assert error.diagnostic.code is Code.PUSH_REFUSED
    assert "hides" in error.diagnostic.message
    assert not [each for each in world.names() if each.startswith("refs/nyl/")]


def test_a_remote_that_refuses_hidden_refs_is_named(world: World, alice: Runner) -> None:
    alice.git(f"--git-dir={world.origin}", "config", "transfer.hideRefs", "refs/nyl")
    error = error_of(alice.take)
    assert error.diagnostic.code is Code.PUSH_REFUSED
    assert "coordinationRefPrefix" in error.diagnostic.fix


def test_a_remote_without_atomic_pushes_is_refused(world: World, alice: Runner) -> None:
    alice.git(f"--git-dir={world.origin}", "config", "receive.advertiseAtomic", "false")
    error = error_of(alice.take)
    assert error.diagnostic.code is Code.PUSH_REFUSED
    assert "atomic" in error.diagnostic.message
    assert "receive.advertiseAtomic" in error.diagnostic.fix
    assert world.names() == STATE


def test_a_ref_that_leaves_no_room_for_the_lease_is_named(world: World, alice: Runner) -> None:
    world.edit("refs/nyl/dev", "x", "x")
    error = error_of(alice.take)
    assert error.diagnostic.code is Code.PUSH_REFUSED
    assert error.diagnostic.fix.endswith("rename refs/nyl/dev there if nothing uses it")


def test_a_branch_prefix_takes_leases_where_custom_refs_are_refused(world: World, alice: Runner) -> None:
    world.hook("update", REFUSE.format(ref="refs/nyl/*"))
    runner = alice.at(replace(LOCATION, coordination_prefix="refs/heads/nyl-run"))
    session = runner.take()
    assert "refs/heads/nyl-run/dev/lease" in world.names()
    session.release()
    assert world.names() == STATE


def test_leases_move_forward_only(world: World, alice: Runner) -> None:
    alice.git(f"--git-dir={world.origin}", "config", "receive.denyNonFastForwards", "true")
    alice.reconcile("database")
    assert world.names() == STATE


# Leases that are lost


def broken(world: World, runner: Runner) -> None:
    """Moves the lease to a commit of somebody else."""
    world.edit("refs/nyl/dev/lease", "lease.yaml", world.file("refs/nyl/dev/lease", "lease.yaml") + "# broken\n")


def test_a_lost_lease_saves_results_on_the_run_ref_alone(world: World, alice: Runner) -> None:
    session = alice.take()
    session.checkpoint(START_DATABASE)
    before = {ref: world.refs()[ref] for ref in STATE}
    broken(world, alice)
    error = error_of(lambda: session.checkpoint(DATABASE_DONE))
    assert error.diagnostic.code is Code.LEASE_LOST
    assert error.exit is Exit.UNCERTAIN
    run = alice.store.read().runs[session.run.run]
    assert run.record.state is RunState.FINISHED
    assert run.checkpoints.keys() == {"database"}
    assert {ref: world.refs()[ref] for ref in STATE} == before


def test_a_lost_run_ref_is_recreated_with_what_was_not_imported(world: World, alice: Runner) -> None:
    session = alice.take()
    session.checkpoint(START_DATABASE)
    run = f"refs/nyl/dev/runs/{session.run.run}"
    alice.git("push", "-q", str(world.origin), ":refs/nyl/dev/lease", f":{run}")
    assert error_of(lambda: session.checkpoint(DATABASE_DONE)).diagnostic.code is Code.LEASE_LOST
    assert alice.store.read().runs[session.run.run].record.state is RunState.FINISHED


def test_a_lost_lease_lands_no_transition(world: World, alice: Runner) -> None:
    session = alice.take()
    before = {ref: world.refs()[ref] for ref in STATE}
    broken(world, alice)
    error = error_of(lambda: session.commit(transition(session, "database")))
    assert error.diagnostic.code is Code.LEASE_LOST
    assert {ref: world.refs()[ref] for ref in STATE} == before


def test_a_deleted_run_ref_of_a_holder_is_made_again(world: World, alice: Runner) -> None:
    session = alice.take()
    alice.git("push", "-q", str(world.origin), f":refs/nyl/dev/runs/{session.run.run}")
    session.checkpoint(START_DATABASE)
    assert alice.store.read().runs[session.run.run].record.executing.keys() == {"database"}


def test_a_lease_deleted_by_hand_leaves_no_empty_run_ref(world: World, alice: Runner) -> None:
    session = alice.take()
    alice.git("push", "-q", str(world.origin), ":refs/nyl/dev/lease")
    assert error_of(session.release).diagnostic.code is Code.LEASE_LOST
    assert world.names() == STATE


# Holds


HOLD = """\
apiVersion: gitops.nyl/v1
kind: Signal
environment: dev
unit: database
hold: {by: bob, at: '2026-10-25T13:05:12Z', reason: incident}
"""


def hold(world: World, run: str) -> None:
    world.edit(f"refs/nyl/dev/signals/{run}", "holds/database.yaml", HOLD)


def test_a_hold_sent_before_the_first_start_is_read(world: World, alice: Runner) -> None:
    session = alice.take()
    hold(world, session.run.run)
    assert session.checkpoint(START_DATABASE)["database"].reason == "incident"
    assert not session.run.executing


def test_a_hold_sent_between_batches_is_read_before_the_next_start(world: World, alice: Runner, wire: Wire) -> None:
    session = alice.take()
    other = Batch(starting={"other": desired("other")})
    assert not session.checkpoint(other)
    hold(world, session.run.run)
    assert session.checkpoint(START_DATABASE).keys() == {"database"}
    assert session.run.executing.keys() == {"other"}


def test_a_batch_without_news_is_one_push(alice: Runner, wire: Wire) -> None:
    session = alice.take()
    before = wire.pushes, wire.fetches
    session.checkpoint(START_DATABASE)
    session.checkpoint(DATABASE_DONE)
    assert (wire.pushes - before[0], wire.fetches - before[1]) == (2, 0)


def test_a_release_deletes_the_signals_ref(world: World, alice: Runner) -> None:
    session = alice.take()
    hold(world, session.run.run)
    session.checkpoint(START_DATABASE)
    session.commit(transition(session, "database"))
    assert not session.release().late_holds
    assert world.names() == STATE


def late_hold(world: World, session: Session) -> None:
    """A run that landed, and that a hold reaches before it lets go."""
    session.checkpoint(START_DATABASE)
    session.commit(transition(session, "database"))
    hold(world, session.run.run)
    released = session.release()
    assert released.late_holds.keys() == {"database"}
    assert not released.ended


def test_a_hold_that_comes_too_late_goes_into_another_transition(world: World, alice: Runner) -> None:
    session = alice.take()
    late_hold(world, session)
    assert session.snapshot.observed.keys() == {"database"}
    session.commit(transition(session, "database", host="held"))
    assert session.release().ended
    assert world.names() == STATE


def test_a_late_hold_whose_run_is_abandoned_stays_for_the_next_importer(world: World, alice: Runner) -> None:
    session = alice.take()
    late_hold(world, session)
    session.abandon()
    assert world.names() - STATE == {f"refs/nyl/dev/signals/{session.run.run}"}
    assert alice.store.read().dead_holds.keys() == {"database"}
    importer = alice.store.take(alice.request(imports=True))
    assert importer.snapshot.dead_holds.keys() == {"database"}
    importer.release()
    assert world.names() == STATE


def test_a_hold_sent_to_a_run_that_is_cancelled_stays_with_it(world: World, alice: Runner) -> None:
    session = alice.take()
    hold(world, session.run.run)
    session.checkpoint(Batch())
    session.cancel()
    (left,) = alice.store.take(alice.request(imports=True)).snapshot.runs
    assert left == session.run.run
    assert world.names() - STATE > {f"refs/nyl/dev/runs/{left}", f"refs/nyl/dev/signals/{left}"}


# Other writers


def test_state_that_a_person_edited_is_decided_again(world: World, alice: Runner) -> None:
    alice.reconcile("database")
    session = alice.take()
    world.edit(LOCATION.desired_ref, "desired/units/database.yaml", None)
    world.edit(LOCATION.observed_ref, "observed/units/database.yaml", None)
    with pytest.raises(StateMoved) as caught:
        session.commit(transition(session, "database"))
    assert caught.value.paths == ("desired/units/database.yaml",)
    assert not session.snapshot.desired
    session.commit(transition(session, "database"))
    session.release()
    assert alice.store.read().desired.keys() == {"database"}


@pytest.mark.parametrize(
    ("ref", "path", "told"),
    [
        (LOCATION.desired_ref, "desired/units/database.yaml", "still says how the unit ran"),
        (LOCATION.observed_ref, "state.yaml", "the other state ref still has it"),
        (LOCATION.desired_ref, "state.yaml", "the other state ref still has it"),
    ],
)
def test_a_document_that_somebody_deleted_is_missed(
    world: World, alice: Runner, ref: str, path: str, told: str
) -> None:
    alice.reconcile("database")
    world.edit(ref, path, None)
    for attempt in (alice.store.read, alice.take):
        error = error_of(attempt)
        assert error.diagnostic.code is Code.STATE_CORRUPT
        assert told in error.diagnostic.message
    assert world.names() == STATE


def test_a_reader_between_two_refs_of_one_transition_looks_again(alice: Runner, wire: Wire) -> None:
    before = wire.fetch(*alice.store.refs.patterns)
    alice.reconcile("database")
    wire.seen_instead.append(
        {**wire.fetch(*alice.store.refs.patterns), LOCATION.desired_ref: before[LOCATION.desired_ref]}
    )
    assert alice.store.read().observed.keys() == {"database"}


def test_a_runner_that_cannot_look_after_its_push_leaves_nothing(world: World, alice: Runner, wire: Wire) -> None:
    wire.seen_instead.append(NylError(Code.REMOTE_UNAVAILABLE, "No room on the disk.", "make some"))
    assert error_of(alice.take).diagnostic.code is Code.REMOTE_UNAVAILABLE
    assert world.names() == STATE


def test_a_transition_follows_others_who_wrote_elsewhere(world: World, alice: Runner, wire: Wire) -> None:
    session = alice.take()
    wire.before_push = lambda: world.edit(LOCATION.observed_ref, "other/state.yaml", "x: 1\n")
    session.commit(transition(session, "database"))
    session.release()
    assert world.file(LOCATION.observed_ref, "other/state.yaml") == "x: 1\n"
    assert alice.store.read().observed.keys() == {"database"}


def test_a_transition_follows_writers_who_are_quicker_many_times(world: World, alice: Runner, wire: Wire) -> None:
    session = alice.take()
    for number in range(12):
        edit = partial(world.edit, LOCATION.observed_ref, "other/state.yaml", f"x: {number}\n")
        wire.around_push.append((edit, lambda: None))
    session.commit(transition(session, "database"))
    session.release()
    assert alice.store.read().observed.keys() == {"database"}
    assert not wire.around_push


def test_environments_on_one_ref_run_at_once(world: World) -> None:
    shared = replace(LOCATION, desired_ref="refs/heads/state", observed_ref="refs/heads/state")
    first = world.runner("a", location=replace(shared, path="envs/dev")).init()
    second = world.runner("b", location=replace(shared, path="envs/prod"), environment="prod").init()
    one, two = first.take(), second.take()
    one.commit(transition(one, "database"))
    landed = two.commit(transition(two, "cache"))
    one.release()
    two.release()
    assert landed.desired == landed.observed == world.refs()["refs/heads/state"]
    assert first.store.read().observed.keys() == {"database"}
    assert second.store.read().observed.keys() == {"cache"}
    assert world.names() == {"refs/heads/state"}


def test_rewritten_state_stops_every_command(world: World, alice: Runner) -> None:
    alice.reconcile("database")
    seen = world.refs()[LOCATION.observed_ref]
    alice.git(f"--git-dir={world.origin}", "update-ref", LOCATION.observed_ref, f"{seen}~1")
    for call in (alice.store.read, alice.take):
        error = error_of(call)
        assert error.diagnostic.code is Code.STATE_DIVERGED
        assert seen in error.diagnostic.message
    assert world.names() == STATE


def test_a_deleted_state_ref_is_no_first_run(world: World, alice: Runner) -> None:
    alice.reconcile("database")
    for ref in STATE:
        alice.git(f"--git-dir={world.origin}", "update-ref", "-d", ref)
    assert error_of(alice.store.read).diagnostic.code is Code.STATE_DIVERGED


def test_the_commands_of_the_messages_bring_deleted_state_back(world: World, alice: Runner) -> None:
    alice.reconcile("database")
    before = world.refs()
    for ref in STATE:
        alice.git(f"--git-dir={world.origin}", "update-ref", "-d", ref)
    for _ in STATE:
        command = error_of(alice.store.read).diagnostic.fix.split("`")[1]
        alice.git(*shlex.split(command)[1:])
    assert alice.store.read().observed.keys() == {"database"}
    assert world.refs() == before


def test_a_run_on_a_rewritten_state_lands_nothing(world: World, alice: Runner) -> None:
    alice.reconcile("database")
    session = alice.take()
    alice.git(f"--git-dir={world.origin}", "update-ref", LOCATION.desired_ref, f"{LOCATION.desired_ref}~1")
    error = error_of(lambda: session.commit(transition(session, "cache")))
    assert error.diagnostic.code is Code.STATE_DIVERGED


def test_an_unreachable_remote_is_no_missing_state(world: World, alice: Runner) -> None:
    world.origin.rename(world.folder / "away.git")
    assert error_of(alice.store.read).diagnostic.code is Code.REMOTE_UNAVAILABLE
    assert error_of(alice.take).diagnostic.code is Code.REMOTE_UNAVAILABLE


def test_a_checkpoint_can_be_pushed_again_after_the_remote_was_away(world: World, alice: Runner) -> None:
    session = alice.take()
    session.checkpoint(START_DATABASE)
    away = world.folder / "away.git"
    world.origin.rename(away)
    assert error_of(lambda: session.checkpoint(DATABASE_DONE)).diagnostic.code is Code.REMOTE_UNAVAILABLE
    away.rename(world.origin)
    session.checkpoint(Batch(deadline=session.lease.deadline + timedelta(minutes=1)))
    assert alice.store.read().runs[session.run.run].checkpoints.keys() == {"database"}
