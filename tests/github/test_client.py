import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.github.answers import Asked
from nyl.github.client import Access, GitHub, required_token, token_of
from nyl.github.comment_targets import CommentTarget
from nyl.github.comments import CommentOutcome, upsert
from nyl.github.commits import commit_pull_requests
from tests.git.building import PatientClock
from tests.support import github_faults as faults
from tests.support.github_faults import Fault
from tests.support.github_server import TOKEN, GitHubServer, Pull

TARGET = CommentTarget("acme/shop", 7)


@pytest.mark.parametrize(
    ("environ", "token"),
    [
        ({"GITHUB_TOKEN": "a", "GH_TOKEN": "b"}, "a"),
        ({"GITHUB_TOKEN": "", "GH_TOKEN": "b"}, "b"),
        ({"GH_TOKEN": ""}, None),
        ({}, None),
    ],
)
def test_the_token_comes_from_one_of_two_variables(environ: dict[str, str], token: str | None) -> None:
    assert token_of(environ) == token


def test_a_missing_token_says_what_to_set() -> None:
    with pytest.raises(NylError) as raised:
        required_token({})
    assert "GITHUB_TOKEN" in raised.value.diagnostic.fix


def test_the_token_is_not_shown() -> None:
    assert TOKEN not in repr(Access("https://api.github.com", TOKEN))


@pytest.mark.parametrize(
    ("fault", "waited"),
    [(faults.secondary_limit(7), [7]), (faults.secondary_limit(), [60]), (faults.too_many(3), [3])],
)
def test_a_limit_is_waited_for_as_told(
    server: GitHubServer, clock: PatientClock, fault: Fault, waited: list[float]
) -> None:
    server.fail(fault)
    said: list[str] = []
    github = GitHub(Access(server.address, TOKEN), clock, said.append)
    assert upsert(github, TARGET, "plan", "# Plan").outcome is CommentOutcome.CREATED
    assert clock.slept == waited
    assert said == [f"waiting {seconds} s, as GitHub asks for" for seconds in waited if seconds > 5]
    assert len(server.comments) == 1


@pytest.mark.parametrize("fault", [faults.too_many(61), faults.too_many(3600)])
def test_a_limit_that_lasts_longer_is_given_up(
    server: GitHubServer, github: GitHub, clock: PatientClock, fault: Fault
) -> None:
    server.fail(fault)
    with pytest.raises(NylError, match="asks to wait") as raised:
        upsert(github, TARGET, "plan", "# Plan")
    assert raised.value.diagnostic.code is Code.GITHUB_UNAVAILABLE
    assert clock.slept == []


def test_limits_are_waited_for_a_minute_in_all(server: GitHubServer, github: GitHub, clock: PatientClock) -> None:
    server.fail(faults.too_many(25), on="", times=99)
    with pytest.raises(NylError, match="asks to wait 25 s"):
        upsert(github, TARGET, "plan", "# Plan")
    assert clock.slept == [25, 25]


@pytest.mark.parametrize("fault", [faults.server_error(), faults.dropped(carried_out=False), faults.proxy_page()])
def test_what_only_reads_is_asked_again(
    server: GitHubServer, github: GitHub, clock: PatientClock, fault: Fault
) -> None:
    server.fail(fault, on="GET")
    assert upsert(github, TARGET, "plan", "# Plan").outcome is CommentOutcome.CREATED
    assert clock.slept == [1]


def test_what_stays_without_an_answer_is_asked_three_times(
    server: GitHubServer, github: GitHub, clock: PatientClock
) -> None:
    server.fail(faults.server_error(), on="POST /graphql", times=99)
    with pytest.raises(NylError, match="it answered 502") as raised:
        github.viewer()
    assert raised.value.diagnostic.code is Code.GITHUB_UNAVAILABLE
    assert (len(server.requests), clock.slept) == (3, [1, 3])


def test_a_server_that_is_not_there_is_no_crash(clock: PatientClock) -> None:
    with pytest.raises(NylError, match=r"no connection could be made \(Connection refused\)"):
        GitHub(Access("http://127.0.0.1:9", TOKEN), clock).viewer()


def test_the_pages_of_a_list_are_followed(server: GitHubServer, github: GitHub) -> None:
    for number in range(65):
        server.review(f"user-{number}", "production")
    entries = github.pages(Asked("read", "actions: read"), "/repos/acme/shop/actions/runs/42/approvals")
    assert [each["user"]["login"] for each in entries] == [f"user-{number}" for number in range(65)]
    assert len(server.requests) == 3


def test_the_pull_requests_of_a_commit_are_known_with_their_heads(server: GitHubServer, github: GitHub) -> None:
    server.pulls = [Pull(7, "a" * 40), Pull(8, "f" * 40, "eve/shop", "closed", "a" * 40), Pull(9, "e" * 40)]
    first, second = commit_pull_requests(github, "acme/shop", "a" * 40)
    assert (first.repository, first.number, first.is_open, first.is_fork) == ("acme/shop", 7, True, False)
    assert (second.number, second.is_open, second.is_fork, second.merge_sha) == (8, False, True, "a" * 40)
    assert len(server.requests) == 1
