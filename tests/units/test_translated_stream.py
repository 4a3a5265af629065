"""What a tool prints for programs is shown line by line in the words of its driver, and masked."""

import json

import pytest

from nyl.core.masking import Masker
from nyl.units import translated_stream
from nyl.units.translated_stream import TranslatedStream

SECRET = 'correct "horse" battery'


def upper(line: bytes) -> str | None:
    """Words lines in capitals, leaves those out that are blank, and knows no others than letters."""
    if line.strip(b"abcdefgh "):
        raise ValueError("no letters")
    return line.decode().upper() if line else None


def shown(data: bytes, size: int) -> list[str]:
    lines: list[str] = []
    stream = TranslatedStream(upper, lines.append, Masker())
    for start in range(0, len(data), size):
        stream.feed(data[start : start + size])
    stream.close()
    return lines


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_each_line_is_translated_however_it_comes(size: int) -> None:
    assert shown(b"a bc\n\nde\nf", size) == ["A BC", "DE", "F"]


def test_a_line_that_cannot_be_translated_is_shown_as_it_is() -> None:
    assert shown(b"a\n1\xff\nb\n", 100) == ["A", "1\ufffd", "B"]


def test_a_line_is_shown_as_soon_as_it_ends() -> None:
    lines: list[str] = []
    TranslatedStream(upper, lines.append, Masker()).feed(b"a\nb")
    assert lines == ["A"]


def test_a_secret_is_masked_in_what_the_translation_says() -> None:
    lines: list[str] = []
    stream = TranslatedStream(lambda line: str(json.loads(line)["said"]), lines.append, Masker([SECRET]))
    stream.feed(json.dumps({"said": f"it is {SECRET}!"}).encode() + b"\n")
    assert lines == ["it is ***!"]


def test_a_line_without_end_is_not_kept_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(translated_stream, "LONGEST_MESSAGE", 4)
    assert shown(b"abcdefabc\n", 3) == ["abcdefABC"]
