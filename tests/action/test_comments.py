"""What the Action writes on pull requests, against a server that knows GitHub's API."""

from collections.abc import Iterator

import pytest

from tests.action.conftest import Runners
from tests.support.actions_events import Event, merge_group, pull_request, push
from tests.support.actions_steps import StepsRun
from tests.support.github_bodies import Pull
from tests.support.github_faults import read_only, secondary_limit
from tests.support.github_server import TOKEN, GitHubServer, serve_github
from tests.support.world import World


@pytest.fixture
def server() -> Iterator[GitHubServer]:
    with serve_github() as served:
        yield served


@pytest.fixture
def sha(world: World) -> str:
    """A project with one unit to run, and its commit, which is also the head of the pull request."""
    return world.environment("dev").unit("a").initialise().git("rev-parse", "HEAD")


@pytest.fixture
def plans(runner: Runners, server: GitHubServer, sha: str) -> "Plans":
    server.pulls = [Pull(head_sha=sha, merge_sha=sha)]
    return Plans(runner, server)


class Plans:
    """Plans of `dev` on a runner that knows the server."""

    def __init__(self, runner: Runners, server: GitHubServer) -> None:
        self._runner = runner
        self._server = server

    def on(self, event: Event, **inputs: str) -> StepsRun:
        return self._runner(event, api=self._server.address).run_action(token=TOKEN, environment="dev", **inputs)


def test_a_pull_request_gets_one_comment_that_says_what_the_summary_says(
    plans: Plans, server: GitHubServer, sha: str
) -> None:
    run = plans.on(pull_request(sha, head=sha))
    assert not run.failed, run.text
    again = plans.on(pull_request(sha, head=sha))
    [comment] = server.comments
    assert server.writes == 1
    assert "key=plan%20dev" in comment.body.splitlines()[0]
    assert run.step("run").summary.strip() in comment.body
    assert "was created" in run.text
    assert "says so already" in again.text
    assert TOKEN not in run.text + comment.body


def test_a_forks_token_that_may_not_write_leaves_the_report_in_the_summary(
    plans: Plans, server: GitHubServer, sha: str
) -> None:
    server.fail(read_only(), "POST /repos")
    run = plans.on(pull_request(sha, head=sha, fork="mallory/shop"))
    assert not run.failed
    [notice] = run.step("run").log.annotations("notice")
    assert "pull-requests: write" in notice.data
    assert "dev" in run.step("run").summary
    assert run.outputs["result"] == "changes"


def test_a_comment_that_was_asked_for_and_cannot_be_posted_is_an_error_but_no_failure(
    plans: Plans, server: GitHubServer, sha: str
) -> None:
    server.fail(secondary_limit(after=3600), "POST /repos")
    run = plans.on(pull_request(sha, head=sha), comment="always")
    assert (run.failed, run.outputs["exit-code"]) == (False, "0")
    assert "limits" in run.step("run").log.annotations("error")[0].data


def test_a_merge_queue_writes_the_summary_and_asks_github_nothing(plans: Plans, server: GitHubServer, sha: str) -> None:
    run = plans.on(merge_group(sha), comment="always")
    assert (run.failed, server.requests) == (False, [])
    assert "dev" in run.step("run").summary


def test_a_push_comments_on_its_pull_request_when_asked_to(plans: Plans, server: GitHubServer, sha: str) -> None:
    assert not plans.on(push(sha), comment="always").failed
    assert len(server.comments) == 1


def test_an_approval_is_recorded_with_the_reviewers_that_the_actions_token_finds(
    world: World, runner: Runners, server: GitHubServer
) -> None:
    sha = world.environment("dev").unit("a", approval="manual").initialise().git("rev-parse", "HEAD")
    server.review("alice", "dev")
    job = runner(push(sha), api=server.address)
    run = job.run_action(token=TOKEN, command="reconcile", environment="dev", approve="a")
    assert (run.outputs["result"], world.ran()) == ("clean", ["a"]), run.text
    assert '"by":["alice"]' in world.message()
    assert '"identity":"verified"' in world.message()
