"""Escape sequences of terminals, taken out of what tools print."""

import re

_MOVES = re.compile(r"\x1b(\[[0-9;:?<=>!]*[ -/]*[@-ln-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[()][A-Z0-9]|[=>78A-Z])")
_COLOURS = re.compile(r"\x1b\[[0-9;:]*m")


def without_moves(text: str) -> str:
    """The text without sequences that move or erase; colours stay."""
    return _MOVES.sub("", text) if "\x1b" in text else text


def without_colours(text: str) -> str:
    """The text without sequences that set colours."""
    return _COLOURS.sub("", text) if "\x1b" in text else text
