"""The message of a transition commit: headline, summary in YAML, trailers; written and read back.

Unit names and reasons can contain anything, so whatever is not plainly safe becomes a JSON string on its line: it can
neither break the YAML of the summary nor look like a trailer.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError

OPERATION = "Nyl-Operation"
RUN_ID = "Nyl-Run-Id"
ENVIRONMENT = "Nyl-Environment"
SOURCE_COMMIT = "Nyl-Source-Commit"
READ_DESIRED = "Nyl-Read-Desired"
READ_OBSERVED = "Nyl-Read-Observed"
RUNNER = "Nyl-Runner"
EVALUATED_AT = "Nyl-Evaluated-At"
VERSION = "Nyl-Version"
LOCAL = "Nyl-Local"
"""Marks what was written to the local copy of a state, without its remote's lease."""

_PLAIN = re.compile(r"[a-z](?:[a-z0-9._-]*[a-z0-9])?", re.IGNORECASE | re.ASCII)
_RESERVED = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"})
# What JSON leaves as it is although YAML, Git or a terminal takes it for something else.
_UNSAFE = re.compile("[\\x7f-\\x9f\\u2028\\u2029\\ufeff\\ufffe\\uffff]")
_SURROGATE = re.compile("[\\ud800-\\udfff]")
_TRAILER = re.compile(r"([A-Za-z][A-Za-z0-9-]*): (.*)")


@dataclass(frozen=True)
class TransitionRecord:
    """What the message of a transition commit says. `summary` is {} where it cannot be read."""

    headline: str
    summary: Mapping[str, Any] = field(default_factory=dict)
    trailers: Mapping[str, str] = field(default_factory=dict)

    @property
    def run(self) -> str | None:
        """The run that wrote the commit."""
        return self.trailers.get(RUN_ID)

    @property
    def units(self) -> Mapping[str, Any]:
        """Each unit's result."""
        units = self.summary.get("units")
        return units if isinstance(units, dict) else {}


def format_transition(headline: str, summary: Mapping[str, object], trailers: Mapping[str, str]) -> str:
    """The message of a commit: what `parse_transition` reads back, with a line end."""
    blocks = [_one_line(headline)]
    if summary:
        blocks.append("\n".join(line for name, value in summary.items() for line in _entry(name, value)))
    blocks.append("\n".join(f"{name}: {_one_line(value)}" for name, value in trailers.items()))
    return "\n\n".join(blocks) + "\n"


def with_trailers(trailers: Mapping[str, str], read_desired: str, read_observed: str) -> dict[str, str]:
    """Some trailers with those of the commits that were read, which stand after the source commit."""
    read = {READ_DESIRED: read_desired, READ_OBSERVED: read_observed}
    merged: dict[str, str] = {}
    for name, value in trailers.items():
        if name in (RUNNER, EVALUATED_AT, VERSION):
            merged.update(read)
        merged[name] = value
    return {**merged, **read}


def parse_transition(message: str) -> TransitionRecord:
    """What a commit message says; only a headline when nyl did not write it."""
    headline, _, body = message.strip("\n").partition("\n\n")
    middle, _, last = body.rpartition("\n\n")
    trailers = _trailers(last)
    if ENVIRONMENT not in trailers:
        return TransitionRecord(headline)
    return TransitionRecord(headline, _summary(middle), trailers)


def _inline_json(value: object) -> str:
    """JSON on one line, sorted, that is also YAML and holds no character which could end a line."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", _SURROGATE.sub("\ufffd", text))


def _entry(name: str, value: object) -> list[str]:
    if name == "units" and isinstance(value, Mapping) and value:
        return ["units:", *(f"  {_scalar(unit)}: {_inline_json(result)}" for unit, result in value.items())]
    if isinstance(value, Sequence) and not isinstance(value, str) and all(isinstance(each, str) for each in value):
        return [f"{name}: [{', '.join(_scalar(each) for each in value)}]"]
    return [f"{name}: {_inline_json(value)}"]


def _scalar(text: str) -> str:
    plain = _PLAIN.fullmatch(text) and text.lower() not in _RESERVED
    return text if plain else _inline_json(text)


def _one_line(text: str) -> str:
    printable = "".join(each if each.isprintable() else " " for each in text)
    return _SURROGATE.sub("\ufffd", " ".join(printable.split()))


def _trailers(block: str) -> dict[str, str]:
    found = (_TRAILER.fullmatch(line) for line in block.split("\n"))
    return {match[1]: match[2] for match in found if match}


def _summary(block: str) -> Mapping[str, Any]:
    from nyl.core import yamlio

    try:
        value = yamlio.load_document(block.encode(), "summary")
    except NylError:
        return {}
    return value if isinstance(value, dict) else {}
