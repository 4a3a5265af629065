import pytest

from nyl.core.clock import SystemClock
from nyl.core.codes import Code
from nyl.engine.approvers import ApprovalQuestion, Approver, ApproverIdentity
from nyl.engine.events import Event
from nyl.github.client import GitHub
from nyl.github.review_lookup import ReviewLookup, review_lookup
from tests.github.events import context, variables
from tests.support import github_faults as faults
from tests.support.github_faults import Fault
from tests.support.github_server import TOKEN, GitHubServer

QUESTION = ApprovalQuestion("Production", ("database",), {"database": None})
RUN = "https://github.com/acme/shop/actions/runs/42/attempts/1"


class Asking:
    """A lookup with what it warns of."""

    def __init__(self, github: GitHub, seconds: float = 30.0, attempt: str = "1") -> None:
        self.heard: list[Event] = []
        told = context("workflow_dispatch", GITHUB_RUN_ATTEMPT=attempt)
        self.lookup = ReviewLookup(github, told, self.heard.append, seconds)

    def ask(self) -> Approver | None:
        return self.lookup(QUESTION)

    @property
    def warnings(self) -> list[str]:
        assert all(getattr(each, "code", None) is Code.APPROVERS_UNKNOWN for each in self.heard)
        return [str(getattr(each, "message", "")) for each in self.heard]


def test_every_reviewer_of_the_environment_is_recorded(server: GitHubServer, github: GitHub) -> None:
    for number in range(40):
        server.review(f"user-{number}", "staging")
    server.review("alice", "staging", "production")
    server.review("carol", "production", state="rejected")
    server.review("dave", "production", state="pending")
    server.review("bob", "production")
    asking = Asking(github)
    assert asking.ask() == Approver(("alice", "bob"), RUN, ApproverIdentity.VERIFIED)
    assert asking.warnings == []
    assert (server.reads, server.writes) == (2, 0)


def test_an_environment_that_nobody_reviews_has_no_approver(server: GitHubServer, github: GitHub) -> None:
    server.review("alice", "staging")
    asking = Asking(github)
    assert asking.ask() is None
    assert asking.warnings == []


def test_attempts_that_several_approved_are_in_doubt(server: GitHubServer, github: GitHub) -> None:
    server.review("alice", "production")
    server.review("bob", "production")
    asking = Asking(github, attempt="2")
    assert asking.ask() is None
    assert "which of several users approved attempt 2" in asking.warnings[0]


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        (Fault(403, "Resource not accessible by integration"), "did not let the token read the review history"),
        (faults.missing(), "404 Not Found"),
        (faults.bad_credentials(), "does not accept the token"),
        (faults.too_many(3600), "asks to wait 3600 s"),
        (faults.secondary_limit(90), "asks to wait 90 s"),
        (faults.server_error(500), "it answered 500"),
        (faults.dropped(carried_out=False), "was dropped"),
        (faults.proxy_page(), "its answer is no list"),
    ],
)
def test_what_keeps_github_from_telling_is_a_warning_and_no_name(
    server: GitHubServer, github: GitHub, fault: Fault, why: str
) -> None:
    server.review("alice", "production")
    server.fail(fault, on="GET", times=99)
    asking = Asking(github)
    assert asking.ask() is None
    (warning,) = asking.warnings
    assert why in warning
    assert "with no approver" in warning


def test_an_answer_that_does_not_come_in_time_is_a_warning_and_no_name(server: GitHubServer, github: GitHub) -> None:
    server.review("alice", "production")
    server.fail(faults.slow(0.5), on="GET")
    asking = Asking(github, seconds=0.05)
    assert asking.ask() is None
    assert "no answer within" in asking.warnings[0]


@pytest.mark.parametrize(
    "changes",
    [
        {"GITHUB_ACTIONS": "false"},
        {"GITHUB_TOKEN": ""},
        {"GITHUB_RUN_ID": ""},
        {"GITHUB_REPOSITORY": ""},
    ],
)
def test_only_a_run_with_a_token_asks(changes: dict[str, str]) -> None:
    environ = variables("push", GITHUB_EVENT_PATH="", GITHUB_TOKEN=TOKEN)
    assert review_lookup(environ, SystemClock(), lambda event: None) is not None
    assert review_lookup(environ | changes, SystemClock(), lambda event: None) is None
