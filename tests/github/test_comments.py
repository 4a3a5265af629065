import threading

import pytest

from nyl.core.background import Background
from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.github.client import Access, GitHub
from nyl.github.comment_targets import CommentTarget
from nyl.github.comments import CommentOutcome, preview, upsert
from nyl.github.marker import marked_body
from tests.git.building import PatientClock
from tests.support import github_faults as faults
from tests.support.github_faults import Fault
from tests.support.github_server import TOKEN, GitHubServer, serve_github

TARGET = CommentTarget("acme/shop", 7, "a" * 40)
BODY = marked_body("plan", "# Plan")


def bodies(server: GitHubServer) -> list[str]:
    return [each.body for each in server.comments]


def test_the_first_plan_creates_the_comment(server: GitHubServer, github: GitHub) -> None:
    done = upsert(github, TARGET, "plan", "# Plan")
    assert (done.outcome, bodies(server)) == (CommentOutcome.CREATED, [BODY])
    assert done.url == f"https://github.com/acme/shop/pull/7#issuecomment-{server.comments[0].id}"
    assert server.reads <= 5
    assert server.writes == 1


def test_the_next_plan_updates_it(server: GitHubServer, github: GitHub) -> None:
    server.comment("A question", author="alice")
    server.comment(marked_body("plan", "# Old"))
    server.comment(marked_body("other", "# Other"))
    done = upsert(github, TARGET, "plan", "# Plan")
    assert (done.outcome, bodies(server)[1]) == (CommentOutcome.UPDATED, BODY)
    assert len(server.comments) == 3
    assert server.reads <= 5
    assert server.writes == 1


def test_an_equal_comment_is_not_written(server: GitHubServer, github: GitHub) -> None:
    server.comment(BODY.replace("\n", "\r\n") + "\n")
    assert upsert(github, TARGET, "plan", "# Plan").outcome is CommentOutcome.UNCHANGED
    assert server.writes == 0


def test_a_comment_on_the_last_of_many_pages_is_found(server: GitHubServer, github: GitHub) -> None:
    for number in range(450):
        server.comment(f"Talk {number}", author="alice")
    server.comment(marked_body("plan", "# Old"))
    assert upsert(github, TARGET, "plan", "# Plan").outcome is CommentOutcome.UPDATED
    assert bodies(server)[-1] == BODY
    assert len(server.comments) == 451
    assert server.writes == 1


@pytest.mark.parametrize("viewer", ["github-actions[bot]", "acme-nyl[bot]", "alice"])
def test_only_comments_of_the_tokens_own_account_count(server: GitHubServer, github: GitHub, viewer: str) -> None:
    server.viewer = viewer
    forged = server.comment(marked_body("plan", "# Forged, run 999"), author="mallory")
    quoted = server.comment("> " + BODY, author=viewer)
    mine = server.comment(marked_body("plan", "# Old"), author=viewer)
    upsert(github, TARGET, "plan", "# Plan")
    assert (mine.body, forged.body, quoted.body) == (BODY, marked_body("plan", "# Forged, run 999"), "> " + BODY)
    assert len(server.comments) == 3


def test_an_app_is_known_by_its_name_without_the_ending_too(server: GitHubServer, github: GitHub) -> None:
    server.comment(BODY, author="acme-nyl[bot]")
    server.viewer = "acme-nyl"
    assert upsert(github, TARGET, "plan", "# Plan").outcome is CommentOutcome.UNCHANGED


def test_duplicates_are_an_error_that_names_them(server: GitHubServer, github: GitHub) -> None:
    both = [server.comment(BODY), server.comment(BODY)]
    with pytest.raises(NylError) as raised:
        upsert(github, TARGET, "plan", "# New")
    assert raised.value.diagnostic.code is Code.COMMENT_DUPLICATE
    assert all(f"#issuecomment-{each.id}" in raised.value.diagnostic.message for each in both)
    assert server.writes == 0


def test_an_old_run_does_not_overwrite_a_newer_one(server: GitHubServer, github: GitHub) -> None:
    server.pulls[0].head_sha = "f" * 40
    newer = server.comment(marked_body("plan", "# Newer"))
    assert upsert(github, TARGET, "plan", "# Plan").outcome is CommentOutcome.STALE
    assert newer.body == marked_body("plan", "# Newer")
    assert server.writes == 0


def test_a_comment_without_a_known_head_is_written(server: GitHubServer, github: GitHub) -> None:
    server.pulls[0].head_sha = "f" * 40
    assert upsert(github, CommentTarget("acme/shop", 7), "plan", "# Plan").outcome is CommentOutcome.CREATED


@pytest.mark.parametrize(
    "fault",
    [
        faults.carried_out_then(500),
        faults.carried_out_then(502),
        faults.dropped(carried_out=True),
        faults.dropped(carried_out=False),
        faults.server_error(500),
        faults.server_error(503),
    ],
)
def test_a_create_without_a_clear_answer_leaves_one_comment(server: GitHubServer, github: GitHub, fault: Fault) -> None:
    server.fail(fault)
    assert upsert(github, TARGET, "plan", "# Plan").outcome is CommentOutcome.CREATED
    assert bodies(server) == [BODY]
    assert server.writes == (1 if fault.carried_out else 2)
    assert server.reads <= 5


def test_a_create_that_never_gets_a_clear_answer_is_tried_twice(server: GitHubServer, github: GitHub) -> None:
    server.fail(faults.server_error(), times=9)
    with pytest.raises(NylError) as raised:
        upsert(github, TARGET, "plan", "# Plan")
    assert raised.value.diagnostic.code is Code.GITHUB_UNAVAILABLE
    assert (server.writes, server.comments) == (2, [])
    assert server.reads <= 5


def test_a_second_create_that_was_stored_after_all_counts(server: GitHubServer, github: GitHub) -> None:
    server.fail(faults.server_error())
    server.fail(faults.carried_out_then(500))
    assert upsert(github, TARGET, "plan", "# Plan").outcome is CommentOutcome.CREATED
    assert bodies(server) == [BODY]


def test_an_update_is_repeated_where_no_clear_answer_came(server: GitHubServer, github: GitHub) -> None:
    server.comment(marked_body("plan", "# Old"))
    server.fail(faults.dropped(carried_out=True), on="PATCH")
    assert upsert(github, TARGET, "plan", "# Plan").outcome is CommentOutcome.UPDATED
    assert bodies(server) == [BODY]


@pytest.mark.parametrize("texts", [("# One", "# Two"), ("# Same", "# Same")])
def test_two_runs_that_start_together_leave_one_comment(server: GitHubServer, texts: tuple[str, str]) -> None:
    server.creators = threading.Barrier(2)
    runs = [
        Background(
            lambda text=text: upsert(GitHub(Access(server.address, TOKEN), PatientClock()), TARGET, "plan", text)
        )
        for text in texts
    ]
    assert {run.result().outcome for run in runs} == {CommentOutcome.CREATED}
    assert len(server.comments) == 1
    assert bodies(server)[0] in {marked_body("plan", text) for text in texts}


def test_a_comment_of_another_run_that_turns_up_is_taken_over(server: GitHubServer, github: GitHub) -> None:
    # The create is lost, and the look after it shows what the other run created meanwhile.
    server.fail(faults.dropped(carried_out=False))
    server.after_first_write = lambda: server.comment(marked_body("plan", "# Other run"))
    upsert(github, TARGET, "plan", "# Plan")
    assert bodies(server) == [BODY]


def test_a_token_that_can_only_read_names_the_permission(server: GitHubServer, github: GitHub) -> None:
    server.fail(faults.read_only())
    with pytest.raises(NylError) as raised:
        upsert(github, TARGET, "plan", "# Plan")
    assert raised.value.diagnostic.code is Code.GITHUB_REFUSED
    assert "`pull-requests: write`" in raised.value.diagnostic.fix
    assert server.writes == 1


@pytest.mark.parametrize("after", [0, 1, 2, 3, 4])
def test_a_token_that_ends_meanwhile_is_told_as_such(server: GitHubServer, github: GitHub, after: int) -> None:
    server.fail(faults.bad_credentials(), on="", times=99, after=after)
    with pytest.raises(NylError) as raised:
        upsert(github, TARGET, "plan", "# Plan")
    assert "does not accept the token" in raised.value.diagnostic.message
    assert len(server.comments) == (after == 4)


def test_a_preview_writes_nothing(server: GitHubServer, github: GitHub) -> None:
    assert preview(github, TARGET, "plan", "# Plan").outcome is CommentOutcome.CREATED
    server.comment(marked_body("plan", "# Old"))
    assert preview(github, TARGET, "plan", "# Plan").outcome is CommentOutcome.UPDATED
    assert server.writes == 0


def test_an_enterprise_server_has_its_api_below_a_path() -> None:
    with serve_github("/api/v3") as server:
        github = GitHub(Access(server.address, TOKEN), PatientClock())
        assert upsert(github, TARGET, "plan", "# Plan").outcome is CommentOutcome.CREATED
        assert bodies(server) == [BODY]
