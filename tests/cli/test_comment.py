import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.github.events import BASE, MERGE, pull_request, variables
from tests.support import github_faults as faults
from tests.support.environment import clean_environment, nyl_executable
from tests.support.github_server import TOKEN, GitHubServer, Pull, serve_github
from tests.support.processes import Invocation
from tests.support.warm import run_warm

BODY = "<!-- nyl:comment v1 key=plan -->\n# Plan"


class Step:
    """A step of a workflow, in a folder that is no project."""

    def __init__(self, tmp: Path, server: GitHubServer) -> None:
        self.tmp = tmp
        self.server = server
        (tmp / "plan.md").write_text("# Plan\n")
        self.environ = clean_environment(tmp / "home") | {"GITHUB_TOKEN": TOKEN, "GITHUB_API_URL": server.address}

    def event(self, name: str, payload: Any, **more: str) -> "Step":
        file = self.tmp / "event.json"
        file.write_text(json.dumps(payload))
        told = variables(name, GITHUB_API_URL=self.server.address, GITHUB_EVENT_PATH=str(file), **more)
        self.environ |= told
        return self

    def upsert(self, *arguments: str, exits: int = 0, key: str = "plan") -> Invocation:
        words = ["comment", "upsert", "--key", key, "--body-file", "plan.md", *arguments]
        return run_warm(words, cwd=self.tmp, environ=self.environ, exits=(exits,), timeout=60.0)

    def details(self, *arguments: str) -> dict[str, Any]:
        document = self.upsert(*arguments, "-o", "json").json
        assert document["operation"] == "comment-upsert"
        details: dict[str, Any] = document["details"]
        return details


@pytest.fixture
def step(tmp_path: Path) -> Iterator[Step]:
    with serve_github() as server:
        yield Step(tmp_path, server)


NAMED = ("--repository", "acme/shop", "--request", "7")


def test_a_named_pull_request_is_commented_on_outside_actions_and_any_project(step: Step) -> None:
    details = step.details(*NAMED)
    (comment,) = step.server.comments
    assert comment.body == BODY
    assert details == {
        "key": "plan",
        "outcome": "created",
        "dryRun": False,
        "repository": "acme/shop",
        "request": 7,
        "url": f"https://github.com/acme/shop/pull/7#issuecomment-{comment.id}",
    }
    assert step.upsert(*NAMED).stdout == f"The comment plan on acme/shop#7 says so already: {details['url']}\n"


def test_the_event_names_the_pull_request(step: Step) -> None:
    step.event("pull_request", {"pull_request": pull_request(fork="eve/shop")}, GITHUB_REPOSITORY="eve/shop")
    assert step.details()["repository"] == "acme/shop"
    assert all("/repos/acme/shop/" in each for each in step.server.requests if "/repos/" in each)


def test_a_push_comments_on_the_pull_request_of_its_commit(step: Step) -> None:
    step.server.pulls = [Pull(6, BASE), Pull(7, MERGE)]
    assert step.event("push", {}).details()["request"] == 7
    assert (step.server.reads, step.server.writes) == (5, 1)


@pytest.mark.parametrize(("event", "reason"), [("merge_group", "merge queue"), ("push", "without a pull request")])
def test_a_run_without_a_pull_request_comments_nowhere(step: Step, event: str, reason: str) -> None:
    step.server.pulls = []
    details = step.event(event, {}).details()
    assert details["outcome"] == "skipped"
    assert reason in details["reason"]
    assert step.server.writes == 0
    assert len(step.server.requests) == (event == "push")


def test_a_dry_run_says_what_would_be_written(step: Step) -> None:
    assert step.upsert(*NAMED, "--dry-run").stdout == "The comment plan on acme/shop#7 would be created.\n"
    assert step.details(*NAMED, "--dry-run")["outcome"] == "created"
    assert step.server.writes == 0


def test_an_older_run_says_that_it_left_the_comment_alone(step: Step) -> None:
    step.server.pulls = [Pull(7, "f" * 40)]
    told = step.event("pull_request", {"pull_request": pull_request()}).upsert().stdout
    assert "was left alone, because the pull request has a newer head" in told


def test_a_fork_is_told_the_permission_that_is_missing(step: Step) -> None:
    step.server.fail(faults.read_only())
    ended = step.upsert(*NAMED, exits=1)
    assert "error NYL-GITHUB-REFUSED" in ended.stderr
    assert "`permissions: {pull-requests: write}`" in ended.stderr
    assert TOKEN not in ended.stdout + ended.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--repository", "acme/shop"), "--repository and --request go together"),
        ((), "Outside GitHub Actions nothing tells which pull request is meant."),
        (("--repository", "acme", "--request", "7"), "'acme' names no repository of the form OWNER/NAME"),
        (
            ("--repository", "acme/shop", "--request", "8"),
            "GitHub has no such thing, or does not show it to this token: 404",
        ),
        ((*NAMED, "--server-url", "ftp://x"), "ftp://x"),
    ],
)
def test_what_does_not_name_a_pull_request_is_an_error(step: Step, arguments: tuple[str, ...], message: str) -> None:
    ended = step.upsert(*arguments, exits=1)
    assert message in ended.stderr
    assert "Traceback" not in ended.stderr
    assert step.server.writes == 0


def test_a_missing_token_is_an_error(step: Step) -> None:
    del step.environ["GITHUB_TOKEN"]
    assert "There is no token for GitHub's API." in step.upsert(*NAMED, exits=1).stderr


def test_a_body_that_is_no_text_is_an_error(step: Step) -> None:
    (step.tmp / "plan.md").write_bytes(b"\xff\xfe")
    assert "error NYL-COMMENT-INVALID\n  The body file plan.md is no UTF-8 text" in step.upsert(*NAMED, exits=1).stderr


def test_the_body_may_come_from_stdin(step: Step) -> None:
    words = [str(nyl_executable()), "comment", "upsert", "--key", "plan", "--body-file", "-", *NAMED]
    subprocess.run(words, cwd=step.tmp, env=step.environ, input=b"# Plan", check=True, timeout=60)
    assert [each.body for each in step.server.comments] == [BODY]
