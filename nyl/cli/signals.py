"""Signals that cancel a run, handed to the token that the run watches."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

_CANCELLING = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)  # Windows has no SIGHUP


@contextmanager
def cancelling_signals(cancel: Callable[[int], None]) -> Iterator[None]:
    """While open, SIGINT, SIGTERM and SIGHUP call `cancel` with their number, each time they arrive.

    A signal that is ignored stays ignored: a run below nohup is meant to outlive its terminal.
    Must be opened in the main thread.
    """

    def handle(number: int, _frame: FrameType | None) -> None:
        cancel(number)

    before = {each: signal.getsignal(each) for each in _CANCELLING}
    try:
        for each, handler in before.items():
            if handler is not signal.SIG_IGN:
                signal.signal(each, handle)
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
