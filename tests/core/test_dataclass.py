"""The decorator of frozen dataclasses does what that of the standard library does."""

import copy
import dataclasses
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, field
from typing import Any

import pytest

import nyl.core.dataclass
from nyl.core.dataclass import dataclass

Decorator = Callable[[type], Any]

STANDARD: Decorator = dataclasses.dataclass(frozen=True)
OURS: Decorator = nyl.core.dataclass.dataclass(frozen=True)


def declared(decorator: Decorator) -> tuple[Any, Any, Any]:
    """The same three classes, by one decorator or the other: one with everything, one that inherits, one empty."""

    class Point:
        x: int
        y: "int | None" = None
        names: list[str] = field(default_factory=list, hash=False)
        hidden: str = field(default="", repr=False)
        note: str = field(default="", compare=False)

        def __post_init__(self) -> None:
            if self.x < 0:
                raise ValueError("x is negative")

    decorated = decorator(Point)
    Named: Any = type("Named", (decorated,), {"__annotations__": {"name": str}, "name": "n", "__qualname__": "Named"})
    Empty: Any = type("Empty", (), {"__qualname__": "Empty"})
    return decorated, decorator(Named), decorator(Empty)


CALLS: dict[str, Callable[[Any, Any, Any], object]] = {
    "defaults": lambda point, named, empty: vars(point(1)),
    "by place": lambda point, named, empty: vars(named(1, 2, ["a"], "h", "n", "m")),
    "by name": lambda point, named, empty: vars(named(names=["a"], x=3, name="z")),
    "a list of its own": lambda point, named, empty: point(1).names is point(1).names,
    "too few": lambda point, named, empty: point(),
    "too many": lambda point, named, empty: empty(1),
    "unknown": lambda point, named, empty: point(1, z=2),
    "after init": lambda point, named, empty: point(-1),
    "text": lambda point, named, empty: str(named(1, names=["a"], hidden="h")),
    "text of nothing": lambda point, named, empty: repr(empty()),
    "equal": lambda point, named, empty: (point(1) == point(1), point(1) == point(2), empty() == empty()),
    "not compared": lambda point, named, empty: point(1, note="a") == point(1, note="b"),
    "of another class": lambda point, named, empty: (point(1) == named(1), point(1) != 1, point(1) == (1, None)),
    "hashes": lambda point, named, empty: hash(point(1, names=["a"])) == hash(point(1, note="b")),
    "in a set": lambda point, named, empty: len({point(1), point(1), point(2), empty(), empty()}),
    "set": lambda point, named, empty: setattr(point(1), "x", 2),
    "set what is no field": lambda point, named, empty: setattr(named(1), "other", 2),
    "delete": lambda point, named, empty: delattr(point(1), "x"),
    "fields": lambda point, named, empty: [each.name for each in dataclasses.fields(named)],
    "replace": lambda point, named, empty: vars(dataclasses.replace(named(1, name="a"), y=5)),
    "as dict": lambda point, named, empty: dataclasses.asdict(named(1)),
    "copy": lambda point, named, empty: copy.deepcopy(named(1)) == named(1),
    "match": lambda point, named, empty: named.__match_args__,
}


@pytest.mark.parametrize("name", CALLS)
def test_it_does_what_the_standard_one_does(name: str) -> None:
    def outcome(decorator: Decorator) -> object:
        try:
            return CALLS[name](*declared(decorator))
        except (TypeError, ValueError, FrozenInstanceError) as error:
            return type(error), str(error)

    assert outcome(OURS) == outcome(STANDARD)


@dataclass(frozen=True)
class Kept:
    """Something to pickle."""

    value: int


def test_instances_can_be_pickled() -> None:
    assert pickle.loads(pickle.dumps(Kept(1))) == Kept(1)


def test_a_class_that_is_more_than_frozen_is_a_standard_one() -> None:
    @dataclass(frozen=True, order=True)
    class Ordered:
        value: int

    @dataclass
    class Open:
        value: int

    assert Ordered(1) < Ordered(2)
    changed = Open(1)
    changed.value = 2
    assert changed == Open(2)


def test_mutable_defaults_are_refused() -> None:
    with pytest.raises(ValueError, match="mutable default"):
        OURS(type("Wrong", (), {"__annotations__": {"value": list}, "value": []}))
