"""Names as segments of paths, safe on every file system and different where the names are ("File paths")."""

import hashlib
import re
from functools import lru_cache

LIMIT = 255
"""Bytes that file systems allow in one name."""

_UNSAFE = re.compile(r"[^A-Za-z0-9.-]|\A\.|\.\Z")
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|\Z)", re.IGNORECASE)
_CUT_ESCAPE = re.compile(r"%[0-9A-F]?\Z")
_DIGEST = 16


@lru_cache(maxsize=8192)
def encode_segment(name: str, suffix: str = "") -> str:
    """One segment of a path for a name, followed by `suffix` such as `.yaml`, in at most 255 bytes.

    Different names give different segments. Raises ValueError for an empty name and for one that is no Unicode text.
    """
    if not name:
        raise ValueError("an empty name is no segment of a path")
    stem = _UNSAFE.sub(_escaped, name)
    if _DEVICE.match(stem):
        stem = f"%{ord(stem[0]):02X}{stem[1:]}"
    return (stem if len(stem) + len(suffix) <= LIMIT else _shortened(stem, len(suffix))) + suffix


def _escaped(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match.group().encode())


def _shortened(stem: str, reserved: int) -> str:
    # `_` stands in no stem, so that no name can be written as a shortened one.
    kept = stem[: LIMIT - reserved - 1 - _DIGEST]
    return f"{_CUT_ESCAPE.sub('', kept)}_{hashlib.sha256(stem.encode()).hexdigest()[:_DIGEST]}"
