"""Text from elsewhere inside Markdown and HTML: it stays text, whatever it holds.

GitHub turns more than Markdown into something else: @mentions, #1, GH-1, commit ids, URLs, e-mail addresses and
:emoji:. It leaves code alone. So everything but plain English words goes into code spans, `<code>` or fences, where
nothing has to be escaped by a list of characters that may grow.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from html import escape
from typing import NamedTuple

from nyl.core.terminal import without_colours, without_moves
from nyl.report.plaintext import one_line

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u2060-\u206f\u3164\uffa0\ufff0-\ufffb"
    "\U000e0000-\U000e0fff]"
)
_SIMPLE_LINES = re.compile(r"[\n\x20-\x5f\x61-\x7d]*")
"""Lines that a fence shows as they are, whatever its marks are."""

_SIMPLE_NAME = re.compile(r"[\w./=:-]+", re.ASCII)
_BACKTICKS = re.compile(r"`+")
_TILDES = re.compile(r"~+")
_LETTERS = r"\(?[A-Za-z]+(?:'[a-z]+)?\)?|\(?[a-z]+(?:-[a-z]+)+\)?"
_WORD = re.compile(rf"{_LETTERS}|\d{{1,6}}")
_WORDS = re.compile(rf"(?:(?:(?:{_LETTERS})[,;:.!?]?|\d{{1,6}}[,;:!?]?)(?: |$))*")
_COMMIT = re.compile(r"(?<![A-Za-z])[A-Fa-f]{7,}(?![A-Za-z])")
_ENDING = re.compile(r"[,;:.!?]$")
_QUOTED = re.compile(r"(?<![`\w])`([^`]+)`([,;:.!?]?)(?![`\w])")
_TAB = 4


def code(text: str) -> str:
    """A code span of one line; '' for no text."""
    if _SIMPLE_NAME.fullmatch(text):
        return f"`{text}`"
    shown = _one_visible_line(text)
    if not shown:
        return ""
    fence = "`" * (_longest(_BACKTICKS, shown) + 1)
    pad = " " if _needs_padding(shown) else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


@lru_cache(maxsize=1024)  # many units have one reason, or one kind
def prose(text: str) -> str:
    """A text as one line: plain English words as they are, everything else, such as names, as code spans.

    What nyl's messages have between backticks, such as a command, is one code span too.
    """
    if _WORDS.fullmatch(text) and not _COMMIT.search(text):
        return text
    tokens = _tokens(" ".join(without_colours(without_moves(text)).split()))
    return " ".join([(text if is_plain else code(text)) + ending for text, ending, is_plain in tokens])


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are Markdown of one line each."""
    lines = (headings, ["---"] * len(headings), *rows)
    # The table takes this backslash away again, also inside code.
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def html_code(text: str) -> str:
    """The same as `code` where Markdown is not read, such as inside `<summary>`."""
    if _SIMPLE_NAME.fullmatch(text):
        return f"<code>{text}</code>"
    return f"<code>{escape(_one_visible_line(text))}</code>"


def fence(text: str, language: str = "text") -> str:
    """A fenced block of a text of many lines, as a terminal would show it: without colours and overwritten lines."""
    if _SIMPLE_LINES.fullmatch(text):
        return "\n".join([f"```{language}", text.strip("\n"), "```"])
    body = "\n".join(_visible(line) for line in plain_lines(text)).strip("\n")
    backticks, tildes = _longest(_BACKTICKS, body), _longest(_TILDES, body)
    mark = "`" * max(backticks + 1, 3) if backticks <= tildes else "~" * max(tildes + 1, 3)
    return f"{mark}{language}\n{body}\n{mark}"


def plain_lines(text: str) -> list[str]:
    """The lines of a text as a terminal would show them: without colours and what carriage returns overwrite."""
    bare = without_colours(without_moves(text)).replace("\r\n", "\n")
    return [_overwritten(line).expandtabs(_TAB) for line in bare.split("\n")]


def clipped(text: str, most: int) -> str:
    """The text, or its start and an ellipsis where it has more characters than that."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


class _Token(NamedTuple):
    """A word, or several that make one code span, with the punctuation behind it."""

    text: str
    ending: str
    is_plain: bool


@lru_cache(maxsize=4096)
def _token(word: str) -> _Token:
    text = _ENDING.sub("", word) or word
    ending = word[len(text) :]
    begins_list = text.isdigit() and ending == "."
    return _Token(text, ending, bool(_WORD.fullmatch(text)) and not _COMMIT.fullmatch(text) and not begins_list)


def _tokens(text: str) -> list[_Token]:
    """The words of a text, and what stands between backticks."""
    if "`" not in text:
        return _words(text)
    found: list[_Token] = []
    end = 0
    for quoted in _QUOTED.finditer(text):
        found += _words(text[end : quoted.start()])
        found.append(_Token(quoted[1], quoted[2], False))
        end = quoted.end()
    return found + _words(text[end:])


def _words(text: str) -> list[_Token]:
    """The words of a text; neighbours that are not plain become one, up to the next punctuation."""
    found: list[_Token] = []
    for word in text.split():
        token, last = _token(word), found[-1] if found else None
        if last is not None and not last.is_plain and not token.is_plain and not last.ending:
            found[-1] = _Token(f"{last.text} {token.text}", token.ending, False)
        else:
            found.append(token)
    return found


def _one_visible_line(text: str) -> str:
    return _visible(without_colours(without_moves(text)).expandtabs(_TAB))


def _visible(line: str) -> str:
    """One line in which every control, bidirectional or invisible character is shown as its escape."""
    shown = one_line(line)
    return shown if shown.isascii() else _INVISIBLE.sub(lambda found: _escape(found.group()), shown)


def _escape(char: str) -> str:
    return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"


def _overwritten(line: str) -> str:
    if "\r" not in line:
        return line
    return next((each for each in reversed(line.split("\r")) if each), "")


def _needs_padding(text: str) -> bool:
    if text.startswith("`") or text.endswith("`"):
        return True
    return text.startswith(" ") and text.endswith(" ") and bool(text.strip(" "))


def _longest(pattern: re.Pattern[str], text: str) -> int:
    return max(map(len, pattern.findall(text)), default=0)
