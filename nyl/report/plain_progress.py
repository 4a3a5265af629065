"""Progress in lines, for logs of CI systems and for pipes."""

import threading
from collections.abc import Iterable
from types import TracebackType
from typing import Protocol, Self, TextIO

from nyl.core.clock import Clock
from nyl.engine.events import Event, Step, UnitOutput
from nyl.report.progress_lines import elapsed, event_lines
from nyl.report.work import Work

_FIRST_WORD_SECONDS = 0.8
"""After how long something is said when nothing was said yet."""
_SILENCE_SECONDS = 9.5
"""After how long something is said when nothing was said since."""
_NAMED_UNITS = 4


class Arrangement(Protocol):
    """Decides in which order and company lines appear.

    What it gives must be written, all of it, before it is asked again.
    """

    def arrange(self, event: Event, told: Iterable[str], /) -> Iterable[str]:
        """The lines to write for an event whose words are `told`."""

    def aside(self, told: Iterable[str], /) -> Iterable[str]:
        """The lines to write for a sign of life."""

    def end(self) -> Iterable[str]:
        """The lines to write at the end."""


class AsTold:
    """Every line as it comes."""

    def arrange(self, _event: Event, told: Iterable[str]) -> Iterable[str]:
        """The words of the event."""
        return told

    def aside(self, told: Iterable[str]) -> Iterable[str]:
        """The words themselves."""
        return told

    def end(self) -> Iterable[str]:
        """Nothing: nothing was kept."""
        return ()


class PlainProgress:
    """A line at each start and end, each line that a tool prints, and a sign of life when all is quiet.

    Without `steps_at_once` steps are kept quiet until something was said: work that is quick then says nothing.
    """

    def __init__(
        self,
        stream: TextIO,
        clock: Clock,
        *,
        unit_output: bool = True,
        steps_at_once: bool = True,
        arrangement: Arrangement | None = None,
        first_word: float = _FIRST_WORD_SECONDS,
        silence: float = _SILENCE_SECONDS,
    ) -> None:
        self._stream = stream
        self._clock = clock
        self._unit_output = unit_output
        self._steps_at_once = steps_at_once
        self._arrangement = arrangement or AsTold()
        self._patience = first_word
        self._spoke = False
        self._silence = silence
        self._work = Work()
        self._began = clock.monotonic()
        self._heard = self._began
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._heart = threading.Thread(target=self._beat, name="nyl-progress", daemon=True)

    def __enter__(self) -> Self:
        self._heart.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        """Stops the signs of life, and writes what is still to be told."""
        self._closed.set()
        self._heart.join()
        with self._lock:
            self._say(self._arrangement.end(), self._clock.monotonic())

    def __call__(self, event: Event) -> None:
        """Shows one event; may be called from any thread."""
        with self._lock:
            now = self._clock.monotonic()
            self._work.note(event, now)
            if self._shows(event):
                self._say(self._arrangement.arrange(event, event_lines(event)), now)

    def _shows(self, event: Event) -> bool:
        if isinstance(event, Step):
            return self._steps_at_once or self._spoke
        return self._unit_output or not isinstance(event, UnitOutput)

    def _beat(self) -> None:
        while True:
            with self._lock:
                now = self._clock.monotonic()
                if now - self._heard >= self._patience:
                    self._say(self._arrangement.aside([self._sign_of_life(now)]), now)
                wait = min(self._heard + self._patience - now, self._silence)
            if self._closed.wait(max(wait, 0.01)):
                return

    def _sign_of_life(self, now: float) -> str:
        running = [f"{unit} ({elapsed(now - since)})" for unit, since in self._work.running.items()]
        if not running:
            return f"{self._work.step} ({elapsed(now - self._began)})"
        more = len(running) - _NAMED_UNITS
        shown = [*running[:_NAMED_UNITS], *([f"{more} more"] if more > 0 else [])]
        return f"still running: {', '.join(shown)}"

    def _say(self, said: Iterable[str], now: float) -> None:
        try:
            for line in said:
                self._stream.write(f"{line}\n")
                self._heard = now
                self._spoke = True
                self._patience = self._silence
            self._stream.flush()
        except (OSError, ValueError):
            self._closed.set()  # nobody reads: the operation goes on unwatched
