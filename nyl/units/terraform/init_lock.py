"""One `init` at a time on a machine: two that share a folder of plugins spoil each other's downloads."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nyl.units.driver import ExecutionContext
from nyl.units.terraform.halts import Halt

_LOOK_AGAIN_SECONDS = 0.02


@contextmanager
def alone(folder: Path, context: ExecutionContext) -> Iterator[None]:
    """Waits until no other holds a folder's lock, in this process or another, and holds it for the block.

    Raises Halt when the unit's time is over before, or its run is cancelled.
    """
    descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        while not _taken(descriptor):
            _check(context)
            time.sleep(_LOOK_AGAIN_SECONDS)
        yield
    finally:
        os.close(descriptor)


def _taken(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _check(context: ExecutionContext) -> None:
    if context.cancellation.cancelled:
        raise Halt("the run was cancelled while the unit waited for the init of another one", interrupted=True)
    if context.deadline is not None and time.monotonic() >= context.deadline:
        raise Halt("the unit passed its timeout while it waited for the init of another one", interrupted=True)
