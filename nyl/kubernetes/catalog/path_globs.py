"""Patterns of dotted paths, such as `metadata.annotations."example.com/*"` and `spec.info.**`."""

import re
from collections.abc import Sequence
from functools import lru_cache

_SEGMENT = re.compile(r'"([^"]+)"|([^."]+)')
_MANY = None


@lru_cache(maxsize=1024)
def parsed_glob(text: str) -> tuple[re.Pattern[str] | None, ...]:
    """The segments of a pattern, None for `**`. In a segment, quoted or not, `*` stands for any text.

    Raises ValueError for anything else, such as an empty segment.
    """
    found: list[re.Pattern[str] | None] = []
    position = 0
    while match := _SEGMENT.match(text, position):
        quoted, plain = match.groups()
        found.append(_MANY if plain == "**" else re.compile(_expression(quoted or plain)))
        position = match.end()
        if position == len(text):
            return tuple(found)
        if text[position] != ".":
            break
        position += 1
    raise ValueError(f"{text!r} is no pattern of a path")


def glob_matches(pattern: str, path: Sequence[str]) -> bool:
    """Whether a pattern matches a whole path: `*` is one segment, `**` any number of them.

    Raises ValueError as `parsed_glob`.
    """
    return _matches(parsed_glob(pattern), tuple(path))


def _matches(pattern: tuple[re.Pattern[str] | None, ...], path: tuple[str, ...]) -> bool:
    # The states are the numbers of segments of the pattern that may be used up by now.
    states = _past_many(pattern, {0})
    for segment in path:
        used = {state for state in states if state < len(pattern)}
        stayed = {state for state in used if pattern[state] is _MANY}
        moved = {state + 1 for state in used - stayed if _fits(pattern[state], segment)}
        states = _past_many(pattern, stayed | moved)
    return len(pattern) in states


def _fits(pattern: re.Pattern[str] | None, segment: str) -> bool:
    return pattern is not None and pattern.fullmatch(segment) is not None


def _past_many(pattern: tuple[re.Pattern[str] | None, ...], states: set[int]) -> set[int]:
    found = set(states)
    for state in states:
        while state < len(pattern) and pattern[state] is _MANY:
            state += 1
            found.add(state)
    return found


def _expression(segment: str) -> str:
    return "(?s:" + ".*".join(re.escape(each) for each in re.split(r"\*+", segment)) + ")"
