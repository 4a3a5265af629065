import pytest

from nyl.github.commands import new_token, workflow_command
from tests.support.runner_commands import KNOWN, Command, parse

HOSTILE = [
    "plain",
    "two\nlines\r\nand more",
    "100%25 of %0A",
    "::set-env name=PATH::/tmp",
    "a, b: c = d ::stop-commands::x",
    "##[error]]; %3B",
    " blanks ",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_the_runner_reads_back_what_a_command_says(text: str) -> None:
    line = workflow_command("error", text, file=text.strip(), line="3")
    assert len(line.splitlines()) == 1
    assert parse(line, KNOWN) == Command("error", {"file": text.strip(), "line": "3"}, text)


def test_empty_properties_are_left_out() -> None:
    assert workflow_command("error", "x", file="", line="") == "::error::x"


def test_tokens_are_not_to_be_guessed() -> None:
    assert len({new_token() for _ in range(100)}) == 100
    assert len(new_token()) == 32
