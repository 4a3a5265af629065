"""Bytes that are text, and bytes that are not."""

import pytest

from nyl.core.texts import TextProblem, text_problem


@pytest.mark.parametrize("data", [b"", b"plain\n", "\ufeffwith a mark: \u00fc".encode()])
def test_utf_8_is_text(data: bytes) -> None:
    assert text_problem(data) is None


@pytest.mark.parametrize(
    ("data", "line", "reason"),
    [
        ("a\n".encode("utf-16"), 1, "UTF-16"),
        ("a\n".encode("utf-32"), 1, "UTF-32"),
        ("a\n".encode("utf-16-le"), 1, "NUL"),
        (b"one\ntwo \xe9\n", 2, "not valid UTF-8 (byte 0xe9)"),
        (b"one\n\ntwo\0", 3, "NUL"),
    ],
)
def test_anything_else_is_named_with_its_line(data: bytes, line: int, reason: str) -> None:
    problem = text_problem(data)
    assert isinstance(problem, TextProblem)
    assert problem.line == line
    assert reason in problem.reason
