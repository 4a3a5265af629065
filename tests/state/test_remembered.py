"""The state that was read or written last, as the cache keeps it."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

import pytest

from nyl.core.cache import Cache
from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.git.objects import ObjectReader
from nyl.state.documents import (
    Condition,
    ConditionState,
    EnvironmentRecord,
    InputRecord,
    Observation,
    ObservationType,
    SourceRecord,
    StateRecord,
    TeardownWait,
    Work,
)
from nyl.state.lifecycles import (
    Deletion,
    DeletionIntent,
    DeletionReason,
    Hold,
    LifecycleState,
    PendingChange,
    TeardownRequested,
)
from nyl.state.remembered import KnownState, Section, StateMemory
from nyl.state.store import StateStore
from tests.state.worlds import KEY, SOURCE, START, Runner, World, desired, identity, observed, transition

ASKED = TeardownRequested("bob", START, "old")
PENDING = PendingChange(SOURCE, KEY, DeletionReason.OMISSION)
FULL_DESIRED = replace(
    desired("a"),
    lifecycle=LifecycleState.HELD,
    deletion=Deletion(
        DeletionReason.OMISSION,
        DeletionIntent.TEARDOWN,
        requested=TeardownRequested("bob", START, "old", True),
        hold=True,
    ),
    hold=Hold("bob", START, "incident", LifecycleState.DELETING, PENDING),
    inputs=InputRecord(sources={"/source": SourceRecord(SOURCE, "x", "y", {"later": 1})}, variables=("A",)),
    extra={"later": [1, None, 0.5, 2**70]},
)
FULL_OBSERVED = replace(
    observed("a", host="db", nested={"a": [True, "é"]}),
    condition=Condition(
        ConditionState.FAILED, "01a1", START, "it broke", KEY, "tool", True, Work.TEARDOWN, {"later": {}}
    ),
    teardown=TeardownWait("01a1", START, "waits", {"phase": 1}),
)
FULL_OBSERVATION = Observation(
    identity("a"), ObservationType.DRIFT, "drifted", "01a1", START, KEY, "moved", {"n": [2**70]}, {"later": 1}
)
RECORD = StateRecord("dev", START, "Alice", {"path": ""}, ({"at": "now"},), {"to": "x"})
STATE = KnownState(
    ("tree", None),
    Section({"desired": "1"}, {"desired": RECORD}),
    Section({"": "2"}, {"": EnvironmentRecord("dev", SOURCE, ("a", "b"), {"on": "no"})}),
    Section({"a": "3", "b": "4"}, {"a": FULL_DESIRED, "b": desired("b")}),
    Section({"a": "5", "b": "6"}, {"a": FULL_OBSERVED, "b": replace(observed("b"), receipt=None)}),
    Section({"drift\0a": "7"}, {"drift\0a": FULL_OBSERVATION}),
)


class CountingReader(ObjectReader):
    """Reads, and remembers what it was asked to read."""

    asked: list[str]

    def read_many(self, oids: Iterable[str]) -> dict[str, bytes]:
        wanted = list(oids)
        self.asked.extend(wanted)
        return super().read_many(wanted)


@dataclass
class Reading:
    """A new process of a runner, which counts the YAML documents that it reads."""

    runner: Runner
    reader: CountingReader = field(init=False)

    def __post_init__(self) -> None:
        self.reader = CountingReader(self.runner.repository)
        self.reader.asked = []
        parts = replace(self.runner.parts, reader=self.reader, cache=Cache(self.runner.cache))
        self.store = StateStore(parts, self.runner.environment, self.runner.location)

    @property
    def documents(self) -> int:
        kinds = (self.runner.git("cat-file", "-t", oid) for oid in self.reader.asked)
        return sum(kind == "blob" for kind in kinds)


@pytest.fixture
def warm(tmp_path: Path, world: World) -> Runner:
    runner = world.runner("alice", cache=tmp_path / "cache.db").init()
    runner.reconcile("database", "cache", host="db")
    return runner


def test_every_document_is_recalled_as_it_was_kept(tmp_path: Path) -> None:
    StateMemory(Cache(tmp_path / "cache.db"), "dev").keep(STATE)
    assert StateMemory(Cache(tmp_path / "cache.db"), "dev").recall() == STATE


def test_environments_are_remembered_apart(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache.db")
    StateMemory(cache, "dev").keep(STATE)
    assert StateMemory(cache, "prod").recall() == KnownState()


def test_what_a_run_wrote_is_read_without_parsing_anything(warm: Runner) -> None:
    reading = Reading(warm)
    snapshot = reading.store.read()
    assert snapshot.desired.keys() == snapshot.observed.keys() == {"database", "cache"}
    assert reading.documents == 0


def test_what_was_read_once_is_read_again_without_parsing_anything(tmp_path: Path, world: World, warm: Runner) -> None:
    other = world.runner("bob", cache=tmp_path / "bob.db")
    first, second = Reading(other), Reading(other)
    assert first.store.read() == second.store.read() == warm.store.read()
    assert first.documents > 0
    assert second.documents == 0


def test_of_what_another_runner_changed_only_that_is_parsed(world: World, warm: Runner) -> None:
    world.runner("bob").reconcile("queue")
    reading = Reading(warm)
    assert reading.store.read().desired.keys() == {"database", "cache", "queue"}
    assert reading.documents == 3  # environment, desired and observed document


def test_what_a_run_wrote_is_known_as_others_read_it(world: World, warm: Runner) -> None:
    session = warm.take()
    change = transition(session, "database")
    held = replace(desired("database"), spec=MappingProxyType({}), extra={"later": (1, 2)})
    session.commit(replace(change, desired={"database": held}))
    session.release()
    assert Reading(warm).store.read() == world.runner("bob").store.read()


def test_an_edit_by_hand_of_a_known_document_is_checked(world: World, warm: Runner) -> None:
    path = "observed/units/database.yaml"
    document = warm.git("show", f"{warm.store.read().observed_commit}:{path}")
    world.edit(warm.location.observed_ref, path, document.replace("environment: dev", "environment: prod"))
    with pytest.raises(NylError) as caught:
        Reading(warm).store.read()
    assert caught.value.diagnostic.code is Code.STATE_CORRUPT
