import pytest

from nyl.report.plaintext import inert_lines, one_line
from tests.support.runner_commands import KNOWN, parse


@pytest.mark.parametrize("text", ["##[error]x", "a ##[group]b", "###[group]x", "##vso[task.setvariable]x"])
def test_no_line_commands_a_ci_system_from_within(text: str) -> None:
    assert "##[" not in one_line(text)
    assert "##vso[" not in one_line(text)
    assert parse(one_line(text), KNOWN) is None


def test_other_signs_stay_as_they_are() -> None:
    assert one_line("## heading [x] a::b") == "## heading [x] a::b"


@pytest.mark.parametrize("line", ["::error::x", "  ::error::x", "\t::error::x", "\u00a0::error::x", ":::error::x"])
def test_a_line_that_stands_alone_is_no_command(line: str) -> None:
    assert parse(inert_lines(line)[0], KNOWN) is None
