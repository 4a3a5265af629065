"""Runs page, Waves: what a run starts, when, and what it records. State is in memory, units end at once."""

import threading
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

import pytest

from nyl.core.cancellation import CancellationToken
from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.engine.events import UnitEnded, UnitStarted, WaveStarted
from nyl.engine.preflight import CheckedUnit
from nyl.state.changes import Batch
from nyl.state.documents import ConditionState, Data, DesiredUnit
from nyl.units.command import CommandDriver
from nyl.units.outcomes import AwaitingApproval, Outcome, Succeeded
from tests.engine.builders import (
    BREAKS,
    BREAKS_FOR_NOW,
    HOLD,
    KEY,
    NOW,
    VANISHES,
    Desk,
    Estate,
    details,
    output,
    results,
    unit,
)

LOST = NylError(Code.LEASE_LOST, "The lease is gone.", "look who has it")


def pair() -> Estate:
    return Estate(unit("db", outputs={"host": "string"}), unit("web", values={"host": output("host", "db")}))


def crowd(*names: str) -> Estate:
    return Estate(*(unit(name) for name in names))


def test_a_consumer_runs_in_a_later_wave_with_the_value_that_its_producer_just_gave() -> None:
    seen = {}

    def execute(unit: CheckedUnit, document: DesiredUnit) -> Outcome:
        seen[unit.name] = document.resolved_spec.get("values")
        return Succeeded({"host": "h-1"} if unit.name == "db" else {})

    estate = pair()
    assert results(estate.run(execute=execute)) == {"db": "executed", "web": "executed"}
    assert seen == {"db": None, "web": {"host": "h-1"}}


def test_nothing_starts_before_its_start_record_is_pushed() -> None:
    estate, desk = pair(), Desk()

    def execute(unit: CheckedUnit, document: DesiredUnit) -> Outcome:
        assert desk.batches[-1].starting[unit.name] == document
        return Succeeded(dict.fromkeys(unit.rendered.outputs, "x"))

    assert set(results(estate.run(execute=execute, desk=desk)).values()) == {"executed"}


def test_results_and_the_next_starts_share_a_push() -> None:
    estate = pair()
    estate.run(concurrency=1)
    pushes = [(sorted(each.checkpoints), sorted(each.starting)) for each in estate.desk.batches]
    assert pushes == [([], ["db"]), (["db"], []), ([], ["web"]), (["web"], [])]


@pytest.mark.parametrize("slots", [1, 2, 3])
def test_no_more_units_run_at_once_than_there_are_slots(slots: int) -> None:
    lock, running, most = threading.Lock(), [0], [0]

    def execute(unit: CheckedUnit, document: DesiredUnit) -> Outcome:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        threading.Event().wait(0.005)
        with lock:
            running[0] -= 1
        return Succeeded()

    crowd(*"abcdef").run(execute=execute, concurrency=slots)
    assert most[0] <= slots


def test_every_wave_moves_the_deadline_by_its_longest_timeout_and_grace() -> None:
    timeouts = {"a": 3, "b": 7, "c": 4}
    estate = Estate(*(replace(unit(name), timeout=timedelta(minutes=each)) for name, each in timeouts.items()))
    estate.run(grace=timedelta(minutes=5), concurrency=3)
    assert estate.desk.batches[0].deadline == NOW + timedelta(minutes=12)


def test_units_of_one_wave_start_by_name() -> None:
    estate = crowd("c", "a", "b")
    estate.run(concurrency=1)
    assert estate.ran == ["a", "b", "c"]


@pytest.mark.parametrize(("outcome", "result"), [(BREAKS, "failed"), (VANISHES, "uncertain")])
def test_a_bad_end_stops_only_what_depends_on_it(outcome: Outcome, result: str) -> None:
    estate = Estate(unit("a"), unit("b"), unit("c", "a"), unit("d", "b"))
    ended = estate.run({"a": outcome})
    assert results(ended) == {"a": result, "b": "executed", "d": "executed", "c": "blocked"}


def test_a_failed_unit_keeps_its_previous_receipt_and_its_consumers_their_documents() -> None:
    estate = pair()
    estate.run()
    before = estate.state
    estate.declare(replace(estate.units["db"].rendered, spec={"command": ["./new.sh"]}), estate.units["web"].rendered)
    estate.run({"db": BREAKS})
    known = estate.state.observed["db"]
    assert known.receipt == before.observed["db"].receipt
    assert known.condition is not None
    assert known.condition.state is ConditionState.FAILED
    assert (estate.state.desired["web"], estate.state.observed["web"]) == (
        before.desired["web"],
        before.observed["web"],
    )


@pytest.mark.parametrize(
    ("outcome", "again"), [(BREAKS, "failed"), (BREAKS_FOR_NOW, "executed"), (VANISHES, "uncertain")]
)
def test_only_a_retryable_failure_runs_again_by_itself(outcome: Outcome, again: str) -> None:
    estate = crowd("a")
    estate.run({"a": outcome})
    assert results(estate.run()) == {"a": again}


def test_a_failure_that_waits_for_an_operator_waits_even_when_source_changed() -> None:
    estate = crowd("a")
    estate.run({"a": BREAKS})
    estate.declare(unit("a", command=["./corrected.sh"]))
    assert results(estate.run()) == {"a": "failed"}
    assert estate.written.empty


def test_an_uncertain_unit_that_converges_is_recovered_by_running_again() -> None:
    estate = Estate(unit("a", idempotent=True))
    estate.run({"a": VANISHES})
    assert results(estate.run()) == {"a": "recovered"}
    assert estate.state.observed["a"].condition is None


def test_fail_fast_starts_nothing_further_and_says_so() -> None:
    estate = Estate(unit("a"), unit("b"), unit("c", "b"))
    ended = estate.run({"a": BREAKS}, concurrency=1, fail_fast=True)
    assert results(ended) == {"a": "failed", "b": "blocked", "c": "blocked"}
    assert details(ended)["b"] == "--fail-fast stopped the run after a"
    assert "a" in estate.state.observed


def test_units_that_were_recorded_ahead_and_did_not_start_are_withdrawn() -> None:
    estate = crowd(*(f"u{number:02}" for number in range(60)))
    ended = estate.run({"u20": BREAKS}, concurrency=1, fail_fast=True)
    withdrawn = {name for batch in estate.desk.batches for name in batch.withdrawn}
    assert set(estate.desk.started) - withdrawn == set(estate.ran) == set(ended.outcome.dispatched)
    assert estate.written.desired.keys() == estate.written.observed.keys() == set(estate.ran)
    assert {details(ended)[name] for name in withdrawn} <= {"--fail-fast stopped the run after u20"}


@pytest.mark.parametrize("outcome", [BREAKS, BREAKS_FOR_NOW, VANISHES])
def test_any_bad_end_counts_for_fail_fast(outcome: Outcome) -> None:
    ended = crowd("a", "b").run({"a": outcome}, concurrency=1, fail_fast=True)
    assert ended.outcome.stopped_by == "a"


def test_named_units_run_alone_and_a_blocked_one_stays_blocked() -> None:
    estate = Estate(unit("a"), unit("b", "a"), unit("c"))
    ended = estate.run(only=frozenset({"b", "c"}))
    assert estate.ran == ["c"]
    assert {each.unit: str(each.verdict) for each in ended.shown} == {"b": "blocked", "c": "executed"}


def test_a_hold_that_arrives_with_the_start_keeps_the_unit_from_starting() -> None:
    estate = crowd("a", "b")
    ended = estate.run(desk=Desk(holds={0: {"a": HOLD}}))
    assert estate.ran == ["b"]
    assert results(ended)["a"] == "held"


def test_consumers_of_a_unit_that_a_hold_reached_do_not_run_either() -> None:
    estate = pair()
    ended = estate.run(desk=Desk(holds={0: {"db": HOLD}}))
    assert (estate.ran, results(ended)) == ([], {"db": "held", "web": "blocked"})


def test_a_hold_takes_back_a_unit_that_was_recorded_ahead_and_waits_for_a_slot() -> None:
    names = [f"u{number:02}" for number in range(60)]
    estate, desk = crowd(*names), Desk()
    held: list[str] = []
    read = threading.Event()

    def execute(unit: CheckedUnit, document: DesiredUnit) -> Outcome:
        if held:
            read.wait(2)  # the slot stays taken until the run has read the hold
        elif len(desk.batches[-1].starting) > 3:
            held.append(max(desk.batches[-1].starting))
            desk.arrived[held[0]] = HOLD
        return Succeeded()

    def push(batch: Batch) -> Mapping[str, Data]:
        if held:
            threading.Timer(0.2, read.set).start()
        return checkpoint(batch)

    checkpoint, desk.checkpoint = desk.checkpoint, push  # type: ignore[method-assign]
    ended = estate.run(execute=execute, desk=desk, concurrency=1)
    assert held
    assert results(ended)[held[0]] == "held"
    assert estate.ran == [name for name in names if name != held[0]]
    assert held[0] not in estate.written.observed


def test_units_that_wait_for_a_slot_are_taken_back_when_a_unit_takes_long() -> None:
    estate, desk, taken_back = crowd(*(f"u{number:02}" for number in range(60))), Desk(), threading.Event()
    slow: list[str] = []

    def execute(unit: CheckedUnit, document: DesiredUnit) -> Outcome:
        if not slow and len(desk.batches[-1].starting) > 3:
            slow.append(unit.name)
            return Succeeded() if taken_back.wait(10) else VANISHES
        return Succeeded()

    def push(batch: Batch) -> Mapping[str, Data]:
        if batch.withdrawn:
            taken_back.set()
        return checkpoint(batch)

    checkpoint, desk.checkpoint = desk.checkpoint, push  # type: ignore[method-assign]
    ended = estate.run(execute=execute, desk=desk, concurrency=1)
    assert slow
    assert set(results(ended).values()) == {"executed"}
    assert estate.ran == sorted(estate.ran)


def test_past_its_deadline_a_run_starts_nothing_more_and_records_what_ended() -> None:
    estate, desk = crowd("a", "b"), Desk()

    def execute(unit: CheckedUnit, document: DesiredUnit) -> Outcome:
        desk.deadline = NOW + timedelta(seconds=-1)
        return Succeeded()

    ended = estate.run(execute=execute, desk=desk, concurrency=1)
    assert (estate.ran, results(ended)) == (["a"], {"a": "executed", "b": "blocked"})
    assert details(ended)["b"] == "the lease of the run passed its deadline before it started"
    assert estate.written.observed.keys() == {"a"}


def test_a_lost_lease_stops_the_run_and_names_what_is_not_recorded() -> None:
    estate = crowd("a", "b")
    ended = estate.run(desk=Desk(trouble={1: LOST}), concurrency=1)
    assert estate.ran == ["a"]
    assert ended.outcome.interruption is LOST
    assert list(ended.outcome.unrecorded) == ["a"]


def test_a_run_that_cannot_record_a_start_runs_nothing() -> None:
    estate = crowd("a")
    ended = estate.run(desk=Desk(trouble={0: LOST}))
    assert (estate.ran, details(ended)) == ([], {"a": "the run could not record that it starts"})


def test_after_a_cancel_nothing_starts_and_what_ended_is_checkpointed() -> None:
    token = CancellationToken()

    def execute(unit: CheckedUnit, document: DesiredUnit) -> Outcome:
        token.cancel()
        return Succeeded()

    estate = crowd("a", "b")
    ended = estate.run(execute=execute, cancellation=token, concurrency=1)
    assert (estate.ran, ended.outcome.cancelled) == (["a"], True)
    assert "a" in estate.desk.batches[-1].checkpoints
    assert details(ended)["b"] == "the run was cancelled before it started"


def test_after_a_cancel_what_ended_is_pushed_at_once_and_not_when_the_last_tool_ends() -> None:
    token, desk, began, pushed = CancellationToken(), Desk(), threading.Event(), threading.Event()

    def execute(unit: CheckedUnit, document: DesiredUnit) -> Outcome:
        if unit.name == "a":
            began.wait(5)
            token.cancel()
            return Succeeded()
        began.set()
        return Succeeded() if pushed.wait(5) else VANISHES

    def push(batch: Batch) -> Mapping[str, Data]:
        if "a" in batch.checkpoints:
            pushed.set()
        return checkpoint(batch)

    checkpoint, desk.checkpoint = desk.checkpoint, push  # type: ignore[method-assign]
    ended = crowd("a", "slow").run(execute=execute, cancellation=token, desk=desk)
    assert results(ended) == {"a": "executed", "slow": "executed"}


def test_an_executor_that_raises_leaves_its_unit_uncertain() -> None:
    def execute(unit: CheckedUnit, document: DesiredUnit) -> Outcome:
        raise RuntimeError("the slot caught fire")

    ended = crowd("a").run(execute=execute)
    assert results(ended) == {"a": "uncertain"}
    assert "the slot caught fire" in details(ended)["a"]


@pytest.mark.parametrize(
    ("behavior_version", "command", "reason"),
    [
        (2, "./a.sh", "driver behavior version changed from 1 to 2"),
        (1, "./new.sh", "execution inputs changed"),
    ],
)
def test_progress_and_report_say_why_a_unit_runs(behavior_version: int, command: str, reason: str) -> None:
    estate = crowd("a")
    estate.run()
    estate.driver = CommandDriver()
    estate.driver.behavior_version = behavior_version
    ended = estate.declare(unit("a", command=[command])).run()
    assert [each.reason for each in ended.verdicts] == [reason]
    assert [each.reason for each in estate.events if isinstance(each, UnitStarted)] == ["no receipt", reason]


def test_every_dispatched_unit_has_a_start_and_an_end_and_every_wave_is_announced() -> None:
    estate = pair()
    estate.run({"web": BREAKS})
    starts = [each.unit for each in estate.events if isinstance(each, UnitStarted)]
    ends = [(each.unit, str(each.result), each.reason) for each in estate.events if isinstance(each, UnitEnded)]
    waves = [(each.starting, each.done, each.total) for each in estate.events if isinstance(each, WaveStarted)]
    assert starts == ["db", "web"]
    assert ends == [("db", "executed", ""), ("web", "failed", BREAKS.message)]
    assert waves == [(1, 0, 2), (1, 1, 2)]


def test_a_change_that_is_not_what_was_approved_leaves_its_unit_as_if_it_had_not_started() -> None:
    estate = Estate(*(each.rendered for each in pair().units.values()), unit("other"))
    ended = estate.run({"db": AwaitingApproval(KEY)})
    assert results(ended) == {"db": "awaiting-approval", "other": "executed", "web": "blocked"}
    assert f"its digest is {KEY} now" in details(ended)["db"]
    assert details(ended)["web"] == "db waits for an approval"
    assert {each.unit: each.change_digest for each in ended.shown}["db"] == KEY
    assert [each.withdrawn for each in estate.desk.batches if each.withdrawn] == [{"db"}]
    assert (set(estate.state.desired), set(estate.state.observed)) == ({"other"}, {"other"})


def test_what_was_known_of_such_a_unit_stays() -> None:
    estate = Estate(unit("db"))
    estate.run()
    before = estate.state
    estate.declare(unit("db", values={"size": 2})).run({"db": AwaitingApproval(KEY)})
    assert estate.ran == ["db"]
    assert estate.written.empty
    assert (estate.state.desired, estate.state.observed) == (before.desired, before.observed)


def test_fail_fast_starts_nothing_after_a_change_that_was_not_approved() -> None:
    estate = crowd("a", "b")
    ended = estate.run({"a": AwaitingApproval(KEY)}, concurrency=1, fail_fast=True)
    assert results(ended) == {"a": "awaiting-approval", "b": "blocked"}
    assert details(ended)["b"] == "--fail-fast stopped the run after a"
