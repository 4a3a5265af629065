import os
import resource
import time
from collections.abc import Iterator

import pytest

from nyl.core.cancellation import CancellationToken
from nyl.units.stopping import stopping


def cancelled(token: CancellationToken) -> bool:
    """Whether a token is cancelled within a long time."""
    until = time.monotonic() + 30
    while not token.cancelled and time.monotonic() < until:
        time.sleep(0.01)
    return token.cancelled


def test_work_goes_on_until_something_ends_it() -> None:
    with stopping(CancellationToken(), time.monotonic() + 1000) as stop:
        assert (stop.requested, stop.token.cancelled) == (False, False)


def test_a_cancelled_run_ends_it() -> None:
    run = CancellationToken()
    with stopping(run, None) as stop:
        run.cancel()
        assert (stop.requested, stop.timed_out) == (True, False)
        assert cancelled(stop.token)


def test_its_time_ends_it_and_not_its_run() -> None:
    run = CancellationToken()
    with stopping(run, time.monotonic() + 0.05) as stop:
        assert cancelled(stop.token)
        assert (stop.requested, stop.timed_out) == (True, True)
    assert not run.cancelled


@pytest.fixture
def many_open_files() -> Iterator[None]:
    """A process that has more files open than `select` can look at."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 4096), hard))
    opened = [os.open(os.devnull, os.O_RDONLY) for _ in range(1100)]
    yield
    for each in opened:
        os.close(each)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_process_with_many_open_files_learns_of_it_too(many_open_files: None) -> None:
    run = CancellationToken()
    with stopping(run, None) as stop:
        run.cancel()
        assert cancelled(stop.token)
