"""Hiding secrets in text that is shown, logged or recorded."""

import base64
import html
import json
import re
import threading
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any
from urllib.parse import quote, quote_plus

MASK = "***"
"""What a secret is replaced by."""

_SHORTEST = 4
_TELLING = 8
_WRAPPED_AT = (64, 76)
_LINE_ENDS = re.compile(r"\r\n|\r|\n")


class Masker:
    """Knows the secrets of a run, in every form in which tools print them.

    Each line of a secret is hidden by itself, and so are the base64, hexadecimal, URL-encoded, JSON- and HTML-escaped
    forms. Values shorter than 4 characters are left alone: hiding them would blank out ordinary text. Safe to use
    from several threads.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._lock = threading.Lock()
        self._secrets: frozenset[str] = frozenset()
        self._needles: tuple[str, ...] = ()
        self._telling: tuple[str, ...] = ()
        self._pattern: re.Pattern[str] | None = None
        self._longest = 0
        self.add(*secrets)

    def add(self, *secrets: str) -> None:
        """Hides more values from now on."""
        with self._lock:
            new = frozenset(secrets) - self._secrets
            if not new:
                return
            needles = set(self._needles).union(*map(_forms, new))
            telling = set(self._telling).union(*(_forms(each) for each in new if len(each) >= _TELLING))
            ordered = tuple(sorted(needles, key=lambda each: (-len(each), each)))
            self._secrets |= new
            self._pattern = re.compile("|".join(map(re.escape, ordered))) if ordered else None
            self._longest = max(map(len, ordered), default=0)
            self._telling = tuple(telling)
            self._needles = ordered

    def add_value(self, value: Any) -> None:
        """Hides every text and number inside a JSON value from now on."""
        self.add(*_leaves(value))

    def mask(self, text: str) -> str:
        """The text with every secret replaced by `***`."""
        if self._pattern is None or not any(needle in text for needle in self._needles):
            return text
        return self._pattern.sub(MASK, text)

    def split(self, text: str) -> tuple[str, str]:
        """Masks the start of a text that goes on: what is safe to show now, and the rest to keep for later.

        The rest is short (less than the longest secret form) and holds whatever may be the start of a secret.
        """
        keep = max(len(text) - self._longest + 1, 0) if self._longest else len(text)
        shown: list[str] = []
        done = 0
        for found in self._pattern.finditer(text) if self._pattern else ():
            if found.start() >= keep:
                break
            shown += (text[done : found.start()], MASK)
            done = found.end()
        end = max(done, keep)
        return "".join((*shown, text[done:end])), text[end:]

    def reveals(self, value: Any) -> bool:
        """Whether a JSON value is a secret, or contains one of at least 8 characters."""
        return any(
            (leaf in self._secrets and len(leaf) >= _SHORTEST) or self._contains(leaf) for leaf in _leaves(value)
        )

    @property
    def longest(self) -> int:
        """Characters of the longest form of a secret; 0 when there are none."""
        return self._longest

    def _is_secret(self, text: str) -> bool:
        return len(text) >= _SHORTEST and text in self._secrets

    def _contains(self, text: str) -> bool:
        return any(needle in text for needle in self._telling)


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield str(key)
            yield from _leaves(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _leaves(item)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield json.dumps(value)


@lru_cache(maxsize=256)
def _forms(secret: str) -> frozenset[str]:
    lines = [line.strip() for line in _LINE_ENDS.split(secret)]
    parts = {secret, secret.strip(), *lines}
    forms = {form for part in parts if len(part) >= _SHORTEST for form in _encodings(part)}
    return frozenset(form for form in forms if len(form) >= _SHORTEST)


def _encodings(text: str) -> Iterator[str]:
    raw = text.encode("utf-8", "surrogatepass")
    yield text
    for ascii_only in (True, False):
        once = json.dumps(text, ensure_ascii=ascii_only)[1:-1]
        yield once
        yield once.replace("/", "\\/")
        yield json.dumps(once, ensure_ascii=ascii_only)[1:-1]
    yield html.escape(text)
    yield text.replace("'", "'\\''")
    for encoded in (quote(raw, safe=""), quote(raw), quote_plus(raw)):
        yield encoded
        yield re.sub("%[0-9A-F]{2}", lambda found: found[0].lower(), encoded)
    yield raw.hex()
    yield raw.hex().upper()
    for standard in _base64_forms(raw):
        yield standard
        yield standard.replace("+", "-").replace("/", "_")


def _base64_forms(raw: bytes) -> Iterator[str]:
    for before in range(3):
        encoded = base64.b64encode(bytes(before) + raw).decode("ascii")
        # Only the characters that these bytes alone decide, whatever stands before and after them.
        yield encoded[(before * 8 + 5) // 6 : (before + len(raw)) * 8 // 6]
    whole = base64.b64encode(raw).decode("ascii")[: len(raw) * 8 // 6]
    for width in _WRAPPED_AT:
        if len(whole) > width:
            yield from (whole[start : start + width] for start in range(0, len(whole), width))
