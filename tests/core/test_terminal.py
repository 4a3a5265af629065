import pytest

from nyl.core.terminal import without_colours, without_moves


@pytest.mark.parametrize(
    "sequence", ["\x1b[2K", "\x1b[1;1H", "\x1b[?25l", "\x1b]0;title\x07", "\x1b]8;;x\x1b\\", "\x1b(B"]
)
def test_what_moves_or_erases_goes_and_colours_stay(sequence: str) -> None:
    assert without_moves(f"a{sequence}b\x1b[31mc") == "ab\x1b[31mc"


def test_colours_go() -> None:
    assert without_colours("a\x1b[1;31mb\x1b[0m") == "ab"
