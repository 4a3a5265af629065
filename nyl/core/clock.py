"""Instants and the clock that is passed to everything that needs the time."""

import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Protocol

_NANOS = 1_000_000_000


@dataclass(frozen=True, order=True)
class Instant:
    """A point in time, in nanoseconds since the Unix epoch."""

    ns: int

    def __add__(self, duration: timedelta) -> "Instant":
        return Instant(self.ns + round(duration.total_seconds() * _NANOS))

    def __sub__(self, earlier: "Instant") -> timedelta:
        return timedelta(microseconds=(self.ns - earlier.ns) / 1000)

    def iso(self) -> str:
        """RFC 3339 with nanoseconds and `Z`, as documents hold it."""
        return f"{self._seconds():%Y-%m-%dT%H:%M:%S}.{self.ns % _NANOS:09d}Z"

    def iso_offset(self) -> str:
        """RFC 3339 with nanoseconds and `+00:00`, as messages show it."""
        return self.iso()[:-1] + "+00:00"

    def iso_seconds(self) -> str:
        """RFC 3339 in whole seconds, as commit trailers hold it."""
        return f"{self._seconds():%Y-%m-%dT%H:%M:%SZ}"

    @property
    def epoch_seconds(self) -> int:
        """Whole seconds since the Unix epoch, as Git dates are written."""
        return self.ns // _NANOS

    def _seconds(self) -> datetime:
        return datetime.fromtimestamp(self.epoch_seconds, UTC)

    @classmethod
    def parse(cls, text: str) -> "Instant":
        """The instant an RFC 3339 text names. Raises ValueError for anything else."""
        body, _, fraction = text.removesuffix("Z").removesuffix("+00:00").partition(".")
        # fromisoformat takes more forms than these 19 characters, and is many times as fast as strptime.
        if len(body) != 19 or body[10] != "T" or (fraction and not fraction.isdigit()):
            raise ValueError(f"not an instant: {text!r}")
        moment = datetime.fromisoformat(body).replace(tzinfo=UTC)
        return cls(int(moment.timestamp()) * _NANOS + int(fraction.ljust(9, "0")[:9] or 0))


class Clock(Protocol):
    """Where the time comes from."""

    def now(self) -> Instant:
        """The wall-clock time."""

    def monotonic(self) -> float:
        """Seconds that never go back, for measuring."""

    def sleep(self, seconds: float) -> None:
        """Waits for some seconds."""


class SystemClock:
    """The machine's clock."""

    def now(self) -> Instant:
        """The wall-clock time."""
        return Instant(time.time_ns())

    def monotonic(self) -> float:
        """Seconds that never go back, for measuring."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Waits for some seconds."""
        time.sleep(seconds)
