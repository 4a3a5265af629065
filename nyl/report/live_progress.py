"""Progress on a terminal: lines that stay for what ended, and a view of what runs that is redrawn in place."""

import threading
from contextlib import suppress
from types import TracebackType
from typing import Self, TextIO

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from nyl.core.clock import Clock
from nyl.engine.events import Event, Step, UnitEnded, UnitOutput, UnitStarted
from nyl.report.plaintext import one_line
from nyl.report.progress_lines import elapsed, event_lines
from nyl.report.work import Work

_REDRAW_SECONDS = 0.125
_SHOWN_UNITS = 8
_BAR_WIDTH = 30


class LiveProgress:
    """Units done, running with their elapsed time, and waiting.

    Lines gather until the next redraw: a tool that floods its output costs a redraw each eighth of a second, not one
    a line.
    """

    def __init__(self, stream: TextIO, clock: Clock, *, unit_output: bool = True) -> None:
        self._clock = clock
        self._unit_output = unit_output
        self._work = Work()
        self._began = clock.monotonic()
        self._lines: list[str] = []
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._hand = threading.Thread(target=self._redraw, name="nyl-progress", daemon=True)
        console = _PatientConsole(file=stream, markup=False, highlight=False, emoji=False, force_terminal=True)
        self._live = Live(
            console=console,
            get_renderable=self._picture,
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )

    def __enter__(self) -> Self:
        with suppress(OSError, ValueError):
            self._live.start()
        self._hand.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        """Removes the redrawn part and shows the cursor again."""
        self._closed.set()
        self._hand.join()
        with suppress(OSError, ValueError):
            self._print_gathered()
            self._live.stop()

    def __call__(self, event: Event) -> None:
        """Shows one event; may be called from any thread."""
        with self._lock:
            self._work.note(event, self._clock.monotonic())
            if self._stays(event):
                self._lines.extend(event_lines(event))

    def _redraw(self) -> None:
        with suppress(OSError, ValueError):  # the terminal went away: the operation goes on unwatched
            while not self._closed.wait(_REDRAW_SECONDS):
                self._print_gathered()
                self._live.refresh()

    def _print_gathered(self) -> None:
        with self._lock:
            gathered, self._lines = self._lines, []
        if gathered:
            self._live.console.print(Text("\n".join(gathered)), soft_wrap=True)

    def _stays(self, event: Event) -> bool:
        """Whether an event leaves a line behind; waves are only in the redrawn part."""
        return isinstance(event, UnitStarted | UnitEnded | Step) or (
            isinstance(event, UnitOutput) and self._unit_output
        )

    def _picture(self) -> RenderableType:
        with self._lock:
            now = self._clock.monotonic()
            done, total, step = self._work.done, self._work.total, self._work.step
            running = [(unit, now - since) for unit, since in self._work.running.items()]
        if not total:
            return _line(f"{step} ({elapsed(now - self._began)})")
        rows: list[RenderableType] = [_head(done, total, len(running), now - self._began)]
        rows += [_line(f"  {unit}  {elapsed(seconds)}") for unit, seconds in running[:_SHOWN_UNITS]]
        if len(running) > _SHOWN_UNITS:
            rows.append(_line(f"  and {len(running) - _SHOWN_UNITS} more"))
        return Group(*rows)


class _PatientConsole(Console):
    """A console whose reader may go away: rich would end the process then."""

    def on_broken_pipe(self) -> None:
        """Leaves it to who prints."""
        raise BrokenPipeError


def _head(done: int, total: int, running: int, seconds: float) -> RenderableType:
    counts = f"{done} of {total} done, {running} running, {max(total - done - running, 0)} waiting, {elapsed(seconds)}"
    row = Table.grid(padding=(0, 1))
    row.add_row(ProgressBar(total=total, completed=done, width=_BAR_WIDTH), Text(counts))
    return row


def _line(text: str) -> Text:
    return Text(one_line(text), no_wrap=True, overflow="ellipsis")
