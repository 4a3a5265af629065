"""Spec of states that end, that are moved away, and that begin anew on their history."""

from dataclasses import replace

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.project.resources import StateLocation
from nyl.state.changes import Transition
from nyl.state.initializing import Founder
from nyl.state.transitions import OPERATION
from tests.state.worlds import IDENTITY, Runner, World, transition

FOUNDER = Founder(IDENTITY, "alice@host", "0.1.0")
PLACE = {"repository": "https://example.com/state.git", "desiredRef": "refs/heads/dev"}


def written(runner: Runner, operation: str, **fields: object) -> None:
    """A transition that changes no unit."""
    session = runner.take()
    plain = transition(session)
    trailers = {**plain.trailers, OPERATION: operation}
    session.commit(replace(Transition(f"nyl: {operation}", {}, trailers), **fields))  # type: ignore[arg-type]
    session.release()


def end(runner: Runner) -> None:
    written(runner, "state-delete", ends=True)


def code_of(error: pytest.ExceptionInfo[NylError]) -> Code:
    return error.value.diagnostic.code


def test_a_state_that_ends_leaves_no_file_and_its_whole_history(world: World, alice: Runner) -> None:
    alice.reconcile("database")
    before = world.refs()
    end(alice)
    for ref in ("refs/heads/nyl/dev/desired", "refs/heads/nyl/dev/observed"):
        tip = world.refs()[ref]
        assert alice.git("ls-tree", "-r", "--name-only", tip) == ""
        assert alice.git("rev-parse", f"{tip}^") == before[ref]
    with pytest.raises(NylError) as caught:
        alice.store.read()
    assert code_of(caught) is Code.STATE_MISSING


def test_other_environments_on_the_same_refs_keep_their_files(world: World) -> None:
    places = {name: StateLocation(None, "refs/heads/state", "refs/heads/state", name) for name in ("dev", "prod")}
    dev, prod = (world.runner("alice").at(place, name).init() for name, place in places.items())
    end(dev)
    assert prod.store.read().environment == "prod"
    dev.store.initialize_anew(FOUNDER)
    assert dev.store.read().desired == {}


def test_a_state_begins_anew_only_when_that_is_asked_for(alice: Runner) -> None:
    alice.reconcile("database")
    end(alice)
    with pytest.raises(NylError) as caught:
        alice.init()
    assert code_of(caught) is Code.STATE_EXISTS
    assert "nyl state init -e dev --fresh" in caught.value.diagnostic.fix
    record = alice.store.initialize_anew(FOUNDER)
    assert [(each["event"], each["by"]) for each in record.events] == [("fresh", str(IDENTITY))]
    assert (alice.store.read().record, alice.store.read().desired) == (record, {})


def test_a_state_that_is_there_does_not_begin_anew(world: World, alice: Runner) -> None:
    alice.reconcile("database")
    before = world.refs()
    with pytest.raises(NylError) as caught:
        alice.store.initialize_anew(FOUNDER)
    assert code_of(caught) is Code.STATE_EXISTS
    assert world.refs() == before


def test_a_ref_that_is_no_state_is_left_alone(world: World) -> None:
    alice = world.runner("alice")
    world.edit("refs/heads/nyl/dev/desired", "README", "mine\n")
    for begin in (alice.store.initialize, alice.store.initialize_anew):
        with pytest.raises(NylError) as caught:
            begin(FOUNDER)
        assert code_of(caught) is Code.STATE_EXISTS


def test_a_marker_sends_everybody_to_where_the_state_went(alice: Runner, bob: Runner) -> None:
    alice.reconcile("database")
    record = alice.store.read().record
    written(alice, "state-move", record=replace(record, moved={"to": PLACE, "at": "now", "by": "alice"}))
    for act in (bob.store.read, bob.take):
        with pytest.raises(NylError) as caught:
            act()
        assert code_of(caught) is Code.STATE_MOVED
        assert "https://example.com/state.git" in caught.value.diagnostic.message
    assert bob.store.initialize_anew(FOUNDER).moved is None
    assert bob.store.read().desired == {}
