"""Remotes over HTTP: tokens as CI leaves them, round trips, and connections that break after the push was taken."""

from collections.abc import Iterator

import pytest

from tests.support.http_git import HttpGit, basic, serve
from tests.support.world import World

SECRET = "s3cret-token-of-the-job"
HEADER = basic("x-access-token", SECRET)


@pytest.fixture
def server(pair: World) -> Iterator[HttpGit]:
    """The pair's remote over HTTP."""
    pair.git("config", "http.receivepack", "true", cwd=pair.origin)
    with serve(pair.tmp, pair.environ) as running:
        pair.git("remote", "set-url", "origin", running.url("origin.git"))
        yield running


@pytest.fixture
def guarded(pair: World, server: HttpGit) -> HttpGit:
    """The same, letting in only who knows the token."""
    server.authorization = HEADER
    return server


def persist_token(world: World) -> None:
    """Leaves the token where actions/checkout leaves it."""
    url = world.git("config", "remote.origin.url").removesuffix("origin.git")
    world.git("config", f"http.{url}.extraheader", f"AUTHORIZATION: {HEADER.replace('Basic', 'basic')}")


def test_a_run_over_http_works_and_a_repeated_one_takes_three_round_trips(pair: World, server: HttpGit) -> None:
    pair.reconcile()
    server.requests.clear()
    assert pair.reconcile().verdicts() == {"database": "current", "migrate": "current"}
    assert server.round_trips() <= 3, server.requests


def test_reading_over_http_takes_one_round_trip_for_the_state(pair: World, server: HttpGit) -> None:
    pair.reconcile()
    server.requests.clear()
    pair.report("status", "-e", "dev")
    assert server.round_trips() <= 2, server.requests


def test_the_token_that_ci_persisted_is_used_and_never_shown(pair: World, guarded: HttpGit) -> None:
    guarded.authorization = HEADER.replace("Basic", "basic")
    persist_token(pair)
    ended = pair.reconcile()
    assert ended.verdicts() == {"database": "executed", "migrate": "executed"}
    assert max(len(each) for each in guarded.authorizations) == 1
    everything = ended.stdout + ended.stderr + pair.git("log", "--all", "-p", cwd=pair.origin)
    assert SECRET not in everything


def test_a_credential_helper_is_asked(pair: World, guarded: HttpGit) -> None:
    helper = f"!f() {{ echo username=x-access-token; echo password={SECRET}; }}; f"
    pair.git("config", "--global", "credential.helper", helper)
    assert pair.reconcile().verdicts() == {"database": "executed", "migrate": "executed"}


def test_without_credentials_a_run_ends_soon_and_says_so(pair: World, guarded: HttpGit) -> None:
    refused = pair.nyl("reconcile", "-e", "dev", exits=1, timeout=40, hurries=True)
    assert "NYL-REMOTE-UNAVAILABLE" in refused.stderr
    assert pair.ran() == []


def test_a_push_whose_answer_got_lost_counts_when_it_landed(pair: World, server: HttpGit) -> None:
    server.drop_after_push = True
    ended = pair.reconcile(exits=None, hurries=True)
    server.drop_after_push = False
    assert pair.ran() == ["database", "migrate"]
    assert ended.code == 0
    assert pair.reconcile().verdicts() == {"database": "current", "migrate": "current"}
    assert pair.ran() == ["database", "migrate"]
