"""Signals that cancel a run, handed to the token that the run watches, or that end any other command."""

import signal
import threading
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


def ignore_signals() -> None:
    """From now on none of them ends the process, which only tells how it went. For the main thread; else no effect."""
    if threading.current_thread() is threading.main_thread():
        for each in _CANCELLING:
            signal.signal(each, signal.SIG_IGN)


@contextmanager
def interrupting_signals() -> Iterator[None]:
    """While open, SIGTERM and SIGHUP raise KeyboardInterrupt as SIGINT does, where they would end the process mutely.

    A signal that is ignored, also one that is by the end, or that somebody handles, is left alone. Without effect
    outside of the main thread.
    """

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    here = threading.current_thread() is threading.main_thread()
    mute = [each for each in _CANCELLING if here and signal.getsignal(each) is signal.SIG_DFL]
    try:
        for each in mute:
            signal.signal(each, interrupt)
        yield
    finally:
        for each in mute:
            if signal.getsignal(each) is interrupt:
                signal.signal(each, signal.SIG_DFL)
