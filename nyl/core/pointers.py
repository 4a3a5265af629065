"""JSON pointers (RFC 6901) into plain data."""

from typing import Any


def join(parent: str, *keys: str | int) -> str:
    """The pointer to what `keys` lead to below `parent`."""
    return parent + "".join("/" + str(key).replace("~", "~0").replace("/", "~1") for key in keys)


def lies_in(pointer: str, parent: str) -> bool:
    """Whether a pointer leads to the place that another leads to, or to something inside it."""
    return pointer == parent or pointer.startswith(f"{parent}/")


def split(pointer: str) -> tuple[str, ...]:
    """The unescaped tokens of a pointer. Raises ValueError when it is not a JSON pointer."""
    from jsonpointer import JsonPointer, JsonPointerException

    try:
        return tuple(JsonPointer(pointer).parts)
    except JsonPointerException as error:
        raise ValueError(f"{pointer!r} is not a JSON pointer: {error}") from error


def get(value: Any, pointer: str) -> Any:
    """What a pointer points at. Raises KeyError when nothing is there, ValueError when it is no pointer."""
    for token in split(pointer):
        value = _child(value, token, pointer)
    return value


def replace(value: Any, pointer: str, new: Any) -> Any:
    """A copy of `value` in which the place a pointer points at holds `new`; what is beside it is shared.

    Raises KeyError when nothing is there, ValueError when it is no pointer.
    """
    return _replaced(value, split(pointer), new, pointer)


def _replaced(value: Any, tokens: tuple[str, ...], new: Any, pointer: str) -> Any:
    if not tokens:
        return new
    inner = _replaced(_child(value, tokens[0], pointer), tokens[1:], new, pointer)
    if isinstance(value, dict):
        return {**value, tokens[0]: inner}
    at = int(tokens[0])
    return [*value[:at], inner, *value[at + 1 :]]


def _child(value: Any, token: str, pointer: str) -> Any:
    if isinstance(value, dict) and token in value:
        return value[token]
    if isinstance(value, list | tuple) and _is_index(token) and int(token) < len(value):
        return value[int(token)]
    raise KeyError(pointer)


def _is_index(token: str) -> bool:
    return token == "0" or (token.isascii() and token.isdigit() and token[0] != "0" and len(token) < 10)
