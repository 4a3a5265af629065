import json
from pathlib import Path

from nyl.cli.markdown import comment_in, summary_in
from nyl.engine.results import Action, Report, ReportKind
from tests.report.builders import section, unit
from tests.report.markdown.reports import six_hundred

ACTIONS = {
    "GITHUB_ACTIONS": "true",
    "GITHUB_EVENT_NAME": "pull_request",
    "GITHUB_REPOSITORY": "o/r",
    "GITHUB_SERVER_URL": "https://github.example",
    "GITHUB_RUN_ID": "7",
    "GITHUB_RUN_ATTEMPT": "2",
}


def test_a_comment_names_head_and_base_of_its_pull_request(tmp_path: Path) -> None:
    event = tmp_path / "event.json"
    request = {"number": 3, "head": {"sha": "a" * 40}, "base": {"sha": "b" * 40}}
    event.write_text(json.dumps({"pull_request": request}))
    text = comment_in({**ACTIONS, "GITHUB_EVENT_PATH": str(event)}, planned())
    assert f"- Head: `{'a' * 40}`\n- Base: `{'b' * 40}`\n" in text


def test_a_shortened_comment_links_the_run() -> None:
    text = comment_in(ACTIONS, six_hundred())
    assert "[the full report](<https://github.example/o/r/actions/runs/7/attempts/2>)" in text


def test_a_summary_has_room_for_what_a_comment_leaves_out() -> None:
    assert "shortened" in comment_in({}, six_hundred())
    assert "shortened" not in summary_in({}, six_hundred())


def test_an_event_that_cannot_be_read_leaves_its_commits_out(tmp_path: Path) -> None:
    text = comment_in({**ACTIONS, "GITHUB_EVENT_PATH": str(tmp_path / "none")}, planned())
    assert text == comment_in({}, planned())


def planned() -> Report:
    return Report(ReportKind.PLAN, (section(unit("a", Action.EXECUTE)),))
