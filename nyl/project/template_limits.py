"""Limits on what a template may do, so that a mistake or a hostile change cannot hang a run or fill the memory.

Jinja's sandbox keeps templates from reaching Python. These limits keep them from looping without end and from building
huge values: iterations and calls are counted, large values cost more of them, and whatever can multiply text is checked
before it does.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import wraps
from numbers import Number
from typing import Any

from jinja2 import Template, Undefined, nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment

from nyl.project.template_costs import (
    HEAVY,
    MAX_SIZE,
    LimitExceeded,
    check_arguments,
    check_growth,
    check_power,
    check_product,
    too_large,
    weigh,
)

MAX_STEPS = 200_000
"""Loop iterations and calls of one rendering."""

_HARMLESS_GLOBALS = ("range", "dict", "namespace", "joiner", "cycler")
_UNSTABLE_FILTERS = ("random", "pprint")
_MARKUP_FILTERS = ("urlize", "xmlattr")
_STEP, _WEIGHED = "nyl step", "nyl weighed"
_TEXT_A_STEP = 1_024


class LimitedEnvironment(ImmutableSandboxedEnvironment):
    """The sandbox with limits. `limited` must be applied to a parsed template before it is compiled."""

    intercepted_binops = frozenset({"+", "*", "**", "%"})

    def __init__(self, text_limit: int = MAX_SIZE, step_limit: int = MAX_STEPS, **options: Any) -> None:
        """`text_limit` bounds the characters of what is rendered, `step_limit` the steps of one rendering."""
        super().__init__(finalize=self._printable, **options)
        self.concat = self._concatenated  # type: ignore[method-assign]
        self._text_limit = text_limit
        self._step_limit = step_limit
        self.steps = 0
        """Steps taken so far; whoever begins another text sets them back."""
        self.globals = {name: self.globals[name] for name in _HARMLESS_GLOBALS}
        for name in (*_UNSTABLE_FILTERS, *_MARKUP_FILTERS):
            del self.filters[name]
        self.filters = {name: self._bounded(name, each) for name, each in self.filters.items()}
        self.filters |= {_STEP: self._counted, _WEIGHED: self._weighed, "join": self._join}
        for name, test in list(self.tests.items()):
            self.tests[name] = self._weighing(test)

    def limited(self, tree: nodes.Template) -> nodes.Template:
        """The tree with loops counted and what is concatenated or compared weighed; it is changed in place."""
        for loop in list(tree.find_all(nodes.For)):
            loop.iter = _filtered(loop.iter, _STEP)
        for joined in list(tree.find_all(nodes.Concat)):
            joined.nodes = [_filtered(each, _WEIGHED) for each in joined.nodes]
        for compared in list(tree.find_all(nodes.Compare)):
            compared.expr = _filtered(compared.expr, _WEIGHED)
            for operand in compared.ops:
                operand.expr = _filtered(operand.expr, _WEIGHED)
        return tree

    def run(self, template: Template, context: Mapping[str, Any]) -> str:
        """The rendered text. Raises LimitExceeded, or whatever the template's expressions raise."""
        return self._concatenated(template.root_render_func(template.new_context(dict(context))))

    def call(self, context: Any, obj: Any, *args: Any, **kwargs: Any) -> Any:
        """Calls what a template calls, as the sandbox allows it."""
        self._count()
        given = (*args, *kwargs.values())
        check_arguments(given)
        self._weigh(given)
        method = getattr(obj, "__wrapped__", obj)
        subject = getattr(method, "__self__", None)
        if isinstance(subject, str):
            if method.__name__ == "join":
                args = given = self._listed(args)
            check_growth(method.__name__, subject, given)
        return self._built(super().call(context, obj, *args, **kwargs))

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        """Computes one of the intercepted operators."""
        if operator == "*":
            check_product(left, right)
        elif operator == "**":
            check_power(left, right)
        elif operator == "%" and isinstance(left, str):
            self._weigh((right,))
            check_growth("%", left, right if isinstance(right, tuple) else (right,))
        return self._built(super().call_binop(context, operator, left, right))

    def _concatenated(self, parts: Iterable[str]) -> str:
        """What a block or macro rendered, as one text."""
        found, size = [], 0
        for part in parts:
            size += len(part)
            if size > self._text_limit:
                raise LimitExceeded(f"it renders to more than {self._text_limit:,} characters")
            found.append(part)
        return "".join(found)

    def _bounded(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """A filter with the same signature marks, whose arguments and result are bounded."""

        @wraps(function)
        def bounded(*args: Any, **kwargs: Any) -> Any:
            self._count()
            given = (*args, *kwargs.values())
            check_arguments(given)
            self._weigh(given)
            at = 1 if hasattr(function, "jinja_pass_arg") else 0
            check_growth(
                "%" if name == "format" else name,
                args[at] if len(args) > at else None,
                (*args[at + 1 :], *kwargs.values()),
            )
            if name == "sum" and not isinstance((*args[at + 2 :], kwargs.get("start", 0), 0)[0], Number):
                raise LimitExceeded("it sums up what are no numbers")
            return self._built(function(*args, **kwargs))

        return bounded

    def _weighing(self, test: Any) -> Callable[..., Any]:
        """A test, such as `in`, that looks through its arguments."""

        @wraps(test)
        def weighing(*args: Any, **kwargs: Any) -> Any:
            self._weigh((*args, *kwargs.values()))
            return test(*args, **kwargs)

        return weighing

    def _join(self, values: Iterable[Any], separator: str = "", attribute: str | int | None = None) -> str:
        items = self._listed((values,))[0]
        if attribute is not None:
            items = [self.getitem(each, attribute) for each in items]
        self._weigh((items,))
        texts = [str(each) for each in items]
        check_growth("join", str(separator), (texts,))
        return str(self._built(str(separator).join(texts)))

    def _listed(self, values: tuple[Any, ...]) -> tuple[Any, ...]:
        """Iterators as lists, each of their items counted."""
        return tuple(list(map(self._passed, each)) if isinstance(each, Iterator | range) else each for each in values)

    def _counted(self, values: Iterable[Any]) -> Iterable[Any]:
        if isinstance(values, range) and len(values) > self._step_limit:
            raise LimitExceeded(f"it loops over {len(values):,} items")
        if not hasattr(values, "__iter__"):
            return values
        items = list(values) if not isinstance(values, Iterator) else values
        return _Counted(items, self._count) if isinstance(items, list) else map(self._passed, items)

    def _passed(self, value: Any) -> Any:
        self._count()
        return value

    def _count(self, steps: int = 1) -> None:
        self.steps += steps
        if self.steps > self._step_limit:
            raise LimitExceeded(f"it takes more than {self._step_limit:,} loop iterations and calls")

    def _weigh(self, values: tuple[Any, ...]) -> None:
        for value in values:
            if value.__class__ in HEAVY:
                self._count(weigh(value))

    def _weighed(self, value: Any) -> Any:
        self._weigh((value,))
        return value

    def _built(self, value: Any) -> Any:
        """A value that a template made, which costs as much as it is long."""
        if isinstance(value, str | list | tuple | dict | set):
            if len(value) > MAX_SIZE:
                raise too_large()
            self._count(len(value) // _TEXT_A_STEP)
        return value

    def _printable(self, value: Any) -> Any:
        """What an expression may print: data, never an object whose text tells a memory address."""
        if value is None or isinstance(value, str | int | float | list | dict | tuple | Undefined):
            return self._weighed(value)
        raise LimitExceeded(f"it prints a {type(value).__name__}, which is not data")


class _Counted(list[Any]):
    """A list that counts each item it hands to a loop."""

    def __init__(self, items: list[Any], count: Callable[[], None]) -> None:
        super().__init__(items)
        self._count = count

    def __iter__(self) -> Iterator[Any]:
        for item in super().__iter__():
            self._count()
            yield item


def _filtered(node: nodes.Expr | nodes.Node, name: str) -> nodes.Filter:
    return nodes.Filter(node, name, [], [], None, None, lineno=node.lineno)
