from typing import Any

import pytest

from nyl.core.schemas import SchemaProblem, Validator, nearest

_SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["name"],
    "additionalProperties": False,
    "properties": {
        "name": {"type": "string", "pattern": "^[a-z]+$", "minLength": 1},
        "count": {"type": "integer", "minimum": 1},
        "mode": {"enum": ["auto", "manual"]},
        "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
        "one": {"type": "object", "properties": {"file": {}, "text": {}}, "minProperties": 1, "maxProperties": 1},
        "place": {
            "oneOf": [
                {"type": "string"},
                {"type": "object", "required": ["url"], "properties": {"url": {"type": "string"}}},
            ]
        },
        "either": {"not": {"required": ["a", "b"]}, "properties": {"never": {"not": {}}}},
        "told": {"oneOf": [{"required": ["a"]}, {"required": ["b"]}], "x-reason": "must have a or b"},
    },
}


def _problems(value: object) -> list[SchemaProblem]:
    return Validator(_SCHEMA).problems(value)


def test_a_valid_value_has_no_problems() -> None:
    assert _problems({"name": "a", "count": 1, "place": {"url": "x"}}) == []


@pytest.mark.parametrize(
    ("value", "pointer", "reason"),
    [
        ({}, "", "lacks the required field name"),
        ({"name": "a", "cuont": 1}, "/cuont", "is no known field; did you mean count?"),
        ({"name": 1}, "/name", "must be a string, not 1"),
        ({"name": "a", "count": 0}, "/count", "must be at least 1, not 0"),
        ({"name": "a", "count": None}, "/count", "must be a whole number, not null"),
        ({"name": "a", "mode": "x"}, "/mode", "must be one of auto, manual, not 'x'"),
        ({"name": "a", "tags": ["x", True]}, "/tags/1", "must be a string, not true"),
        ({"name": "a", "tags": ["x", "x"]}, "/tags", "must not name anything twice"),
        ({"name": "a", "one": {}}, "/one", "must not be empty; it may have file, text"),
        ({"name": "a", "one": {"file": 1, "text": 2}}, "/one", "must have one field only, not file, text"),
        ({"name": "a", "place": {}}, "/place", "lacks the required field url"),
        ({"name": "a", "place": 3}, "/place", "3 fits none of the allowed forms"),
        ({"name": "a", "either": {"a": 1, "b": 2}}, "/either", "must have only one of a, b"),
        ({"name": "a", "either": {"never": 1}}, "/either/never", "must be left out here"),
        ({"name": "a", "told": {}}, "/told", "must have a or b"),
        ({"name": "a", "told": {"a": 1, "b": 2}}, "/told", "must have a or b"),
        ([], "", "must be a mapping, not a list"),
    ],
)
def test_a_problem_says_where_and_why(value: object, pointer: str, reason: str) -> None:
    assert _problems(value) == [SchemaProblem(pointer, reason)]


def test_all_problems_are_told_in_order_of_place() -> None:
    assert [each.pointer for each in _problems({"name": "A", "x": 1, "count": 0})] == ["/count", "/name", "/x"]


def test_a_field_that_resembles_none_is_told_what_is_known() -> None:
    (problem,) = _problems({"name": "a", "qqqqqq": 1})
    assert "known are count, either, mode, name" in problem.reason


@pytest.mark.parametrize(("name", "found"), [("Counts", "count"), ("mdoe", "mode"), ("zzz", None)])
def test_the_nearest_name_is_found(name: str, found: str | None) -> None:
    assert nearest(name, ("count", "mode")) == found


def test_a_field_that_another_needs_is_named_as_a_missing_one() -> None:
    found = Validator({"dependentRequired": {"commit": ["revision"], "tag": ["revision"]}}).problems({"commit": "c1"})
    assert [(each.pointer, each.reason) for each in found] == [("", "lacks the field revision, which commit needs")]
