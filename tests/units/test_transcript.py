"""Secrets stay hidden however the bytes arrive."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nyl.core.masking import Masker
from nyl.units.transcript import LONGEST_LINE, Transcript
from tests.units.building import Bench

SECRET = "correct-hörse-battery"


def shown(data: bytes, size: int, *secrets: str) -> list[str]:
    lines: list[str] = []
    transcript = Transcript(lines.append, Masker(secrets))
    for start in range(0, len(data), size):
        transcript.feed(data[start : start + size])
    transcript.close()
    return lines


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 1000])
def test_a_secret_across_the_border_of_two_reads_is_hidden(size: int) -> None:
    assert shown(f"it is {SECRET}!\nnext".encode(), size, SECRET) == ["it is ***!", "next"]


@pytest.mark.parametrize("offset", range(0, 30, 3))
def test_a_secret_across_the_border_of_two_pieces_of_a_long_line_is_hidden(offset: int) -> None:
    line = "x" * (LONGEST_LINE - offset) + SECRET + "y" * LONGEST_LINE

    pieces = shown(line.encode(), 4096, SECRET)

    assert "".join(pieces) == line.replace(SECRET, "***")
    assert max(map(len, pieces)) <= LONGEST_LINE


def test_a_secret_longer_than_a_line_may_be_is_hidden() -> None:
    secret = "abcdefghij" * (LONGEST_LINE // 10 + 1)

    assert "".join(shown(f"x{secret}y".encode(), 65536, secret)) == "x***y"


@given(st.text(st.characters(codec="utf-8")), st.integers(1, 9))
def test_lines_do_not_depend_on_how_the_bytes_arrive(text: str, size: int) -> None:
    data = text.encode()

    assert shown(data, size) == shown(data, max(1, len(data)))


def test_a_multi_line_secret_that_a_tool_prints_is_hidden(bench: Bench) -> None:
    bench.context.masker.add("first line\nsecond line\n")

    bench.sh('printf "%s" "first line\nsecond line\n"; echo "again: second line"')

    assert "line" not in bench.text.replace("again", "")


def test_a_secret_variable_is_hidden_in_both_streams_and_in_the_reason(bench: Bench) -> None:
    bench.context.masker.add("/bin/../bin/sh")
    outcome = bench.command(["/bin/../bin/sh", "-c", "echo $0; echo $0 >&2; exit 3"])

    assert bench.lines == ["***", "***"]
    assert "***" in str(outcome)
    assert "../bin" not in str(outcome)


def test_a_secret_with_an_escape_sequence_inside_is_hidden() -> None:
    assert shown(b"correct-h\x1b[K\xc3\xb6rse-battery\n", 1000, SECRET) == ["***"]


def test_the_last_lines_are_told_masked_and_without_colours_and_blanks(bench: Bench) -> None:
    bench.context.masker.add("correct-horse")
    result = bench.context.run(["/bin/sh", "-c", "printf '\\033[31mred\\033[0m\\n\\n  it is correct-horse  \\n'"])
    assert result.last_lines == ("red", "it is ***")
    many = bench.context.run(["/bin/sh", "-c", "seq 1 250"])
    assert many.last_lines == tuple(str(each) for each in range(151, 251))
    assert many.last_line == "250"
