"""Frozen dataclasses that take little time to declare.

The decorator of the standard library compiles six methods for each class: on Python 3.11 that was a quarter of what a
command without changes takes, for its two hundred classes. Here only `__init__` is compiled, and the rest is shared.
"""

from collections.abc import Callable, Iterable
from dataclasses import MISSING, Field, FrozenInstanceError
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    from dataclasses import dataclass as _standard

    _T = TypeVar("_T")

    def dataclass(cls: type | None = None, /, *, frozen: bool = False, **options: bool) -> Any:
        """What `dataclasses.dataclass` is; `fields`, `replace` and `asdict` take the instances of its classes.

        Classes that are not just frozen are left to the standard one. A frozen class and those that inherit from it are
        all declared with this decorator, or all with the standard one.
        """
        if frozen and not options:
            return _complete
        return _standard(cls, frozen=frozen, **options)

    def _complete(cls: type[_T]) -> type[_T]:
        if cls.__doc__ is None:
            cls.__doc__ = cls.__name__  # else a signature is worked out for it
        _standard(init=False, repr=False, eq=False)(cls)
        fields = tuple(cls.__dataclass_fields__.values())
        compared = _values([each for each in fields if each.compare])
        hashed = _values([each for each in fields if (each.compare if each.hash is None else each.hash)])
        shown = [each.name for each in fields if each.repr]

        def __eq__(self: Any, other: object) -> bool:
            return compared(self) == compared(other) if other.__class__ is self.__class__ else NotImplemented

        def __hash__(self: Any) -> int:
            return hash(hashed(self))

        def __repr__(self: Any) -> str:
            values = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
            return f"{self.__class__.__qualname__}({values})"

        for method in (_init(cls, fields), __eq__, __hash__, __repr__, __setattr__, __delattr__):
            setattr(cls, method.__name__, method)
        return cls


def _values(fields: Iterable[Field[Any]]) -> Callable[[Any], object]:
    names = [each.name for each in fields]
    return attrgetter(*names) if names else lambda _: ()


def _init(cls: type, fields: Iterable[Field[Any]]) -> Callable[..., None]:
    names: dict[str, Any] = {"_set": object.__setattr__, "_missing": MISSING}
    parameters, lines = ["self"], ["pass"]
    for each in fields:
        value = name = each.name
        if each.default_factory is not MISSING:
            names[f"_make_{name}"] = each.default_factory
            parameters.append(f"{name}=_missing")
            value = f"_make_{name}() if {name} is _missing else {name}"
        elif each.default is not MISSING:
            names[f"_default_{name}"] = each.default
            parameters.append(f"{name}=_default_{name}")
        else:
            parameters.append(name)
        lines.append(f"_set(self, {name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    exec(f"def __init__({', '.join(parameters)}):\n " + "\n ".join(lines), names)
    init: Callable[..., None] = names["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    return init


def __setattr__(_self: object, name: str, _value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def __delattr__(_self: object, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")
