"""Starting over where somebody else moves the branch between reading it and pushing to it."""

import random
import time
from collections.abc import Callable
from typing import TypeVar

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.units.outcomes import Failed, Uncertain
from nyl.units.publication.failures import failed, told_by

_ATTEMPTS = 10
"""How often something is tried on the branch as it is then."""
_PAUSE = 0.1
"""Seconds, times the number of the try, that lie at most between two of them."""

_Answer = TypeVar("_Answer")


def in_spite_of_others(step: Callable[[], _Answer]) -> _Answer | Failed | Uncertain:
    """The answer of a step that reads the branch, decides, and pushes; Uncertain where its push may have arrived.

    Raises what the step raises of other causes, which had no effect.
    """
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            return step()
        except NylError as error:
            if error.diagnostic.code is Code.PUBLISH_UNKNOWN:
                return Uncertain(told_by(error))
            if error.diagnostic.code is not Code.PUBLISH_OUTPACED:
                raise
        time.sleep(random.uniform(0, _PAUSE * attempt))
    return failed(f"others moved the branch {_ATTEMPTS} times meanwhile; nothing was changed on it")
