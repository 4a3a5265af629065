"""Text from elsewhere, made safe to print: it can neither steer a terminal nor break a line or a table.

Nor does it command a CI system that reads its logs for commands: GitHub Actions and Azure Pipelines obey `##[name]`
and `##vso[name]` anywhere in a line, and GitHub Actions obeys `::name::` where a line starts.
"""

import re

_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # C0 and C1 controls: escape sequences, carriage returns, line ends
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidirectional overrides, which reorder what is read
    "\u2028\u2029\ufeff\ud800-\udfff]"  # Unicode line ends, invisible marks, lone surrogates
    r"|(?<=#)#(?=\[|vso\[)"  # commands of CI systems
)
_COMMAND = re.compile(r"^(\s*):(?=:)")
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def one_line(text: str) -> str:
    """The text as one line without control characters; each is shown as its escape, such as `\\x1b`."""
    if text.isascii() and text.isprintable() and "##" not in text:
        return text
    return _UNSAFE.sub(_escape, text)


def lines(text: str) -> list[str]:
    """The lines of a text, each safe to print; a tab stays a blank."""
    return [one_line(line.replace("\t", " ")) for line in text.splitlines()]


def inert_lines(text: str) -> list[str]:
    """The same, for lines that are printed with nothing but blanks before them: none is a command."""
    return [_COMMAND.sub(r"\1\\x3a", line) for line in lines(text)]


def _escape(match: re.Match[str]) -> str:
    char = match.group()
    if char in _NAMED:
        return _NAMED[char]
    return f"\\x{ord(char):02x}" if ord(char) < 0x100 else f"\\u{ord(char):04x}"
