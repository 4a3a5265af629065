"""Exit categories of an invocation and their order of severity."""

from collections.abc import Iterable
from enum import IntEnum


class Exit(IntEnum):
    """What an invocation, or one environment of it, ended with."""

    OK = 0
    ERROR = 1
    WAITING = 2
    FAILED = 3
    UNCERTAIN = 4


_MOST_SEVERE_FIRST = (Exit.UNCERTAIN, Exit.FAILED, Exit.ERROR, Exit.WAITING, Exit.OK)


def worst(exits: Iterable[Exit]) -> Exit:
    """The most severe of some exits; OK when there are none."""
    present = set(exits)
    return next((each for each in _MOST_SEVERE_FIRST if each in present), Exit.OK)
