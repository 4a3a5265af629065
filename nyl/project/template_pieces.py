"""Cutting the text of a template into pieces that render on their own.

Whole texts differ from file to file, but their expressions and loops recur: a piece is compiled once, and rendered
once for all that see the same values. Texts with anything that reaches from one piece into another, such as `set`, a
macro or white space control, are not cut.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

_CONTENT = r"""(?:[^{}%'"]|'[^'{}%\\]*'|"[^"{}%\\]*")*"""
_PIECE = re.compile(
    rf"\{{\{{(?![-+])(?:{_CONTENT})(?<![-+])\}}\}}"
    rf"|\{{%(?![-+])\s*(?P<word>for|endfor|if|elif|else|endif)\b{_CONTENT}(?<![-+])%\}}"
)
_OPEN = re.compile(r"\{\{|\{%|\{#")
_OPENING, _CLOSING = frozenset({"for", "if"}), frozenset({"endfor", "endif"})


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a template's text: literal, or an expression or a whole block. `line` counts from 1."""

    text: str
    line: int
    is_literal: bool


@lru_cache(maxsize=64)
def pieces_of(text: str) -> tuple[Piece, ...] | None:
    """The pieces whose renderings make that of the text, in order; None for a text that is only rendered whole."""
    found: list[Piece] = []
    depth = start = end = 0
    line = 1
    for match in _PIECE.finditer(text):
        if _OPEN.search(text, end, match.start()):
            return None
        word = match["word"]
        if depth == 0:
            if word is not None and word not in _OPENING:
                return None
            line = _keep(found, text[end : match.start()], line, is_literal=True)
            start = match.start()
        end = match.end()
        depth += (word in _OPENING) - (word in _CLOSING)
        if depth == 0:
            line = _keep(found, text[start:end], line, is_literal=False)
    if depth or _OPEN.search(text, end):
        return None
    _keep(found, text[end:], line, is_literal=True)
    return tuple(found)


def _keep(found: list[Piece], text: str, line: int, *, is_literal: bool) -> int:
    if text:
        found.append(Piece(text, line, is_literal))
    return line + text.count("\n")
