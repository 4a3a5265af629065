"""The warm process that the worlds of one test process share: a call of nyl without the time that imports take."""

import atexit
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from tests.support.forks import NO_FAULTS, Faults, Forks
from tests.support.processes import Invocation, checked
from tests.support.running import Running


def run_warm(
    arguments: Sequence[str | Path],
    *,
    cwd: Path,
    environ: Mapping[str, str],
    exits: Sequence[int] | None,
    timeout: float,
    hurries: bool = False,
    faults: Faults = NO_FAULTS,
) -> Invocation:
    """One call of nyl, as `run_nyl` makes it, in a forked child of the warm process."""
    forks = warm_forks()
    call = forks.start(arguments, cwd=cwd, environ=environ, hurries=hurries, faults=faults)
    return checked(forks.wait(call, timeout), exits)


def start_warm(arguments: Sequence[str | Path], *, cwd: Path, environ: Mapping[str, str]) -> Running:
    """A call of nyl that goes on beside the test."""
    return Running.start(warm_forks(), arguments, cwd=cwd, environ=environ)


@cache
def warm_forks() -> Forks:
    """The warm process, for tests whose calls die or are delayed at fault points."""
    forks = Forks(Path(tempfile.mkdtemp(prefix="nyl-warm-")))
    atexit.register(forks.close)
    return forks
