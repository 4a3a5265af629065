"""The stable writer behind `nyl.core.yamlio`: feeds the C emitter with events."""

import io
import math
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import yaml
from yaml.events import (
    DocumentEndEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
    StreamStartEvent,
)

from nyl.core.yaml_held import held, held_block, released
from nyl.core.yaml_scalars import WrittenFloat, float_text

# Starts as no number, date or special value of either YAML version does, and has nothing that ends a plain scalar.
_PLAIN = re.compile(r"(?:[A-Za-z_/]|\./)(?:[A-Za-z0-9_./@+=,*%~^(){}\[\]<>$;&|-]|:(?=[^ ])|[ ](?=[^ #]))*", re.ASCII)
_RESERVED = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"})
# What a literal block may begin with: an indicator tells its indentation where that is a space or an empty line.
_BLOCK_START = re.compile(r"\n* *\S")
_UNSAFE = re.compile(
    "[\\x00-\\x09\\x0b-\\x1f\\x7f-\\xa0\\u2028\\u2029\\ufeff\\ud800-\\udfff\\ufffe\\uffff\\U00010000-\\U0010ffff]"
)
_UNSAFE_BLOCK = re.compile("[\\x00-\\x08\\x0b-\\x1f\\x7f-\\xa0\\u2028\\u2029\\ufeff\\ud800-\\udfff\\ufffe\\uffff]")
_SURROGATE = re.compile("[\\ud800-\\udfff]")
_WIDE = 1 << 30


def write(value: Any) -> str:
    """One YAML document. Raises ValueError or TypeError for what YAML here cannot hold."""
    stream = io.StringIO()
    emitter = yaml.CBaseDumper(stream, allow_unicode=True, width=_WIDE)
    emitter.emit(StreamStartEvent())
    emitter.emit(DocumentStartEvent(explicit=False))
    _emit(emitter.emit, value)
    emitter.emit(DocumentEndEvent(explicit=False))
    emitter.emit(StreamEndEvent())
    text = released(stream.getvalue())
    # A scalar alone is followed by a line that marks the document's end; a last value may end in dots itself.
    return text.removesuffix("...\n") if text.endswith("\n...\n") else text


def _emit(emit: Any, value: Any) -> None:
    kind = type(value)
    if kind is str or isinstance(value, str):
        emit(_string(str(value)))
    elif kind is dict or isinstance(value, Mapping):
        emit(MappingStartEvent(None, None, True, flow_style=not value))
        for key, each in value.items():
            if not isinstance(key, str):
                raise TypeError(f"a key must be a string, not {key!r}")
            emit(_known_key(str(key)))
            _emit(emit, each)
        emit(MappingEndEvent())
    elif kind is list or isinstance(value, list | tuple):
        emit(SequenceStartEvent(None, None, True, flow_style=not value))
        for each in value:
            _emit(emit, each)
        emit(SequenceEndEvent())
    else:
        emit(ScalarEvent(None, None, (True, False), _bare(value)))


def _bare(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value} cannot be written")
        return value.text if isinstance(value, WrittenFloat) else float_text(float(value))
    raise TypeError(f"{type(value).__name__} is no plain data")


def _key(text: str) -> ScalarEvent:
    if _PLAIN.fullmatch(text) and text.lower() not in _RESERVED:
        return ScalarEvent(None, None, (True, True), text)
    return _quoted(text)


@lru_cache(maxsize=4096)
def _known_key(text: str) -> ScalarEvent:
    """A key of a mapping: documents have few different ones, again and again."""
    return _key(text)


def _string(text: str) -> ScalarEvent:
    if "\n" in text and _BLOCK_START.match(text) and not _UNSAFE_BLOCK.search(text):
        return ScalarEvent(None, None, (True, True), held_block(text), style="|")
    return _key(text)


def _quoted(text: str) -> ScalarEvent:
    if _SURROGATE.search(text):
        raise ValueError("a string with a lone surrogate cannot be written")
    style = '"' if "\n" in text or _UNSAFE.search(text) else "'"
    return ScalarEvent(None, None, (True, True), held(text), style=style)
