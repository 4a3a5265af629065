from pathlib import Path

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.github.context import ActionsContext, PullRequest, api_url_of
from tests.github.events import BASE, HEAD, MERGE, context, pull_request, variables


def test_outside_actions_there_is_no_context() -> None:
    assert ActionsContext.from_environ({"CI": "true", "GITHUB_REPOSITORY": "acme/shop"}) is None


@pytest.mark.parametrize("event", ["pull_request", "pull_request_target", "pull_request_review"])
def test_an_event_tells_its_pull_request(event: str) -> None:
    told = context(event, {"pull_request": pull_request()})
    assert told.pull_request == PullRequest("acme/shop", 7, HEAD, "acme/shop", "trunk", BASE)
    assert not told.pull_request.is_fork
    assert (told.run_url, told.sha) == ("https://github.com/acme/shop/actions/runs/42/attempts/1", MERGE)


@pytest.mark.parametrize("fork", ["eve/shop", None])
def test_the_base_repository_of_a_forks_pull_request_wins(fork: str | None) -> None:
    told = context("pull_request", {"pull_request": pull_request(fork=fork)}, GITHUB_REPOSITORY="eve/shop")
    assert told.pull_request is not None
    assert (told.pull_request.repository, told.pull_request.is_fork) == ("acme/shop", True)


def test_names_of_repositories_are_compared_without_case() -> None:
    told = context("pull_request", {"pull_request": pull_request(fork="Acme/Shop")})
    assert told.pull_request is not None
    assert not told.pull_request.is_fork


def test_a_comment_on_a_pull_request_names_it_without_its_head() -> None:
    told = context("issue_comment", {"issue": {"number": 7, "state": "open", "pull_request": {"url": "x"}}})
    assert told.pull_request == PullRequest("acme/shop", 7)


@pytest.mark.parametrize(
    ("event", "payload"),
    [
        ("issue_comment", {"issue": {"number": 7}}),
        ("push", {"head_commit": None}),
        ("merge_group", {"merge_group": {"head_sha": HEAD}}),
        ("schedule", {}),
        ("pull_request", {"pull_request": {"number": "7"}}),
        ("pull_request", {"pull_request": {"number": -7}}),
        ("pull_request", {"pull_request": 7}),
    ],
)
def test_other_events_have_no_pull_request(event: str, payload: object) -> None:
    assert context(event, payload).pull_request is None


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b"[" * 100_000])
def test_an_event_file_that_tells_nothing_is_an_error_that_names_it(content: bytes) -> None:
    with pytest.raises(NylError, match=r"/github/workflow/event\.json") as raised:
        ActionsContext.from_environ(variables("push"), lambda file: content)
    assert raised.value.diagnostic.code is Code.GITHUB_CONTEXT


def test_an_event_file_that_is_missing_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(NylError) as raised:
        ActionsContext.from_environ(variables("push", GITHUB_EVENT_PATH=str(tmp_path / "none.json")))
    assert "unset GITHUB_EVENT_PATH" in raised.value.diagnostic.fix


@pytest.mark.parametrize(("told", "attempt"), [("2", 2), ("", 1), ("x", 1), ("9" * 5000, 1)])
def test_an_attempt_that_is_no_number_of_one_is_the_first(told: str, attempt: int) -> None:
    assert context("push", GITHUB_RUN_ATTEMPT=told).attempt == attempt


@pytest.mark.parametrize(
    ("server", "api"),
    [
        ("https://github.com", "https://api.github.com"),
        ("https://github.com/", "https://api.github.com"),
        ("https://acme.ghe.com", "https://api.acme.ghe.com"),
        ("https://git.acme.example:8443", "https://git.acme.example:8443/api/v3"),
        ("http://127.0.0.1:3000/git", "http://127.0.0.1:3000/git/api/v3"),
    ],
)
def test_the_api_of_a_server(server: str, api: str) -> None:
    assert api_url_of(server) == api


def test_the_runners_api_comes_before_what_the_server_suggests() -> None:
    told = context("push", GITHUB_SERVER_URL="https://git.acme.example", GITHUB_API_URL="https://api.acme.example/")
    assert told.api_url == "https://api.acme.example"
    assert (
        context("push", GITHUB_SERVER_URL="https://g.example", GITHUB_API_URL="").api_url == "https://g.example/api/v3"
    )


@pytest.mark.parametrize(
    "server", ["ftp://x", "github.com", "https://", "https://user:hunter2@github.com", "https://["]
)
def test_what_is_no_url_of_a_server_is_an_error_without_its_credentials(server: str) -> None:
    with pytest.raises(NylError) as raised:
        api_url_of(server)
    assert raised.value.diagnostic.code is Code.GITHUB_CONTEXT
    assert "hunter2" not in raised.value.diagnostic.message
