"""Spec of nyl exec: the stdout of a unit's own tool is passed on as it is but for secrets."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nyl.core.masking import Masker
from nyl.units.masked_stream import MaskedStream

SECRET = "correct-hörse-battery"


def passed(data: bytes, size: int, *secrets: str) -> list[str]:
    written: list[str] = []
    stream = MaskedStream(written.append, Masker(secrets))
    for start in range(0, len(data), size):
        stream.feed(data[start : start + size])
    stream.close()
    return written


@given(st.text(st.characters(codec="utf-8", exclude_characters="\x1b")), st.integers(1, 9))
def test_text_comes_out_as_it_went_in(text: str, size: int) -> None:
    assert "".join(passed(text.encode(), size)) == text


def test_a_document_in_one_long_line_stays_one_line() -> None:
    text = json.dumps({"values": ["x" * 100_000, "y" * 100_000]})
    assert "".join(passed(text.encode(), 4096)) == text


def test_a_line_is_passed_on_at_once() -> None:
    written: list[str] = []
    MaskedStream(written.append, Masker(["some secret"])).feed(b"one\ntwo\nth")
    assert written == ["one\ntwo\n"]


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 1000])
def test_a_secret_across_the_border_of_two_reads_is_hidden(size: int) -> None:
    assert "".join(passed(f"it is {SECRET}!\r\nnext".encode(), size, SECRET)) == "it is ***!\r\nnext"


@pytest.mark.parametrize("offset", range(0, 30, 5))
def test_a_secret_across_the_border_of_two_pieces_of_a_long_line_is_hidden(offset: int) -> None:
    line = "x" * (64 * 1024 - offset) + SECRET + "y" * 70_000
    assert "".join(passed(line.encode(), 4096, SECRET)) == line.replace(SECRET, "***")


def test_every_line_of_a_secret_is_hidden_and_no_escape_sequence_helps_it() -> None:
    data = b"second \x1b[Kline\nfirst line!\n\x1b[31mred\x1b[0m\n"
    assert "".join(passed(data, 1000, "first line\nsecond line")) == "***\n***!\n\x1b[31mred\x1b[0m\n"


def test_what_is_no_text_is_replaced() -> None:
    assert "".join(passed(b"a\xff\xfeb\x00", 1)) == "a\ufffd\ufffdb\x00"
