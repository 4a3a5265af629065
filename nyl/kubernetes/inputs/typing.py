"""Whether a value has the type, and is one of the values, that a Release declares for an input."""

import math
from collections.abc import Mapping
from typing import Any

from nyl.kubernetes.resources import InputDeclaration

TYPES: Mapping[str, str] = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object",
    "array": "an array",
}
"""The types of inputs, and how messages name a value of each."""

SCALARS = ("string", "integer", "number", "boolean")
_SHOWN = 60


def has_type(value: Any, type_name: str) -> bool:
    """Whether a value is of a type. `integer` is integers alone, `number` any finite number; null is of no type."""
    if isinstance(value, bool):
        return type_name == "boolean"
    if isinstance(value, int):
        return type_name in ("integer", "number")
    if isinstance(value, float):
        return type_name == "number" and math.isfinite(value)
    return isinstance(value, _CLASSES.get(type_name, ()))


def same_value(one: Any, other: Any) -> bool:
    """Whether two scalars are one value, as JSON sees it: 1 is 1.0, and no number is a boolean."""
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def mismatch(declaration: InputDeclaration, value: Any) -> str | None:
    """Why a value does not fit a declaration, such as `must be an integer, not "2"`; None when it fits."""
    if not has_type(value, declaration.type):
        return f"must be {TYPES[declaration.type]}, not {shown(value)}"
    if declaration.enum is not None and not any(same_value(value, each) for each in declaration.enum):
        return f"must be one of {', '.join(map(shown, declaration.enum))}, not {shown(value)}"
    return None


def shown(value: Any) -> str:
    """A value as messages show it: collections by their type alone, scalars as JSON, cut when they are long."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, list | tuple):
        return "an array"
    text = f'"{value}"' if isinstance(value, str) else str(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


_CLASSES: Mapping[str, Any] = {"string": str, "object": Mapping, "array": (list, tuple)}
