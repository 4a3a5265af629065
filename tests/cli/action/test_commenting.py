import pytest

from nyl.cli.action.commenting import wants_comment
from nyl.cli.action.inputs import CommentMode
from tests.github.events import context, pull_request

AUTO, ALWAYS, NEVER = CommentMode

REQUEST = {"pull_request": pull_request()}


@pytest.mark.parametrize(
    ("mode", "event", "payload", "wanted"),
    [
        (AUTO, "pull_request", REQUEST, True),
        (AUTO, "pull_request_target", REQUEST, True),
        (AUTO, "issue_comment", {"issue": {"number": 7, "pull_request": {}}}, True),
        (AUTO, "push", {}, False),
        (AUTO, "schedule", {}, False),
        (AUTO, "merge_group", {}, False),
        (ALWAYS, "push", {}, True),
        (ALWAYS, "schedule", {}, False),
        (ALWAYS, "merge_group", REQUEST, False),
        (NEVER, "pull_request", REQUEST, False),
    ],
)
def test_which_events_get_a_comment(mode: CommentMode, event: str, payload: dict[str, object], wanted: bool) -> None:
    assert wants_comment(mode, context(event, payload)) is wanted
