"""Durations as users write them: `90s`, `10m`, `1h30m`, `7d`."""

import re
from datetime import timedelta

_UNITS = {"d": 86_400, "h": 3_600, "m": 60, "s": 1}
_SHAPE = re.compile(r"(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?", re.ASCII)


def parse_duration(text: str) -> timedelta:
    """The duration a text such as `1h30m` stands for. Raises ValueError for zero, a sign, or anything else."""
    match = _SHAPE.fullmatch(text)
    amounts = match.groups(default="0") if match and text else ()
    if any(len(amount) > 9 for amount in amounts):
        raise ValueError(f"{text!r} is too long a duration")
    seconds = sum(int(amount) * size for amount, size in zip(amounts, _UNITS.values(), strict=False))
    if seconds <= 0:
        raise ValueError(f"{text!r} is not a duration such as 90s, 10m, 1h30m or 7d")
    return timedelta(seconds=seconds)


def format_duration(duration: timedelta) -> str:
    """A duration in whole seconds as `parse_duration` reads it; `0s` for less than one second."""
    left = int(duration.total_seconds())
    parts = []
    for unit, size in _UNITS.items():
        amount, left = divmod(left, size)
        if amount:
            parts.append(f"{amount}{unit}")
    return "".join(parts) or "0s"
