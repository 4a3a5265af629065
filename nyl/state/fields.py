"""Strict reading of the fields of a stored document."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from nyl.core.canonical import is_digest
from nyl.core.clock import Instant
from nyl.core.pointers import join

_T = TypeVar("_T")

_ABSENT = object()


class Malformed(Exception):
    """A document does not say what its kind requires. `pointer` is where, `reason` completes "it …"."""

    def __init__(self, pointer: str, reason: str) -> None:
        super().__init__(f"{pointer or '/'} {reason}")
        self.pointer = pointer
        self.reason = reason


class Fields:
    """The fields of one mapping, each taken once; what nobody took is left for `rest`.

    Every method raises Malformed for a field that is missing or of another type.
    """

    __slots__ = ("_left", "_place")

    def __init__(self, value: object, place: "tuple[Fields, str | int] | None" = None) -> None:
        # Where this is becomes a pointer only when something is wrong: thousands of documents are right.
        self._place = place
        if not isinstance(value, dict):
            raise Malformed(self._pointer(), "must be a mapping")
        self._left: dict[str, Any] = dict(value)

    def text(self, name: str) -> str:
        """A required string."""
        value = self._left.pop(name, _ABSENT)
        if type(value) is not str:
            raise Malformed(self._pointer(name), "must be a string")
        return value

    def optional_text(self, name: str) -> str | None:
        """A string, or None where the field is absent or null."""
        return self.text(name) if self.has(name) else None

    def digest(self, name: str) -> str:
        """A required digest, such as an execution key."""
        value = self.text(name)
        if not is_digest(value):
            raise Malformed(self._pointer(name), "must be sha256: and 64 hexadecimal digits")
        return value

    def integer(self, name: str) -> int:
        """A required whole number."""
        value = self._left.pop(name, _ABSENT)
        if type(value) is not int:
            raise Malformed(self._pointer(name), "must be a whole number")
        return value

    def truth(self, name: str, default: bool = False) -> bool:
        """A boolean, `default` where it is absent."""
        value = self._left.pop(name, default)
        if type(value) is not bool:
            raise Malformed(self._pointer(name), "must be true or false")
        return value

    def instant(self, name: str) -> Instant:
        """A required RFC 3339 instant."""
        text = self.text(name)
        try:
            return Instant.parse(text)
        except ValueError:
            raise Malformed(self._pointer(name), f"must be an instant, not {text!r}") from None

    def choice(self, name: str, enum: Callable[[str], _T]) -> _T:
        """A required value of an enumeration."""
        text = self.text(name)
        try:
            return enum(text)
        except ValueError:
            raise Malformed(self._pointer(name), f"has the unknown value {text!r}") from None

    def data(self, name: str) -> dict[str, Any]:
        """A mapping, taken as it is; empty where it is absent."""
        value = self._left.pop(name, None)
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise Malformed(self._pointer(name), "must be a mapping")
        return value

    def optional_data(self, name: str) -> dict[str, Any] | None:
        """A mapping, taken as it is; None where it is absent."""
        return self.data(name) if self.has(name) else None

    def each(self, name: str, read: Callable[["Fields"], _T]) -> dict[str, _T]:
        """A mapping of mappings, each of them read; empty where it is absent."""
        values = self.data(name)
        if not values:
            return {}
        parent = Fields(values, (self, name))
        return {key: read(Fields(value, (parent, key))) for key, value in values.items()}

    def items(self, name: str, read: Callable[["Fields"], _T]) -> tuple[_T, ...]:
        """A list of mappings, each of them read; empty where it is absent."""
        values = self._list(name)
        if not values:
            return ()
        parent = Fields({}, (self, name))
        return tuple([read(Fields(value, (parent, index))) for index, value in enumerate(values)])

    def maps(self, name: str) -> tuple[Mapping[str, Any], ...]:
        """A list of mappings, taken as they are; empty where it is absent."""
        values = self._list(name)
        if not all(isinstance(value, dict) for value in values):
            raise Malformed(self._pointer(name), "must be a list of mappings")
        return tuple(values)

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of strings; empty where it is absent."""
        values = self._list(name)
        if not all(type(value) is str for value in values):
            raise Malformed(self._pointer(name), "must be a list of strings")
        return tuple(values)

    def text_map(self, name: str) -> dict[str, str]:
        """A mapping of strings; empty where it is absent."""
        values = self.data(name)
        if not all(type(value) is str for value in values.values()):
            raise Malformed(self._pointer(name), "must be a mapping of strings")
        return values

    def part(self, name: str, read: Callable[["Fields"], _T]) -> _T:
        """A required mapping, read."""
        if name not in self._left:
            raise Malformed(self._pointer(name), "must be a mapping")
        return read(Fields(self._left.pop(name), (self, name)))

    def optional_part(self, name: str, read: Callable[["Fields"], _T]) -> _T | None:
        """A mapping, read; None where it is absent or null."""
        return self.part(name, read) if self.has(name) else None

    def has(self, name: str) -> bool:
        """Whether a field is there and not null; one that is null is taken."""
        if self._left.get(name) is not None:
            return True
        self._left.pop(name, None)
        return False

    def rest(self) -> dict[str, Any]:
        """What no method took: fields of a later minor version."""
        return self._left

    def _pointer(self, *names: str | int) -> str:
        place = self._place[0]._pointer(self._place[1]) if self._place else ""
        return join(place, *names)

    def _list(self, name: str) -> list[Any]:
        value = self._left.pop(name, None)
        if value is None:
            return []
        if not isinstance(value, list):
            raise Malformed(self._pointer(name), "must be a list")
        return value
