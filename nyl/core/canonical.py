"""Canonical JSON (RFC 8785) and the digests that are taken over it."""

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

_EXACT = 2**53 - 1


def canonical_json(value: Any) -> bytes:
    """RFC 8785 canonical JSON of plain data; integers beyond ±(2^53-1) keep their exact digits.

    Raises ValueError for NaN, infinities, lone surrogates, keys that are no strings and other types.
    """
    if _is_simple(value):
        # The C encoder writes the same bytes where neither floats nor the order of UTF-16 units matter.
        return _ENCODE(value).encode()
    return b"".join(_parts(value))


def digest(value: Any) -> str:
    """`sha256:<hex>` of a value's canonical JSON."""
    return digest_bytes(canonical_json(value))


def digest_bytes(data: bytes) -> str:
    """`sha256:<hex>` of some bytes."""
    return "sha256:" + hashlib.sha256(data).hexdigest()


def is_digest(value: object) -> bool:
    """Whether a value is `sha256:` and 64 hexadecimal digits in small letters."""
    return isinstance(value, str) and _DIGEST(value) is not None


_DIGEST = re.compile(r"sha256:[0-9a-f]{64}").fullmatch
_ENCODE = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode


def _is_simple(value: Any) -> bool:
    pending = [value]
    while pending:
        each = pending.pop()
        kind = type(each)
        if kind is dict:
            if not all(type(key) is str and key.isascii() for key in each):
                return False
            pending.extend(each.values())
        elif kind is list or kind is tuple:
            pending.extend(each)
        elif kind is not str and kind is not int and kind is not bool and each is not None:
            return False
    return True


def _parts(value: Any) -> list[bytes]:
    import rfc8785

    if isinstance(value, Mapping):
        fields = sorted(value.items(), key=_utf16_units)
        return _enclosed(b"{", [[rfc8785.dumps(key), b":", *_parts(each)] for key, each in fields], b"}")
    if isinstance(value, list | tuple):
        return _enclosed(b"[", [_parts(each) for each in value], b"]")
    if isinstance(value, int) and not -_EXACT <= value <= _EXACT:
        return [str(value).encode()]
    return [rfc8785.dumps(value)]


def _enclosed(opening: bytes, items: list[list[bytes]], closing: bytes) -> list[bytes]:
    parts = [opening]
    for index, item in enumerate(items):
        if index:
            parts.append(b",")
        parts.extend(item)
    parts.append(closing)
    return parts


def _utf16_units(field: tuple[Any, Any]) -> bytes:
    if not isinstance(field[0], str):
        raise ValueError(f"an object's key must be a string, not {field[0]!r}")
    return field[0].encode("utf-16-be")
