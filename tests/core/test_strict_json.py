"""JSON without keys that stand twice and numbers that are none."""

import json

import pytest

from nyl.core.strict_json import finite, no_constant, unique_keys


def load(text: str) -> object:
    return json.loads(text, object_pairs_hook=unique_keys, parse_constant=no_constant, parse_float=finite)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"a": 1, "b": 2, "b": 3}', "the key 'b' stands twice in one object"),
        ("[NaN]", "NaN is not a number that JSON knows"),
        ("[-Infinity]", "-Infinity is not a number that JSON knows"),
        ("[1e999]", "the number 1e999 is too large"),
    ],
)
def test_what_has_no_single_meaning_is_refused(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        load(text)


def test_all_else_is_read_as_it_is() -> None:
    assert load('{"a": {"b": 1.5}, "b": [1, null]}') == {"a": {"b": 1.5}, "b": [1, None]}
