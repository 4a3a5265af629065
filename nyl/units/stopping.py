"""Telling work that a driver does itself, without a tool, that its run was cancelled or its time is over."""

import os
import select
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from nyl.core.cancellation import CancellationToken


@dataclass
class Stop:
    """What cancels a piece of work. `token` is cancelled when the run is, or when the deadline passes."""

    token: CancellationToken = field(default_factory=CancellationToken)
    timed_out: bool = False

    @property
    def requested(self) -> bool:
        """Whether the work has to end."""
        return self.token.cancelled


@contextmanager
def stopping(cancellation: CancellationToken, deadline: float | None) -> Iterator[Stop]:
    """Watches a run, and the clock, for as long as the block runs. `deadline` is a reading of `time.monotonic()`."""
    stop = Stop()
    ended, end = os.pipe()
    watcher = threading.Thread(target=_watch, args=(stop, cancellation, deadline, ended), daemon=True)
    watcher.start()
    try:
        yield stop
    finally:
        os.close(end)
        watcher.join()
        os.close(ended)


def _watch(stop: Stop, cancellation: CancellationToken, deadline: float | None, ended: int) -> None:
    flags = [cancellation.requested.fileno(), ended]
    while True:
        wait = None if deadline is None else max(0.0, deadline - time.monotonic())
        ready, _, _ = select.select(flags, [], [], wait)
        if ended in ready:
            return
        if ready:
            stop.token.cancel(cancellation.signal)
            return
        if deadline is not None and time.monotonic() >= deadline:
            stop.timed_out = True
            stop.token.cancel()
            return
