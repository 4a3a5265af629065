"""How many units a run records as started at a time, and how long ends wait for each other to share a push.

A unit may only start once its start record is pushed. Where units end sooner than a push takes, recording no more than
there are slots would leave the slots idle most of the time, so the run records some ahead. Those wait for a slot, and
if the run dies then, the next one cannot tell that they never began: so the window stays small, opens only for waves of
many short units, and closes as soon as units take longer. Holds are read with every push, so units that wait for a slot
are taken back when no unit ends, and thus nothing is pushed, for a moment.
"""

_MOST = 8
_MANY_TURNS = 8
_LINGER_SHARE = 0.5
_LINGER_MOST = 0.1

PATIENCE = 1.0
"""Seconds without any end after which units that wait for a slot are taken back."""


class Lookahead:
    """The window of one run."""

    def __init__(self, slots: int) -> None:
        self._slots = slots
        self.window = slots
        """How many units may be recorded as started and not ended."""

        self.linger = 0.0
        """Seconds for which the first end waits for others."""

    def pushed(self, seconds: float) -> None:
        """Takes note of how long a push took: ends that come within a part of that are better pushed together."""
        self.linger = min(seconds * _LINGER_SHARE, _LINGER_MOST)

    def close(self) -> None:
        """Records no more than there are slots, until units are short again."""
        self.window = self._slots

    def observe(self, pending: int, waiting: int) -> None:
        """Adapts the window before a push: `pending` units have not ended, `waiting` ones are not recorded yet."""
        if waiting <= self._slots * _MANY_TURNS:
            self.close()
        elif pending == 0:
            self.window = min(self.window * 2, self._slots * _MOST)
        elif pending > self._slots:
            self.window = max(self._slots, self.window // 2)
