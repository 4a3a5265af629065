"""Whether the bytes of a file are the UTF-8 text that nyl reads."""

from nyl.core.dataclass import dataclass

_BOM = b"\xef\xbb\xbf"
_OTHER_ENCODINGS = {
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}


@dataclass(frozen=True)
class TextProblem:
    """Why bytes are no text: the line, from 1, and a clause such as `it is encoded in UTF-16`."""

    line: int
    reason: str


def text_problem(data: bytes) -> TextProblem | None:
    """What keeps bytes from being UTF-8 text, with or without a byte-order mark; None when nothing does."""
    for mark, encoding in _OTHER_ENCODINGS.items():
        if data.startswith(mark):
            return TextProblem(1, f"it is encoded in {encoding}")
    text = data.removeprefix(_BOM)
    try:
        text.decode()
    except UnicodeDecodeError as error:
        return TextProblem(_line(text, error.start), f"it is not valid UTF-8 (byte {text[error.start]:#04x})")
    if b"\0" in text:
        reason = "it holds a NUL character, as UTF-16 text and binary files do"
        return TextProblem(_line(text, text.index(b"\0")), reason)
    return None


def _line(text: bytes, position: int) -> int:
    return text.count(b"\n", 0, position) + 1
