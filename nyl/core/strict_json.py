"""Hooks for `json.loads` that refuse what JSON does not have, or has no single meaning for."""

import math
from typing import Any, NoReturn


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of some pairs, as `object_pairs_hook`. Raises ValueError for a key that stands twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for at, name in enumerate(names) if name in names[:at])
        raise ValueError(f"the key {twice!r} stands twice in one object")
    return found


def no_constant(text: str) -> NoReturn:
    """Refuses NaN and infinities, as `parse_constant`. Raises ValueError."""
    raise ValueError(f"{text} is not a number that JSON knows")


def finite(text: str) -> float:
    """The float of a text, as `parse_float`. Raises ValueError for one that is too large."""
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"the number {text} is too large")
    return value


def is_deeper(value: Any, levels: int) -> bool:
    """Whether objects and arrays are nested in each other on more than some levels."""
    layer = [value]
    for _ in range(levels + 1):
        nested = [each for each in layer if isinstance(each, dict | list)]
        if not nested:
            return False
        layer = [inner for each in nested for inner in (each.values() if isinstance(each, dict) else each)]
    return True
