"""Whose state a run worked on."""

from dataclasses import replace

import pytest

from nyl.project.resources import StateLocation
from nyl.state.coordination_documents import Run, RunState
from nyl.state.documents import Data, StateRecord
from nyl.state.run_places import is_foreign, place_of
from tests.state.worlds import SOURCE, START

HERE = StateLocation.usual("dev")
THERE = replace(HERE, observed_ref="refs/heads/there")
BELOW = replace(HERE, path="below")


def run(location: Data) -> Run:
    return Run("dev", "01a1", "reconcile", "me@here", RunState.FINISHED, SOURCE, START, START, location=location)


def record(location: StateLocation = HERE, *origins: StateLocation) -> StateRecord:
    events = tuple({"event": "moved", "from": {"repository": "x", **place_of(each)}} for each in origins)
    return StateRecord("dev", START, "me", place_of(location), ({"event": "deleted"}, *events))


@pytest.mark.parametrize(
    ("read", "state", "expected"),
    [
        ({}, record(), False),
        (place_of(HERE), record(), False),
        (place_of(THERE), record(), True),
        (place_of(BELOW), record(), True),
        (place_of(THERE), record(THERE), False),
        (place_of(THERE), record(HERE, THERE), False),
        (place_of(BELOW), record(HERE, THERE), True),
    ],
)
def test_a_run_is_foreign_only_where_its_record_names_a_state_that_this_one_never_was(
    read: Data, state: StateRecord, expected: bool
) -> None:
    assert is_foreign(run(read), HERE, state) is expected
