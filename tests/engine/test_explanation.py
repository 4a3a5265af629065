"""`nyl plan --explain`: how a unit's inputs differ from those of its receipt."""

from dataclasses import replace
from typing import Any

import pytest

from nyl.engine.explanation import explain
from nyl.engine.results import Explanation
from nyl.state.documents import InputFile, InputRecord
from nyl.units.command import CommandDriver
from tests.engine.builders import BREAKS, KEY, OTHER_KEY, Estate, unit


def explained(estate: Estate) -> Explanation:
    return explain(estate.units["db"], estate.resolutions()["db"], estate.ledger())


def changed(before: dict[str, Any], after: dict[str, Any]) -> tuple[str, ...]:
    estate = Estate(unit("db", **before))
    estate.run()
    return explained(estate.declare(unit("db", **after))).fields


@pytest.mark.parametrize(
    ("before", "after", "fields"),
    [
        ({"values": {"a": 1}}, {"values": {"a": 1}}, ()),
        ({"values": {"a": 1}}, {"values": {"a": 2}}, ("~/values/a",)),
        ({"values": {"a": 1}}, {"values": {"b": 1}}, ("-/values/a", "+/values/b")),
        ({"values": {"a": [1, 2]}}, {"values": {"a": [1, 3, 4]}}, ("~/values/a/1", "+/values/a/2")),
        ({"values": {"a/b": {"~": 1}}}, {"values": {"a/b": {"~": 2}}}, ("~/values/a~1b/~0",)),
        ({"values": {"a": 1}}, {"values": {"a": True}}, ("~/values/a",)),
        ({"values": {"a": 1}}, {"values": {"a": 1.0}}, ()),
        ({"values": {"a": {}}}, {"values": {"a": []}}, ("~/values/a",)),
        ({"timeout": "1m"}, {"timeout": "2m"}, ()),
        ({"idempotent": True}, {}, ()),
    ],
)
def test_fields_of_the_spec_are_named_by_pointer_with_a_sign(
    before: dict[str, Any], after: dict[str, Any], fields: tuple[str, ...]
) -> None:
    assert changed(before, after) == fields


def test_files_fingerprint_and_variables_are_named() -> None:
    old = InputRecord(
        (InputFile("a", KEY), InputFile("b", KEY), InputFile("c", KEY, source="/source")), fingerprint=KEY
    )
    new = InputRecord((InputFile("b", KEY, executable=True), InputFile("d", KEY)), variables=("TOKEN",))
    estate = Estate(unit("db"), inputs=lambda *_: old)
    estate.run()
    estate.inputs = lambda *_: new
    found = explained(estate)
    assert found.files == ("-a", "~b", "+d", "-c (of /source)")
    assert found.other == (
        "the fingerprint's output changed",
        "the variables the unit may read changed from none to TOKEN",
    )


def test_a_unit_that_never_ran_has_nothing_to_compare_with() -> None:
    assert explained(Estate(unit("db"))).other == ("the unit has no receipt to compare with",)


def test_a_blocked_unit_says_what_it_waits_for() -> None:
    estate = Estate(unit("a"), unit("db", "a"))
    assert explained(estate).other == ("a has no current receipt",)


def test_after_a_failed_attempt_the_inputs_of_the_receipt_are_gone() -> None:
    estate = Estate(unit("db"))
    estate.run()
    estate.declare(unit("db", command=["./new.sh"])).run({"db": BREAKS})
    assert explained(estate).other == ("the inputs of the receipt are not stored: a later execution failed",)


def test_another_behavior_version_is_named() -> None:
    estate = Estate(unit("db"))
    estate.run()
    newer = CommandDriver()
    newer.behavior_version = 2
    estate.driver = newer
    estate.declare(unit("db"))
    assert explained(estate).other == ("driver behavior version changed from 1 to 2",)


def test_a_unit_whose_key_is_the_same_differs_in_nothing() -> None:
    estate = Estate(unit("db", values={"a": 1}))
    estate.run()
    document = replace(estate.state.desired["db"], source_commit=OTHER_KEY)
    assert explained(estate.record(document)) == Explanation()
