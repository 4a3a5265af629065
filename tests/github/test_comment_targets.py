from collections.abc import Sequence

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.github.comment_targets import CommentTarget, Nowhere, checked_repository, comment_target, named_target
from nyl.github.context import PullRequest
from tests.github.events import HEAD, MERGE, OTHER, context, pull_request


def not_asked(repository: str, sha: str) -> Sequence[PullRequest]:
    raise AssertionError("only a push asks for the pull requests of its commit")


def request(number: int, head: str = OTHER, *, is_open: bool = True, merge: str = OTHER) -> PullRequest:
    return PullRequest("acme/shop", number, head, is_open=is_open, merge_sha=merge)


def test_the_pull_request_of_the_event_is_commented_on() -> None:
    told = context("pull_request", {"pull_request": pull_request(fork="eve/shop")})
    assert comment_target(told, not_asked) == CommentTarget("acme/shop", 7, HEAD)


def test_a_comments_event_knows_no_head_to_compare_with() -> None:
    told = context("issue_comment", {"issue": {"number": 7, "pull_request": {}}})
    assert comment_target(told, not_asked) == CommentTarget("acme/shop", 7)


def test_a_merge_queues_run_comments_nowhere() -> None:
    told = context("merge_group", {"pull_request": pull_request()})
    assert isinstance(comment_target(told, not_asked), Nowhere)


@pytest.mark.parametrize(
    ("candidates", "number"),
    [
        ([request(7, MERGE)], 7),
        ([request(6), request(7, MERGE)], 7),
        ([request(7, is_open=False, merge=MERGE)], 7),
        ([request(6, is_open=False, merge=MERGE), request(7, MERGE)], 7),
        ([], None),
        ([request(7)], None),
        ([request(7, MERGE, is_open=False)], None),
        ([request(7, merge=MERGE)], None),
    ],
)
def test_a_push_comments_on_the_pull_request_of_its_commit(candidates: list[PullRequest], number: int | None) -> None:
    def found(repository: str, sha: str) -> Sequence[PullRequest]:
        assert (repository, sha) == ("acme/shop", MERGE)
        return candidates

    target = comment_target(context("push"), found)
    assert (target.number if isinstance(target, CommentTarget) else None) == number


def test_a_commit_of_several_pull_requests_is_an_error_that_names_them() -> None:
    with pytest.raises(NylError, match="acme/shop#6, acme/shop#7"):
        comment_target(context("push"), lambda repository, sha: [request(6, MERGE), request(7, MERGE)])


def test_an_event_without_a_pull_request_says_which_flags_name_one() -> None:
    with pytest.raises(NylError) as raised:
        comment_target(context("schedule"), not_asked)
    assert raised.value.diagnostic.code is Code.GITHUB_CONTEXT
    assert "--repository OWNER/NAME --request NUMBER" in raised.value.diagnostic.fix


def test_a_named_pull_request_has_a_head_where_the_event_is_about_it() -> None:
    told = context("pull_request", {"pull_request": pull_request()})
    assert named_target(told, "Acme/Shop", 7) == CommentTarget("Acme/Shop", 7, HEAD)
    assert named_target(told, "acme/shop", 8) == CommentTarget("acme/shop", 8)
    assert named_target(None, "acme/shop", 7) == CommentTarget("acme/shop", 7)


@pytest.mark.parametrize(
    "name", ["", "shop", "acme/", "/shop", "acme/shop/x", "acme/../x", "../..", "acme/.", "a b/c", "acme/shop?x"]
)
def test_what_is_no_repository_says_what_to_set(name: str) -> None:
    with pytest.raises(NylError) as raised:
        checked_repository(name)
    assert "GITHUB_REPOSITORY" in raised.value.diagnostic.fix
