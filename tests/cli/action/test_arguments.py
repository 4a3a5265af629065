from pathlib import Path

import pytest

from nyl.cli.action.arguments import ReportFiles, command_line, comment_key
from nyl.cli.action.inputs import ActionInputs, Operation

FILES = ReportFiles.within(Path("/r"))
REPORTS = ("--report=json:/r/report.json", "--report=markdown:/r/report.md", "--report=summary:/r/summary.md")


@pytest.mark.parametrize(
    ("inputs", "author", "expected"),
    [
        (ActionInputs(Operation.VALIDATE), None, ("validate", *REPORTS)),
        (
            ActionInputs(Operation.PLAN, ("dev", "--local"), ("a=b",), ("g",)),
            None,
            ("plan", "--environment=dev", "--environment=--local", "--selector=a=b", "--group=g", *REPORTS),
        ),
        (
            ActionInputs(Operation.RECONCILE, ("dev",), approve=("db=sha256:0",), allow_teardown=True),
            "A <a@b>",
            (
                "reconcile",
                "--environment=dev",
                "--approve=db=sha256:0",
                "--allow-teardown",
                "--author=A <a@b>",
                *REPORTS,
            ),
        ),
        (
            ActionInputs(Operation.RECONCILE, arguments=("--author", "B <b@c>")),
            "A <a@b>",
            ("reconcile", *REPORTS, "--author", "B <b@c>"),
        ),
        (
            ActionInputs(Operation.PLAN, ("$(touch pwned)",), arguments=("--unit", "a b; c")),
            None,
            ("plan", "--environment=$(touch pwned)", *REPORTS, "--unit", "a b; c"),
        ),
    ],
)
def test_inputs_become_a_command_line(inputs: ActionInputs, author: str | None, expected: tuple[str, ...]) -> None:
    assert command_line(inputs, FILES, author) == expected


def test_jobs_for_different_environments_have_comments_of_their_own() -> None:
    inputs = [ActionInputs(Operation.PLAN, (name,), working_directory=folder) for name in "ab" for folder in (".", "x")]
    assert len({comment_key(each) for each in inputs}) == 4
    assert comment_key(inputs[0]) == "plan a"


def test_a_given_key_wins_and_a_long_one_is_shortened_but_stays_its_own() -> None:
    assert comment_key(ActionInputs(Operation.PLAN, comment_key="mine")) == "mine"
    long = [ActionInputs(Operation.PLAN, ("e" * 300 + name,)) for name in "ab"]
    keys = {comment_key(each) for each in long}
    assert len(keys) == 2
    assert all(len(each) < 200 for each in keys)
