"""Hiding secrets in text that is shown, logged or recorded."""

import base64
import html
import json
import re
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from typing import Any
from urllib.parse import quote, quote_plus

MASK = "***"
"""What a secret is replaced by."""

_SHORTEST = 4
_TELLING = 8
_WRAPPED_AT = (64, 76)
_SHORTEST_NUMBER = 6
_WRAPPABLE = 16
_WRAP = re.compile(r"([ \t]*\r?\n[ \t]*)")
_ARMOUR = re.compile(r"-----(BEGIN|END) [A-Z0-9 ]+-----")
_LINE_ENDS = re.compile(r"\r\n|\r|\n")


class Masker:
    """Knows the secrets of a run, in every form in which tools print them.

    Each line of a secret is hidden by itself, and so are the base64, hexadecimal, URL-encoded, JSON- and HTML-escaped
    forms. Values shorter than 4 characters are left alone: hiding them would blank out ordinary text. Safe to use
    from several threads.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._lock = threading.Lock()
        self._known = _Known(frozenset(secrets))

    @property
    def longest(self) -> int:
        """Characters of the longest form of a secret; 0 when there are none."""
        return self._known.longest

    def add(self, *secrets: str) -> None:
        """Hides more values from now on."""
        with self._lock:
            if not self._known.secrets.issuperset(secrets):
                self._known = _Known(self._known.secrets.union(secrets))

    def add_value(self, value: Any) -> None:
        """Hides every text inside a JSON value from now on, and every number of at least 6 characters."""
        self.add(*_texts(value), *(text for text in _numbers(value) if len(text) >= _SHORTEST_NUMBER))

    def mask(self, text: str) -> str:
        """The text with every secret replaced by `***`, also where a tool wrapped a long form of it into lines."""
        known = self._known
        if "\n" in text:
            text = known.without_wrapped(text)
        return known.pattern.sub(MASK, text) if known.occur_in(text) else text

    def split(self, text: str) -> tuple[str, str]:
        """Masks the start of a text that goes on: what is safe to show now, and the rest to keep for later.

        The rest is short (less than the longest secret form) and holds whatever may be the start of a secret.
        """
        known = self._known
        keep = max(len(text) - known.longest + 1, 0) if known.longest else len(text)
        shown: list[str] = []
        done = 0
        for found in known.pattern.finditer(text) if known.occur_in(text) else ():
            if found.start() >= keep:
                break
            shown += (text[done : found.start()], MASK)
            done = found.end()
        end = max(done, keep)
        return "".join((*shown, text[done:end])), text[end:]

    def reveals(self, value: Any) -> bool:
        """Whether a JSON value is a secret, or contains a form of one of at least 8 characters."""
        known = self._known
        return any(
            (len(text) >= _SHORTEST and text in known.secrets) or any(form in text for form in known.telling)
            for text in (*_texts(value), *_numbers(value), *_keys(value))
        )


class _Known:
    """A set of secrets, with what searching for them needs."""

    def __init__(self, secrets: frozenset[str]) -> None:
        self.secrets = secrets
        forms = frozenset[str]().union(*map(_forms, secrets))
        self.forms = sorted(forms, key=len, reverse=True)
        self.longest = len(self.forms[0]) if self.forms else 0

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Finds the longest form where several start. Compiling takes a while, so it waits for the first find."""
        return re.compile("|".join(map(re.escape, self.forms)))

    @cached_property
    def telling(self) -> tuple[str, ...]:
        """The forms that do not stand in a text by chance."""
        return tuple(form for form in self.forms if len(form) >= _TELLING)

    @cached_property
    def _wrappable(self) -> re.Pattern[str]:
        return re.compile("|".join(re.escape(form) for form in self.forms if len(form) >= _WRAPPABLE))

    def without_wrapped(self, text: str) -> str:
        """The text without the long forms of secrets in it that line ends and indentation may cut; its lines stay."""
        parts = _WRAP.split(text)
        joined = "".join(parts[::2])
        if not any(form in joined for form in self.forms if len(form) >= _WRAPPABLE):
            return text
        spans, at = deque(found.span() for found in self._wrappable.finditer(joined)), 0
        for index in range(0, len(parts), 2):
            line = parts[index]
            parts[index] = _without(line, at, spans)
            at += len(line)
        return "".join(parts)

    def occur_in(self, text: str) -> bool:
        """Whether the text has any form of a secret."""
        return any(form in text for form in self.forms)


def _without(line: str, at: int, spans: deque[tuple[int, int]]) -> str:
    """A line that begins at `at` without what some spans cover; takes out the spans that end before it."""
    while spans and spans[0][1] <= at:
        spans.popleft()
    shown, done = list[str](), 0
    for start, end in spans:
        if start >= at + len(line):
            break
        first, last = max(start - at, done), min(end - at, len(line))
        shown += (line[done:first], MASK)
        done = last
    return "".join((*shown, line[done:]))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for item in _items(value):
        yield from _texts(item)


def _numbers(value: Any) -> Iterator[str]:
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield json.dumps(value)
    for item in _items(value):
        yield from _numbers(item)


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
    for item in _items(value):
        yield from _keys(item)


def _items(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list | tuple) else ()


@lru_cache(maxsize=256)
def _forms(secret: str) -> frozenset[str]:
    lines = [line.strip() for line in _LINE_ENDS.split(secret) if not _ARMOUR.fullmatch(line.strip())]
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
