"""What happens to tools while a driver is tried: part of the conformance suite."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from nyl.core.tool_result import ToolResult
from nyl.units.context import UnitContext


class Mishap(StrEnum):
    """What happens to one tool, as a clause about it."""

    OVERRUN = "passes the unit's timeout"
    CANCELLED = "is at work when the run is cancelled"
    KILLED = "is killed by somebody else"
    MISSING = "cannot be started"


_ENDLESS = ("/bin/sh", "-c", "echo at work >&2; exec sleep 3600")
_INSTEAD: Mapping[Mishap, tuple[str, ...]] = {
    Mishap.OVERRUN: _ENDLESS,
    Mishap.CANCELLED: _ENDLESS,
    Mishap.KILLED: ("/bin/sh", "-c", "kill -KILL $$"),
    Mishap.MISSING: ("/nowhere/no-such-program",),
}


@dataclass
class TrialContext(UnitContext):
    """A context that knows which tools were started, and puts one that has a mishap in the place of another."""

    mishap: Mishap | None = None
    at: int = 0
    """Which tool has the mishap, from 1."""
    started: list[tuple[str, ...]] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)
    _happened: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self.sink = self.shown.append

    def seconds_after_mishap(self) -> float:
        """How long the driver has been at work since its tool ended; 0 where nothing happened to any."""
        return 0.0 if self._happened is None else time.monotonic() - self._happened

    def run(
        self,
        argv: Sequence[str],
        *,
        variables: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        capture_stdout: bool = False,
        translate: Callable[[bytes], str | None] | None = None,
    ) -> ToolResult:
        """Runs a tool, or lets a mishap have its way."""
        self.started.append(tuple(argv))
        happens = self.mishap is not None and len(self.started) == self.at
        if happens:
            argv = self._prepare()
        result = super().run(argv, variables=variables, cwd=cwd, capture_stdout=capture_stdout, translate=translate)
        if happens:
            self._happened = time.monotonic()
        return result

    def _prepare(self) -> Sequence[str]:
        assert self.mishap is not None
        if self.mishap is Mishap.OVERRUN:
            self.deadline = time.monotonic()
        if self.mishap is Mishap.CANCELLED:
            self.sink = self._cancel
        return _INSTEAD[self.mishap]

    def _cancel(self, _line: str) -> None:
        if not self.cancellation.cancelled:
            self.cancellation.cancel()
