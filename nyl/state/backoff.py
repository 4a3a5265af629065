"""Pauses between tries while others write too: random, so that those who collided do not collide again."""

import random

from nyl.core.clock import Clock

_FIRST, _LONGEST = 0.1, 2.0


class Backoff:
    """Growing pauses in seconds, for one operation that is tried again."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._limit = _FIRST

    def pause(self) -> None:
        """Sleeps for a random part of a span that doubles each time, up to two seconds."""
        self._clock.sleep(random.uniform(self._limit / 4, self._limit))
        self._limit = min(self._limit * 2, _LONGEST)
