"""What a command is given: the environment, the working directory and the clock, read here and nowhere else."""

import os
from collections.abc import Mapping
from pathlib import Path

from nyl.core.clock import Clock, SystemClock
from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError


@dataclass(frozen=True)
class Surroundings:
    """What the process was started with."""

    environ: Mapping[str, str]
    cwd: Path
    clock: Clock


def surroundings() -> Surroundings:
    """The process's own. Raises NYL-PROJECT-MISSING when the working directory is gone."""
    try:
        cwd = Path.cwd()
    except OSError as error:
        raise NylError(
            Code.PROJECT_MISSING,
            f"The working directory does not exist any more or cannot be read: {error.strerror}.",
            "change into the project's folder",
        ) from error
    return Surroundings(dict(os.environ), cwd, SystemClock())  # noqa: TID251
