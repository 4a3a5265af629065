"""A GitHub server on the loopback, and a client of it whose waits take no time."""

from collections.abc import Iterator

import pytest

from nyl.github.client import Access, GitHub
from tests.git.building import PatientClock
from tests.support.github_server import TOKEN, GitHubServer, serve_github


@pytest.fixture
def server() -> Iterator[GitHubServer]:
    with serve_github() as running:
        yield running


@pytest.fixture
def clock() -> PatientClock:
    return PatientClock()


@pytest.fixture
def github(server: GitHubServer, clock: PatientClock) -> GitHub:
    return GitHub(Access(server.address, TOKEN), clock)
