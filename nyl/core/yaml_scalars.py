"""What plain scalars mean: the core schema of YAML 1.2, without numbers that cannot be written back as they were."""

import math
import re
from typing import Any, Protocol

_NULL_OR_BOOLEAN: dict[str, Any] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_FIRST = frozenset("0123456789+-.")


class ScalarRefused(ValueError):
    """A plain scalar that may mean another thing than its author meant; the text says which.

    `meant` is how to write the number that it may mean.
    """

    def __init__(self, reason: str, meant: str | None = None) -> None:
        super().__init__(reason)
        number = f", or write {meant} to mean the number" if meant is not None else ""
        self.fix = f"write it in quotes to mean a string{number}"


class WrittenFloat(float):
    """A float that is written again with the text it was read from, such as 1.10."""

    def __init__(self, text: str) -> None:
        self.text = text


class ScalarRules(Protocol):
    """What the scalars of a file mean to the reader of it. Each method raises ScalarRefused."""

    merges: bool
    """Whether a plain `<<` merges mappings into its own."""

    def plain(self, text: str) -> Any:
        """The value of a plain scalar."""

    def key(self, text: str) -> str:
        """The key that a plain scalar stands for."""

    def tagged(self, tag: str, text: str) -> Any:
        """The value of a scalar with a tag that does not mean a string."""


class StrictRules:
    """YAML 1.2 without anything that could mean another thing than its author meant."""

    merges = False

    def plain(self, text: str) -> Any:
        """The value of a plain scalar. Raises ScalarRefused when it is a number that loses its text."""
        return plain_value(text)

    def key(self, text: str) -> str:
        """The key, which must be a string. Raises ScalarRefused for anything else."""
        try:
            key = plain_value(text)
        except ScalarRefused:
            key = None
        if type(key) is not str:
            raise ScalarRefused(f"a key must be a string, and {text!r} is none")
        return key

    def tagged(self, tag: str, text: str) -> Any:
        """Raises ScalarRefused: there are no tags."""
        raise ScalarRefused(f"the tag {tag} is not supported")


def plain_value(text: str) -> Any:
    """The value of a plain (unquoted) scalar. Raises ScalarRefused when it is a number that loses its text."""
    if not text or text in _NULL_OR_BOOLEAN:
        return _NULL_OR_BOOLEAN[text]
    if text[0] not in _FIRST:
        return text
    if _INTEGER.fullmatch(text):
        return _integer(text)
    if _NOT_FINITE.fullmatch(text):
        raise ScalarRefused(f"{text} is not a number that JSON knows")
    if _FLOAT.fullmatch(text):
        value = float(text)
        if text in (repr(value), float_text(value)):
            return value
        meant = repr(value) if math.isfinite(value) else None
        raise ScalarRefused(f"the number {text} would be written back as {value!r}", meant)
    return text


def float_text(value: float) -> str:
    """A finite float as readers of YAML 1.1 and 1.2 both take for one: with a dot, also before an exponent."""
    text = repr(value)
    return text.replace("e", ".0e", 1) if "e" in text and "." not in text else text


def _integer(text: str) -> int:
    digits = text.removeprefix("-")
    if len(digits) > 1_000:
        raise ScalarRefused(f"a number of {len(digits)} digits is too long")
    if (digits[0] == "0" and text != "0") or digits[0] == "+":
        value = int(text, 0 if text[:2] in _PREFIXES else 10)
        raise ScalarRefused(f"the number {text} would be written back as {value}", str(value))
    return int(text)


_PREFIXES = ("0o", "0x")
