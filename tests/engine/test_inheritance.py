"""What becomes of what dead runs left, as tables of cases."""

from dataclasses import replace

import pytest

from nyl.engine.inheritance import Ending, Entry, Fate, Judgement, inherited_entries, judge, runs_needed
from nyl.state.coordination_documents import Break, Checkpoint, RunState
from nyl.state.documents import Condition, TeardownWait, Work
from nyl.state.lifecycles import LifecycleState
from tests.engine.builders import (
    EARLIER,
    KEY,
    NOW,
    OTHER_KEY,
    RUN,
    checkpoint,
    desired,
    failed,
    observed,
    receipt,
    run_ref,
    uncertain,
)

DELETING = replace(desired(), lifecycle=LifecycleState.DELETING)
COMPLETED = checkpoint(observed(receipt=receipt()))
HARMLESS = replace(COMPLETED, effects=False)
BROKE = checkpoint(observed(condition=failed()))
BROKE_FOR_NOW = checkpoint(observed(condition=failed(retryable=True)))
VANISHED = checkpoint(observed(condition=uncertain()))
TORN_DOWN = Checkpoint(observed(), work=Work.TEARDOWN, removed=True)
WAITS = Checkpoint(observed(teardown=TeardownWait(EARLIER, NOW, "still there")), work=Work.TEARDOWN)
NOT_TORN_DOWN = Checkpoint(observed(condition=replace(failed(), work=Work.TEARDOWN)), work=Work.TEARDOWN)
HALF_TORN_DOWN = Checkpoint(observed(condition=replace(uncertain(), work=Work.TEARDOWN)), work=Work.TEARDOWN)
WITH_OTHER_INPUTS = f"run {EARLIER} executed it with other inputs than it has now"
UNKNOWN = observed(condition=uncertain())


def entry(left: Checkpoint | None = None, ending: Ending = Ending.BROKEN, **fields: object) -> Entry:
    """What run EARLIER left of the unit db, which it started with KEY."""
    return replace(Entry("db", EARLIER, ending, KEY, desired(), left), **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("left", "key", "verdict"),
    [
        pytest.param(COMPLETED, KEY, Judgement(Fate.IMPORTED), id="a receipt for the key of now"),
        pytest.param(COMPLETED, None, Judgement(Fate.IMPORTED), id="a receipt of a unit that has no key now"),
        pytest.param(
            COMPLETED,
            OTHER_KEY,
            Judgement(Fate.UNCERTAIN, WITH_OTHER_INPUTS, superseded=True),
            id="a receipt for another key: real effects",
        ),
        pytest.param(
            HARMLESS, OTHER_KEY, Judgement(Fate.DROPPED, superseded=True), id="a receipt for another key: no effects"
        ),
        pytest.param(BROKE, KEY, Judgement(Fate.FAILED), id="a failure"),
        pytest.param(BROKE, OTHER_KEY, Judgement(Fate.FAILED), id="a failure that waits, for another key"),
        pytest.param(BROKE_FOR_NOW, KEY, Judgement(Fate.FAILED), id="a failure to be retried"),
        pytest.param(BROKE_FOR_NOW, None, Judgement(Fate.FAILED), id="a failure to be retried, without a key"),
        pytest.param(
            BROKE_FOR_NOW,
            OTHER_KEY,
            Judgement(Fate.DROPPED, superseded=True),
            id="a failure to be retried, for another key",
        ),
        pytest.param(VANISHED, KEY, Judgement(Fate.UNCERTAIN), id="an uncertain outcome"),
        pytest.param(VANISHED, OTHER_KEY, Judgement(Fate.UNCERTAIN), id="an uncertain outcome, for another key"),
        pytest.param(TORN_DOWN, None, Judgement(Fate.REMOVED), id="a complete teardown"),
        pytest.param(WAITS, None, Judgement(Fate.TEARING_DOWN), id="a teardown that waits"),
        pytest.param(NOT_TORN_DOWN, None, Judgement(Fate.FAILED), id="a teardown that failed"),
        pytest.param(HALF_TORN_DOWN, None, Judgement(Fate.UNCERTAIN), id="a teardown with an uncertain outcome"),
    ],
)
def test_what_a_dead_run_checkpointed(left: Checkpoint, key: str | None, verdict: Judgement) -> None:
    assert judge(entry(left), key, None, newer=False) == verdict


@pytest.mark.parametrize(
    ("ending", "document", "reason"),
    [
        (Ending.BROKEN, desired(), f"run {EARLIER} was executing it when its lease was broken"),
        (Ending.EXPIRED, desired(), f"run {EARLIER} was executing it when its lease expired"),
        (Ending.CANCELLED, desired(), f"run {EARLIER} was executing it when it was cancelled"),
        (Ending.BROKEN, DELETING, f"run {EARLIER} was tearing it down when its lease was broken"),
        (Ending.BROKEN, None, f"run {EARLIER} was executing it when its lease was broken"),
    ],
)
def test_what_a_dead_run_was_at(ending: Ending, document: object, reason: str) -> None:
    left = entry(None, ending, document=document)
    assert judge(left, KEY, None, newer=False) == Judgement(Fate.UNCERTAIN, reason)


@pytest.mark.parametrize(
    ("left", "recorded", "fate"),
    [
        pytest.param(COMPLETED, UNKNOWN, Fate.LATE, id="a receipt of a unit that is uncertain meanwhile"),
        pytest.param(COMPLETED, observed(receipt=receipt()), Fate.DROPPED, id="a receipt beside a newer one"),
        pytest.param(COMPLETED, None, Fate.DROPPED, id="a receipt of a unit that was removed meanwhile"),
        pytest.param(COMPLETED, HALF_TORN_DOWN.observed, Fate.DROPPED, id="a receipt of a unit in its teardown"),
        pytest.param(BROKE, UNKNOWN, Fate.LATE, id="a failure of a unit that is uncertain meanwhile"),
        pytest.param(TORN_DOWN, HALF_TORN_DOWN.observed, Fate.LATE, id="a removal of a unit in its teardown"),
        pytest.param(HALF_TORN_DOWN, HALF_TORN_DOWN.observed, Fate.DROPPED, id="an uncertain teardown"),
        pytest.param(VANISHED, UNKNOWN, Fate.DROPPED, id="an uncertain outcome"),
        pytest.param(None, UNKNOWN, Fate.DROPPED, id="an execution without a checkpoint"),
        pytest.param(TORN_DOWN, UNKNOWN, Fate.DROPPED, id="a teardown"),
    ],
)
def test_a_newer_result_is_never_overwritten(left: Checkpoint | None, recorded: object, fate: Fate) -> None:
    assert judge(entry(left), KEY, recorded, newer=True) == Judgement(fate)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("left", "waits"),
    [(COMPLETED, True), (BROKE_FOR_NOW, True), (BROKE, False), (VANISHED, False), (TORN_DOWN, False), (None, False)],
)
def test_only_receipts_and_retryable_failures_wait_for_a_key(left: Checkpoint | None, waits: bool) -> None:
    assert entry(left).waits_for_key is waits


def test_an_entry_tells_how_its_run_ended() -> None:
    found = {
        "broken": inherited_entries({EARLIER: run_ref(executing=("db",))}, [Break(EARLIER, "alice", NOW, "killed")]),
        "expired": inherited_entries({EARLIER: run_ref(executing=("db",))}, []),
        "cancelled": inherited_entries({EARLIER: run_ref(executing=("db",), state=RunState.FINISHED)}, []),
    }
    assert {name: each["db"][0].ending for name, each in found.items()} == {
        "broken": Ending.BROKEN,
        "expired": Ending.EXPIRED,
        "cancelled": Ending.CANCELLED,
    }


def test_a_unit_that_was_recorded_and_never_started_leaves_nothing() -> None:
    assert inherited_entries(
        {EARLIER: run_ref(started={"db": desired(), "app": desired("app")}, executing=("db",))}, []
    ).keys() == {"db"}


def test_of_several_runs_the_one_that_took_over_from_the_others_counts() -> None:
    runs = {
        RUN: run_ref(RUN, executing=("db", "app"), started={"db": desired(), "app": desired("app")}),
        EARLIER: run_ref(EARLIER, after=(RUN,), left={"db": COMPLETED}),
    }
    found = inherited_entries(runs, [])
    assert {unit: [each.run for each in left] for unit, left in found.items()} == {"db": [EARLIER, RUN], "app": [RUN]}


def test_a_unit_that_runs_once_more_in_a_run_counts_as_executing() -> None:
    found = inherited_entries({EARLIER: run_ref(executing=("db",), left={"db": COMPLETED})}, [])
    assert found["db"][0].checkpoint is None


@pytest.mark.parametrize(
    ("left", "condition", "needed"),
    [
        (COMPLETED, uncertain(), True),
        (COMPLETED, failed(), False),
        (COMPLETED, None, False),
        (COMPLETED, replace(uncertain(), work=Work.TEARDOWN), False),
        (BROKE, uncertain(), True),
        (TORN_DOWN, replace(uncertain(), work=Work.TEARDOWN), True),
        (TORN_DOWN, uncertain(), False),
        (VANISHED, uncertain(), False),
    ],
)
def test_what_tells_how_an_uncertain_unit_ended_is_needed(
    left: Checkpoint, condition: Condition | None, needed: bool
) -> None:
    found = runs_needed({EARLIER: run_ref(left={"db": left})}, {"db": observed(condition=condition)})
    assert found == ({EARLIER} if needed else frozenset())


def test_nothing_is_needed_for_a_unit_that_is_gone() -> None:
    assert runs_needed({EARLIER: run_ref(left={"db": COMPLETED})}, {"db": None}) == frozenset()
