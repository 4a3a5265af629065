"""How an operation is followed on stderr: live on a terminal, otherwise in lines, which GitHub Actions folds."""

import sys
from collections.abc import Callable, Mapping
from enum import StrEnum
from types import TracebackType
from typing import Protocol, Self

from nyl.core.clock import Clock
from nyl.engine.events import Event
from nyl.report.plain_progress import Arrangement, AsTold, PlainProgress


class ProgressMode(StrEnum):
    """How progress shows: what `--progress` accepts, and PATIENT."""

    AUTO = "auto"
    BAR = "bar"
    PLAIN = "plain"
    OFF = "off"
    PATIENT = "patient"
    """Not for users: lines, and only when the work takes its time. For commands that are over in a moment."""


class Progress(Protocol):
    """A view of a working operation: a listener that is open while the operation works."""

    def __enter__(self) -> Self:
        """Starts to show."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        """Stops showing, and leaves the terminal as it was."""

    def __call__(self, event: Event) -> None:
        """Shows one event; may be called from any thread."""


class SilentProgress:
    """Shows nothing (`--progress off`)."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        """Has nothing to stop."""

    def __call__(self, event: Event) -> None:
        """Drops the event."""


def progress_view(
    mode: ProgressMode,
    environ: Mapping[str, str],
    clock: Clock,
    *,
    unit_output: bool,
    groups: Callable[[], Arrangement] = AsTold,
) -> Progress:
    """The view for a mode; AUTO is live on a terminal that can redraw lines, outside CI.

    `groups` makes what folds lines for GitHub Actions, where the user asked for no mode.
    """
    if mode is ProgressMode.OFF or sys.stderr is None:
        return SilentProgress()
    if mode is ProgressMode.BAR or (mode is ProgressMode.AUTO and _redraws(environ)):
        from nyl.report.live_progress import LiveProgress

        return LiveProgress(sys.stderr, clock, unit_output=unit_output)
    return PlainProgress(
        sys.stderr,
        clock,
        unit_output=unit_output,
        steps_at_once=mode is not ProgressMode.PATIENT,
        arrangement=groups() if mode is not ProgressMode.PLAIN and environ.get("GITHUB_ACTIONS") == "true" else None,
    )


def _redraws(environ: Mapping[str, str]) -> bool:
    dumb = environ.get("TERM", "dumb") in ("", "dumb")
    return sys.stderr.isatty() and not dumb and not environ.get("CI")
