"""The stable writer behind `nyl.core.yamlio`: block style, laid out as libyaml lays it out, without any YAML library.

Importing a YAML library costs a run that changes nothing more than its two small documents do.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

# Starts as no number, date or special value of either YAML version does, and has nothing that ends a plain scalar.
_PLAIN = re.compile(r"(?:[A-Za-z_/]|\./)(?:[A-Za-z0-9_./@+,*%~^(){}\[\]<>$;&|-]|:(?=[^ ])|[ ](?=[^ #]))*", re.ASCII)
_RESERVED = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"})
# No line ends with a space. Each part can begin at one place only: long text that does not fit is refused at once.
_LITERAL = re.compile(r"\S(?:.*\S)?(?:\n+[ ]*\S(?:.*\S)?)*\n?")
_UNSAFE = re.compile(
    "[\\x00-\\x09\\x0b-\\x1f\\x7f-\\xa0\\u2028\\u2029\\ufeff\\ud800-\\udfff\\ufffe\\uffff\\U00010000-\\U0010ffff]"
)
_SURROGATE = re.compile("[\\ud800-\\udfff]")
_ESCAPED = re.compile('[\\x00-\\x1f"\\\\\\x7f-\\x9f\\u2028\\u2029\\ufeff\\ufffe\\uffff\\U00010000-\\U0010ffff]')
_BREAK = re.compile("[\\n\\r\\x85\\u2028\\u2029]")
_NAMES = dict(zip('\0\a\b\t\n\v\f\r\x1b"\\\x85\u2028\u2029', '0abtnvfre"\\NLP', strict=True))
_SHORT_KEY = 128
"""Bytes of a key that may stand before its colon on one line; the specification asks readers for 1,024 characters."""
_STEP = "  "

_Add = Callable[[str], object]


def write(value: Any) -> str:
    """One YAML document. Raises ValueError or TypeError for what YAML here cannot hold."""
    parts: list[str] = []
    text = _inline(value, "")
    if text is not None:
        parts.append(text)
    else:
        _collection(parts.append, value, "", "")
    parts.append("\n")
    return "".join(parts)


def _collection(add: _Add, value: Any, indent: str, lead: str) -> None:
    """Adds the entries of a mapping or list; `lead` is what the first of them follows."""
    if isinstance(value, Mapping):
        _mapping(add, value, indent, lead)
    else:
        _sequence(add, value, indent, lead)


def _mapping(add: _Add, value: Mapping[Any, Any], indent: str, lead: str) -> None:
    for key, each in value.items():
        if not isinstance(key, str):
            raise TypeError(f"a key must be a string, not {key!r}")
        add(lead)
        lead = f"\n{indent}"
        if len(key.encode(errors="surrogatepass")) > _SHORT_KEY or _BREAK.search(key):
            add(f"? {_key(key)}{lead}:")
            _beside(add, each, indent)
        else:
            add(f"{_key(key)}:")
            _below(add, each, indent)


def _sequence(add: _Add, value: Sequence[Any], indent: str, lead: str) -> None:
    for each in value:
        add(f"{lead}-")
        lead = f"\n{indent}"
        _beside(add, each, indent)


def _below(add: _Add, value: Any, indent: str) -> None:
    """Adds the value of a key: collections start on the next line, lists as far left as their key."""
    text = _inline(value, indent)
    if text is not None:
        add(f" {text}")
        return
    inner = indent + _STEP if isinstance(value, Mapping) else indent
    _collection(add, value, inner, f"\n{inner}")


def _beside(add: _Add, value: Any, indent: str) -> None:
    """Adds what follows a dash or a lone colon: collections start on the same line."""
    text = _inline(value, indent)
    if text is not None:
        add(f" {text}")
    else:
        _collection(add, value, indent + _STEP, " ")


def _inline(value: Any, indent: str) -> str | None:
    """A scalar or an empty collection; None for a collection with entries."""
    if isinstance(value, str):
        return _string(str(value), indent)
    if isinstance(value, Mapping):
        return None if value else "{}"
    if isinstance(value, list | tuple):
        return None if value else "[]"
    return _bare(value)


def _bare(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, float):
        from nyl.core.yaml_scalars import float_text

        if not math.isfinite(value):
            raise ValueError(f"{value} cannot be written")
        return float_text(float(value))
    raise TypeError(f"{type(value).__name__} is no plain data")


def _string(text: str, indent: str) -> str:
    if "\n" in text and len(text) > 1 and _LITERAL.fullmatch(text) and not _UNSAFE.search(text):
        return _literal(text, indent + _STEP)
    return _key(text)


def _literal(text: str, indent: str) -> str:
    lines = text.removesuffix("\n").split("\n")
    return "\n".join(["|" if text.endswith("\n") else "|-", *(line and indent + line for line in lines)])


def _key(text: str) -> str:
    if _PLAIN.fullmatch(text) and text.lower() not in _RESERVED:
        return text
    if _SURROGATE.search(text):
        raise ValueError("a string with a lone surrogate cannot be written")
    if "\n" in text or _UNSAFE.search(text):
        return f'"{_ESCAPED.sub(_escape, text)}"'
    quoted = text.replace("'", "''")
    return f"'{quoted}'"


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    name = _NAMES.get(character)
    if name is not None:
        return f"\\{name}"
    code = ord(character)
    return f"\\x{code:02X}" if code < 0x100 else f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"
