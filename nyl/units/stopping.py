"""Telling work that a driver does itself, without a tool, that its run was cancelled or its time is over."""

import os
import select
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from nyl.core.cancellation import CancellationToken


@dataclass(frozen=True)
class Stop:
    """When a piece of work has to end. `deadline` is a reading of `time.monotonic()`."""

    cancellation: CancellationToken
    deadline: float | None
    token: CancellationToken = field(default_factory=CancellationToken)
    """Cancels what takes such a token, when the run is cancelled or the deadline passes."""

    @property
    def timed_out(self) -> bool:
        """Whether the time is over."""
        return self.deadline is not None and time.monotonic() >= self.deadline

    @property
    def requested(self) -> bool:
        """Whether the work has to end."""
        return self.cancellation.cancelled or self.timed_out


@contextmanager
def stopping(cancellation: CancellationToken, deadline: float | None) -> Iterator[Stop]:
    """Watches a run, and the clock, for as long as the block runs."""
    stop = Stop(cancellation, deadline)
    ended, end = os.pipe()
    watcher = threading.Thread(target=_watch, args=(stop, ended), daemon=True)
    watcher.start()
    try:
        yield stop
    finally:
        os.close(end)
        watcher.join()
        os.close(ended)


def _watch(stop: Stop, ended: int) -> None:
    events = select.poll()
    for flag in (stop.cancellation.requested.fileno(), ended):
        events.register(flag, select.POLLIN)
    while not stop.requested:
        wait = None if stop.deadline is None else max(0.0, stop.deadline - time.monotonic()) * 1000
        if any(flag == ended for flag, _ in events.poll(wait)):
            return
    stop.token.cancel(stop.cancellation.signal)
