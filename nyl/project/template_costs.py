"""What values weigh and what functions of templates would build, computed before anything is built."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

MAX_SIZE = 1_000_000
"""Characters and items of any value, with all that is nested in it, and of the rendered text."""
MAX_BITS = 4_096
"""Bits of a whole number."""

_WIDTH = 9_999
_WIDE_FORMAT = re.compile(r"%[-+ #0.\d]*\d{5,}[a-z]|\{[^}]*:[^}]*\d{5,}")
_NODES_A_STEP = 16
_TEXT_A_STEP = 16_384

_NUMBERS = frozenset({int, float, bool, type(None)})
_TEXTS = frozenset({str, bytes})
_MAPPINGS = frozenset({dict})
_LISTS = frozenset({list, tuple, set, frozenset})
HEAVY = _TEXTS | _MAPPINGS | _LISTS
"""The classes whose values can weigh anything."""


class LimitExceeded(Exception):
    """A template did more than it may; the text says what."""


def weigh(value: Any) -> int:
    """The steps that handling a value costs. Raises LimitExceeded when it weighs too much.

    A value that is nested in several places counts in each, as it is printed, compared and copied in each.
    """
    size = nodes = 0
    pending = [value]
    while pending:
        each = pending.pop()
        nodes += 1
        kind = each.__class__
        if kind in _NUMBERS:
            continue
        if kind in _TEXTS:
            size += len(each)
        elif kind in _MAPPINGS:
            size += 2 * len(each)
            pending.extend(each)
            pending.extend(each.values())
        elif kind in _LISTS:
            size += len(each)
            pending.extend(each)
        if size > MAX_SIZE:
            raise too_large()
    return nodes // _NODES_A_STEP + size // _TEXT_A_STEP


def too_large() -> LimitExceeded:
    """The error for a value that would hold too much."""
    return LimitExceeded(f"it builds a value of more than {MAX_SIZE:,} characters or items")


def check_arguments(values: Iterable[Any]) -> None:
    """Raises LimitExceeded for numbers that ask for more than any value may hold."""
    for value in values:
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) > MAX_SIZE:
            raise LimitExceeded(f"it passes the number {_short(value)} to a function")


def check_product(left: Any, right: Any) -> None:
    """Raises LimitExceeded for a product that would be too large."""
    for value, times in ((left, right), (right, left)):
        if isinstance(value, str | list | tuple) and isinstance(times, int) and len(value) * times > MAX_SIZE:
            raise too_large()
    if isinstance(left, int) and isinstance(right, int) and left.bit_length() + right.bit_length() > MAX_BITS:
        raise LimitExceeded(f"it computes a number of more than {MAX_BITS:,} bits")


def check_power(base: Any, exponent: Any) -> None:
    """Raises LimitExceeded for a power that would be too large."""
    if isinstance(base, int) and isinstance(exponent, int) and base.bit_length() * abs(exponent) > MAX_BITS:
        raise LimitExceeded(f"it computes a number of more than {MAX_BITS:,} bits")


def check_growth(function: str, subject: Any, arguments: Iterable[Any]) -> None:
    """Raises LimitExceeded when a function that multiplies text would build too much of it.

    `function` is a method of text, `%` or a filter; what is named the same does the same, but for the filter `format`,
    which is called `%` here, as it is no `str.format`.
    """
    grown = _GROWING.get(function)
    if grown is None or not (isinstance(subject, str) or grown is _dumped):
        return
    if grown(subject, list(arguments)) > MAX_SIZE:
        raise too_large()


def _replaced(text: str, given: list[Any]) -> int:
    old, new = (*(str(each) for each in given[:2]), "", "")[:2]
    return len(text) + (text.count(old) if old else len(text) + 1) * len(new)


def _joined(separator: str, given: list[Any]) -> int:
    items = given[0] if given and isinstance(given[0], list | tuple | set | dict) else ()
    return sum(_text_of(each) for each in items) + len(separator) * len(items)


def _check_widths(text: str) -> None:
    if _WIDE_FORMAT.search(text):
        raise LimitExceeded(f"it formats with a width of more than {_WIDTH:,}")


def _formatted(text: str, given: list[Any]) -> int:
    _check_widths(text)
    width = _WIDTH if ":" in text or "!" in text else 0
    return len(text) + text.count("{") * (_largest(given) + width + (_most(given) if ":" in text else 0))


def _interpolated(text: str, given: list[Any]) -> int:
    _check_widths(text)
    width = _WIDTH if re.search(r"\d", text) else 0
    return len(text) + text.count("%") * (_largest(given) + width + (_most(given) if "*" in text else 0))


def _expanded(text: str, given: list[Any]) -> int:
    return len(text) + text.count("\t") * max(8, _most(given))


def _translated(text: str, given: list[Any]) -> int:
    table = given[0] if given and isinstance(given[0], Mapping) else {}
    return len(text) * max((_text_of(each) for each in table.values()), default=1)


def _indented(text: str, given: list[Any]) -> int:
    return len(text) + (text.count("\n") + 1) * max(4, _most(given), _largest(given))


def _wrapped(text: str, given: list[Any]) -> int:
    return len(text) * max((len(each) for each in given if isinstance(each, str)), default=1)


def _dumped(value: Any, given: list[Any]) -> int:
    depth, lines, level = 0, 0, [value]
    while level:
        depth += 1
        lines += len(level)
        items = (each.values() if isinstance(each, Mapping) else each for each in level if _is_container(each))
        level = [item for each in items for item in each]
    return lines * depth * _most(given)


def _is_container(value: Any) -> bool:
    return isinstance(value, list | tuple | Mapping)


def _text_of(value: Any) -> int:
    """Characters of a value's text, at most; what is nested is weighed by whoever made the argument."""
    return len(value) if isinstance(value, str) else len(str(value))


def _largest(values: Iterable[Any]) -> int:
    """Characters of the largest value, inside of mappings and lists too."""
    return max(map(_text_of, values), default=0)


def _most(values: Iterable[Any]) -> int:
    """The largest number among some values, such as a width."""
    flat = [item for each in values for item in (each if isinstance(each, list | tuple) else (each,))]
    return max((abs(each) for each in flat if isinstance(each, int)), default=0)


def _short(number: int) -> str:
    return f"{number:,}" if number.bit_length() < 100 else f"of {number.bit_length():,} bits"


_GROWING: Mapping[str, Callable[[Any, list[Any]], int]] = {
    "replace": _replaced,
    "join": _joined,
    "format": _formatted,
    "format_map": _formatted,
    "%": _interpolated,
    "expandtabs": _expanded,
    "translate": _translated,
    "indent": _indented,
    "wordwrap": _wrapped,
    "tojson": _dumped,
}
