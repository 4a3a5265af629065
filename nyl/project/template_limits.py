"""Limits on what a template may do, so that a mistake or a hostile change cannot hang a run or fill the memory.

Jinja's sandbox keeps templates from reaching Python. These limits keep them from looping without end and from building
huge values: iterations and calls are counted, and every operation that can multiply text is checked.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from jinja2 import Template, Undefined, nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment

MAX_STEPS = 200_000
"""Loop iterations and calls of one rendering."""
MAX_SIZE = 1_000_000
"""Characters or items of any value, and of the rendered text."""
MAX_BITS = 4_096
"""Bits of a whole number."""

_HARMLESS_GLOBALS = ("range", "dict", "namespace", "joiner", "cycler")
_UNSTABLE_FILTERS = ("random", "pprint")
_STEP, _SIZED = "nyl step", "nyl sized"
_WIDE_FORMAT = re.compile(r"%[-+ #0.\d]*\d{5,}[a-z]|\{[^}]*:[^}]*\d{5,}")


class LimitExceeded(Exception):
    """A template did more than it may; the text says what."""


class LimitedEnvironment(ImmutableSandboxedEnvironment):
    """The sandbox with limits. `limited` must be applied to a parsed template before it is compiled."""

    intercepted_binops = frozenset({"+", "*", "**", "%"})

    def __init__(self, **options: Any) -> None:
        super().__init__(finalize=_plain, **options)
        self._steps = 0
        self.globals = {name: self.globals[name] for name in _HARMLESS_GLOBALS}
        for name in _UNSTABLE_FILTERS:
            del self.filters[name]
        self.filters = {name: _checked(each) for name, each in self.filters.items()}
        self.filters[_STEP] = self._counted
        self.filters[_SIZED] = _sized

    def limited(self, tree: nodes.Template) -> nodes.Template:
        """The tree with every loop counted and every concatenation checked; it is changed in place."""
        for loop in list(tree.find_all(nodes.For)):
            loop.iter = _filtered(loop.iter, _STEP)
        for node in list(tree.find_all(nodes.Node)):
            for field, value in node.iter_fields():
                if isinstance(value, nodes.Concat):
                    setattr(node, field, _filtered(value, _SIZED))
                elif isinstance(value, list):
                    wrapped = [_filtered(each, _SIZED) if isinstance(each, nodes.Concat) else each for each in value]
                    setattr(node, field, wrapped)
        return tree

    def run(self, template: Template, context: Mapping[str, Any]) -> str:
        """The rendered text. Raises LimitExceeded, or whatever the template's expressions raise."""
        self._steps = 0
        parts, size = [], 0
        for part in template.root_render_func(template.new_context(dict(context))):
            size += len(part)
            if size > MAX_SIZE:
                raise LimitExceeded(f"it renders to more than {MAX_SIZE:,} characters")
            parts.append(part)
        return "".join(parts)

    def call(self, context: Any, obj: Any, *args: Any, **kwargs: Any) -> Any:
        """Calls what a template calls, as the sandbox allows it."""
        self._count()
        _check_arguments((obj, *args, *kwargs.values()))
        method = getattr(obj, "__wrapped__", obj)
        if isinstance(getattr(method, "__self__", None), str):
            _check_arguments((method.__self__,))
            _check_growth(method, args)
        return _sized(super().call(context, obj, *args, **kwargs))

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        """Computes one of the intercepted operators."""
        if operator == "*":
            _check_product(left, right)
        elif operator == "**":
            _check_power(left, right)
        elif operator == "%" and isinstance(left, str):
            _check_arguments((left,))
        return _sized(super().call_binop(context, operator, left, right))

    def _counted(self, values: Iterable[Any]) -> Iterable[Any]:
        if isinstance(values, range) and len(values) > MAX_STEPS:
            raise LimitExceeded(f"it loops over {len(values):,} items")
        if not hasattr(values, "__iter__"):
            return values
        items = list(values) if not isinstance(values, Iterator) else values
        return _Counted(items, self._count) if isinstance(items, list) else map(self._passed, items)

    def _passed(self, value: Any) -> Any:
        self._count()
        return value

    def _count(self) -> None:
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise LimitExceeded(f"it takes more than {MAX_STEPS:,} loop iterations and calls")


class _Counted(list[Any]):
    """A list that counts each item it hands to a loop."""

    def __init__(self, items: list[Any], count: Callable[[], None]) -> None:
        super().__init__(items)
        self._count = count

    def __iter__(self) -> Iterator[Any]:
        for item in super().__iter__():
            self._count()
            yield item


def _plain(value: Any) -> Any:
    """What an expression may print: data, never an object whose text tells a memory address."""
    if value is None or isinstance(value, str | int | float | list | dict | tuple | Undefined):
        return value
    raise LimitExceeded(f"it prints a {type(value).__name__}, which is not data")


def _filtered(node: nodes.Expr | nodes.Node, name: str) -> nodes.Filter:
    return nodes.Filter(node, name, [], [], None, None, lineno=node.lineno)


def _checked(function: Callable[..., Any]) -> Callable[..., Any]:
    """A filter with the same signature marks, whose arguments and result are bounded."""
    from functools import wraps

    @wraps(function)
    def bounded(*args: Any, **kwargs: Any) -> Any:
        _check_arguments((*args, *kwargs.values()))
        if getattr(function, "__name__", "") == "do_replace":
            texts = [each for each in args if isinstance(each, str)]
            _check_replacement(*texts[:3])
        return _sized(function(*args, **kwargs))

    return bounded


def _check_arguments(values: tuple[Any, ...]) -> None:
    for value in values:
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) > MAX_SIZE:
            raise LimitExceeded(f"it passes the number {_short(value)} to a function")
        if isinstance(value, str) and _WIDE_FORMAT.search(value):
            raise LimitExceeded("it formats with a width of more than 9,999")


def _check_growth(method: Any, args: tuple[Any, ...]) -> None:
    if method.__name__ == "replace" and len(args) >= 2:
        _check_replacement(method.__self__, str(args[0]), str(args[1]))


def _check_replacement(text: str = "", old: str = "", new: str = "", *_: str) -> None:
    if (text.count(old) if old else len(text) + 1) * len(new) > MAX_SIZE:
        raise LimitExceeded(f"it builds a text of more than {MAX_SIZE:,} characters")


def _check_product(left: Any, right: Any) -> None:
    for value, times in ((left, right), (right, left)):
        if isinstance(value, str | list | tuple) and isinstance(times, int) and len(value) * times > MAX_SIZE:
            raise LimitExceeded(f"it builds a value of more than {MAX_SIZE:,} items")
    if isinstance(left, int) and isinstance(right, int) and left.bit_length() + right.bit_length() > MAX_BITS:
        raise LimitExceeded(f"it computes a number of more than {MAX_BITS:,} bits")


def _check_power(base: Any, exponent: Any) -> None:
    if isinstance(base, int) and isinstance(exponent, int) and base.bit_length() * abs(exponent) > MAX_BITS:
        raise LimitExceeded(f"it computes a number of more than {MAX_BITS:,} bits")


def _sized(value: Any) -> Any:
    if isinstance(value, str | list | tuple | dict | set) and len(value) > MAX_SIZE:
        raise LimitExceeded(f"it builds a value of more than {MAX_SIZE:,} characters or items")
    return value


def _short(number: int) -> str:
    return f"{number:,}" if number.bit_length() < 100 else f"of {number.bit_length():,} bits"
