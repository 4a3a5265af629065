"""Working on units in threads, one a slot: units queue for a free slot, and their ends queue for the run."""

import math
import queue
from collections.abc import Collection
from contextlib import suppress
from typing import TYPE_CHECKING

from nyl.core import faults
from nyl.core.cancellation import CancellationToken
from nyl.core.clock import Clock
from nyl.engine.events import Listener, UnitEnded, UnitStarted
from nyl.engine.outcomes import AnyOutcome, Ended, Started
from nyl.units.outcomes import Uncertain

if TYPE_CHECKING:
    from concurrent.futures import Future

_CANCEL_POLL_SECONDS = 0.2


class Dispatcher:
    """Runs started units as slots get free. Its methods are for the run's own thread."""

    def __init__(self, slots: int, clock: Clock, listener: Listener) -> None:
        self._clock = clock
        self._listener = listener
        from concurrent.futures import ThreadPoolExecutor

        self._pool = ThreadPoolExecutor(slots, thread_name_prefix="nyl-slot")
        self._futures: dict[str, Future[None]] = {}
        self._ended: queue.SimpleQueue[Ended] = queue.SimpleQueue()

    def __enter__(self) -> "Dispatcher":
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown()

    @property
    def pending(self) -> int:
        """How many units were started and not given back by `ended`, those that wait for a slot included."""
        return len(self._futures)

    def start(self, started: Started) -> None:
        """Works on a unit as soon as there is a slot for it."""
        self._futures[started.unit.name] = self._pool.submit(self._work, started)

    def withdraw(self, names: Collection[str] | None = None) -> frozenset[str]:
        """Takes back the units, or those of `names`, that no slot was free for yet; they had no effect."""
        wanted = self._futures if names is None else self._futures.keys() & names
        back = frozenset(name for name in wanted if self._futures[name].cancel())
        for name in back:
            del self._futures[name]
        return back

    def ended(
        self, cancellation: CancellationToken, *, wait: bool, linger: float, patience: float = math.inf
    ) -> list[Ended]:
        """What has ended by now. With `wait` at least one, unless nothing runs or the run is cancelled meanwhile.

        It waits no longer than `patience` seconds for the first end. After that it lingers for up to some seconds for
        those that follow at once, so that they share a push.
        """
        found: list[Ended] = []
        cancelled_before = cancellation.cancelled
        while wait and self._futures and not found and patience > 0 and cancellation.cancelled == cancelled_before:
            self._collect(found, _CANCEL_POLL_SECONDS)
            patience -= _CANCEL_POLL_SECONDS
        until = self._clock.monotonic() + linger
        while found and self._futures and (left := until - self._clock.monotonic()) > 0:
            self._collect(found, left)
        while not self._ended.empty():
            self._collect(found, 0)
        return found

    def _collect(self, found: list[Ended], seconds: float) -> None:
        with suppress(queue.Empty):
            ended = self._ended.get(timeout=seconds)
            del self._futures[ended.unit]
            found.append(ended)

    def _work(self, started: Started) -> None:
        self._listener(UnitStarted(started.environment, started.unit.name, started.decision.reason))
        began_at, tick = self._clock.now(), self._clock.monotonic()
        outcome: AnyOutcome
        faults.point(f"before work on {started.unit.name}")
        try:
            outcome = started.carry_out()
        except Exception as error:  # a unit that may have started must never be taken for one that did not
            outcome = Uncertain(f"nyl failed while the unit ran: {error}")
        faults.point(f"after work on {started.unit.name}")
        ended = Ended(started, outcome, began_at, self._clock.now(), self._clock.monotonic() - tick)
        self._listener(UnitEnded(started.environment, ended.unit, ended.result, ended.seconds, ended.trouble))
        self._ended.put(ended)
