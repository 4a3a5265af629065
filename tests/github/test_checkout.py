from collections.abc import Mapping
from typing import Any

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.git.commit_facts import CommitFacts, parse_commit
from nyl.github.checkout import check_checkout, is_own_push, proposed_for
from tests.github.events import BASE, HEAD, MERGE, OTHER, context, pull_request

_TRIAL = f"Merge {OTHER} into {BASE}"


def judged(event: str, request: Mapping[str, Any], head: CommitFacts, sha: str = MERGE) -> Code | None:
    try:
        check_checkout(context(event, {"pull_request": request}, GITHUB_SHA=sha), head)
    except NylError as error:
        return error.diagnostic.code
    return None


_QUEUED = {"merge_group": {"head_sha": MERGE, "base_ref": "refs/heads/trunk"}}


@pytest.mark.parametrize(
    ("event", "payload", "head", "branch"),
    [
        ("pull_request", {"pull_request": pull_request()}, CommitFacts(HEAD, (OTHER,), "Change"), "trunk"),
        ("pull_request", {"pull_request": pull_request()}, CommitFacts(MERGE, (BASE, HEAD), "Merge"), "trunk"),
        ("pull_request", {"pull_request": pull_request()}, CommitFacts(BASE, (), "Base"), None),
        ("pull_request", {"pull_request": pull_request(state="closed")}, CommitFacts(HEAD, (), "Change"), None),
        ("merge_group", _QUEUED, CommitFacts(MERGE, (BASE,), "Change"), "trunk"),
        ("merge_group", _QUEUED, CommitFacts(OTHER, (BASE,), "Change"), None),
        ("push", {}, CommitFacts(MERGE, (BASE,), "Change"), None),
    ],
)
def test_an_open_pull_request_and_a_merge_queue_propose_a_commit(
    event: str, payload: dict[str, Any], head: CommitFacts, branch: str | None
) -> None:
    assert proposed_for(context(event, payload), head) == branch


@pytest.mark.parametrize(
    ("head", "code"),
    [
        (CommitFacts(MERGE, (BASE, HEAD), f"Merge {HEAD} into {BASE}"), None),
        (CommitFacts(HEAD, (OTHER,), "Change"), None),
        (CommitFacts(OTHER, (HEAD, BASE), "Merge trunk"), None),
        (CommitFacts(MERGE, (BASE, OTHER), _TRIAL), Code.CHECKOUT_STALE),
        (CommitFacts(OTHER, (BASE, "e" * 40), _TRIAL), Code.CHECKOUT_STALE),
        (CommitFacts(MERGE, (BASE,), "Change"), Code.CHECKOUT_STALE),
        (CommitFacts(BASE, (OTHER, "e" * 40), "Merge pull request #6"), None),
        (CommitFacts(OTHER, (), "Another repository"), None),
    ],
)
def test_a_merge_of_another_head_is_not_planned(head: CommitFacts, code: Code | None) -> None:
    assert judged("pull_request", pull_request(), head) is code


def test_a_pull_request_that_is_merged_has_its_merge_checked_out() -> None:
    assert judged("pull_request", pull_request(state="closed"), CommitFacts(MERGE, (BASE,), "Squashed")) is None


@pytest.mark.parametrize("commit", [HEAD, OTHER])
@pytest.mark.parametrize("fork", ["eve/shop", None])
def test_a_privileged_run_acts_on_no_commit_of_a_fork(fork: str | None, commit: str) -> None:
    head = CommitFacts(commit, (BASE, HEAD), "Change")
    assert judged("pull_request_target", pull_request(fork=fork), head) is Code.CHECKOUT_UNTRUSTED


@pytest.mark.parametrize(
    ("fork", "commit"), [("eve/shop", BASE), ("eve/shop", MERGE), ("acme/shop", HEAD), ("acme/shop", OTHER)]
)
def test_a_privileged_run_acts_on_the_base_and_on_branches_of_the_repository(fork: str, commit: str) -> None:
    assert judged("pull_request_target", pull_request(fork=fork), CommitFacts(commit, (), "Change")) is None


@pytest.mark.parametrize(
    ("event", "payload", "ref", "own"),
    [
        (
            "push",
            {"head_commit": {"message": "nyl: reconcile dev\n\nNyl-Environment: dev\n"}},
            "refs/heads/state",
            True,
        ),
        ("push", {"head_commit": None}, "refs/heads/nyl/dev/observed", True),
        ("push", {"head_commit": {"message": "Change a thing"}}, "refs/heads/topic", False),
        ("push", {"head_commit": {"message": "Revert\n\nNyl-Environment: dev"}}, "refs/heads/trunk", False),
        ("schedule", {}, "refs/heads/nyl/dev/observed", False),
    ],
)
def test_nyls_own_push_is_known(event: str, payload: dict[str, Any], ref: str, own: bool) -> None:
    told = {"repository": {"default_branch": "trunk"}, **payload}
    assert is_own_push(context(event, told, GITHUB_REF=ref)) is own


def test_a_commit_tells_its_parents_and_message() -> None:
    content = f"tree {BASE}\nparent {HEAD}\nparent {OTHER}\nauthor A <a@b> 1 +0000\n\nMerge\n\nparent of all\n".encode()
    assert parse_commit(MERGE, content) == CommitFacts(MERGE, (HEAD, OTHER), "Merge\n\nparent of all\n")
