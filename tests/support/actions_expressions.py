"""The expressions of GitHub Actions, as far as the Action and the workflows use them: `${{ … }}` and `if:`.

Literals, contexts with `.name`, `['name']` and `.*`, the operators `== != < <= > >= && || !`, parentheses, and the
functions of `_FUNCTIONS`. Comparison of texts ignores case, as there; anything else fails the test.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

_TOKEN = re.compile(
    r"\s*(?:(?P<number>-?\d+(?:\.\d+)?)|'(?P<text>(?:[^']|'')*)'|(?P<name>[A-Za-z_][\w-]*)"
    r"|(?P<sign>==|!=|<=|>=|&&|\|\||[!<>().,\[\]*]))"
)
_STATUS = re.compile(r"\b(?:success|failure|always|cancelled)\s*\(")
_CONSTANTS = {"true": True, "false": False, "null": None}


@dataclass(frozen=True)
class Status:
    """How the job stands: for `success()` and the like."""

    failed: bool = False
    cancelled: bool = False


@dataclass(frozen=True)
class Contexts:
    """What expressions can name."""

    values: Mapping[str, Any]
    status: Status = Status()

    def evaluate(self, text: str) -> Any:
        """The value of one expression."""
        parser = _Parser(_tokens(text), self)
        value = parser.either()
        assert parser.at_end(), f"cannot read all of the expression {text!r}"
        return value

    def fill(self, text: str) -> str:
        """A text with its `${{ … }}` replaced."""
        return re.sub(r"\$\{\{(.*?)\}\}", lambda found: as_text(self.evaluate(found[1])), text, flags=re.DOTALL)

    def holds(self, condition: str | bool | None) -> bool:
        """Whether a step with this `if:` runs."""
        text = str(condition).strip() if condition not in (None, "") else "success()"
        text = text[3:-2] if text.startswith("${{") and text.endswith("}}") else text
        if not _STATUS.search(text):
            text = f"success() && ({text})"
        return is_true(self.evaluate(text))


def as_text(value: Any) -> str:
    """A value as it stands in a text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict | list):
        return json.dumps(value, indent=2)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return "" if value is None else str(value)


def is_true(value: Any) -> bool:
    """Whether a value counts as true."""
    return value not in (False, None, "", 0) and value == value


def _tokens(text: str) -> list[tuple[str, str]]:
    found, position = [], 0
    text = text.strip()
    while position < len(text):
        match = _TOKEN.match(text, position)
        assert match is not None, f"cannot read the expression {text!r} from {text[position:]!r}"
        kind = str(match.lastgroup)
        found.append((kind, match[kind]))
        position = match.end()
    return found


class _Parser:
    def __init__(self, tokens: list[tuple[str, str]], contexts: Contexts) -> None:
        self._tokens = tokens
        self._contexts = contexts
        self._position = 0

    def at_end(self) -> bool:
        return self._position == len(self._tokens)

    def either(self) -> Any:
        value = self._both()
        while self._take("||"):
            other = self._both()
            value = value if is_true(value) else other
        return value

    def _both(self) -> Any:
        value = self._comparison()
        while self._take("&&"):
            other = self._comparison()
            value = other if is_true(value) else value
        return value

    def _comparison(self) -> Any:
        value = self._unary()
        for sign, compare in _COMPARISONS.items():
            if self._take(sign):
                other = self._unary()
                return compare(_comparable(value, other), _comparable(other, value))
        return value

    def _unary(self) -> Any:
        return not is_true(self._unary()) if self._take("!") else self._value()

    def _value(self) -> Any:
        kind, text = self._tokens[self._position]
        self._position += 1
        if kind == "number":
            return float(text)
        if kind == "text":
            return text.replace("''", "'")
        if text == "(":
            value = self.either()
            self._must("(", ")")
            return value
        assert kind == "name", f"unexpected {text!r}"
        if self._take("("):
            return self._call(text)
        return self._path(_CONSTANTS[text] if text in _CONSTANTS else self._context(text))

    def _context(self, name: str) -> Any:
        assert name in self._contexts.values, f"no context {name}"
        return self._contexts.values[name]

    def _path(self, value: Any) -> Any:
        while True:
            if self._take("."):
                if self._take("*"):
                    value = list(value.values()) if isinstance(value, Mapping) else value
                    continue
                value = _member(value, self._tokens[self._position][1])
                self._position += 1
            elif self._take("["):
                value = _member(value, self.either())
                self._must("[", "]")
            else:
                return value

    def _call(self, name: str) -> Any:
        arguments = []
        while not self._take(")"):
            arguments.append(self.either())
            self._take(",")
        status = self._contexts.status
        states = {
            "success": not status.failed and not status.cancelled,
            "failure": status.failed and not status.cancelled,
            "cancelled": status.cancelled,
            "always": True,
        }
        return states[name] if name in states else self._path(_FUNCTIONS[name.lower()](*arguments))

    def _take(self, sign: str) -> bool:
        if not self.at_end() and self._tokens[self._position] == ("sign", sign):
            self._position += 1
            return True
        return False

    def _must(self, opened: str, sign: str) -> None:
        assert self._take(sign), f"{opened} is not closed"


def _member(value: Any, name: Any) -> Any:
    if isinstance(value, Mapping):
        return next((each for key, each in value.items() if str(key).lower() == str(name).lower()), None)
    if isinstance(value, list):
        if isinstance(name, float):
            return value[int(name)] if int(name) < len(value) else None
        return [_member(each, name) for each in value]
    return None


def _comparable(value: Any, other: Any) -> Any:
    """Texts without case; values of different types as numbers."""
    if isinstance(value, str) and isinstance(other, str):
        return value.lower()
    if type(value) is type(other):
        return value
    if value is None or value == "":
        return 0.0
    try:
        return float(value)
    except (TypeError, ValueError):
        return float("nan")


def _contains(where: Any, what: Any) -> bool:
    if isinstance(where, list):
        return any(_comparable(each, what) == _comparable(what, each) for each in where)
    return as_text(what).lower() in as_text(where).lower()


_COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
}
_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "contains": _contains,
    "startswith": lambda text, start: as_text(text).lower().startswith(as_text(start).lower()),
    "endswith": lambda text, end: as_text(text).lower().endswith(as_text(end).lower()),
    "format": lambda text, *values: re.sub(r"\{(\d+)\}", lambda found: as_text(values[int(found[1])]), text),
    "join": lambda values, separator=",": as_text(separator).join(map(as_text, values)),
    "tojson": lambda value: json.dumps(value, indent=2),
    "fromjson": json.loads,
}
