"""The public output of a tool: bytes in, masked lines out, in bounded memory."""

import codecs
import re
from collections import deque
from collections.abc import Callable

from nyl.core.masking import Masker
from nyl.core.terminal import without_colours, without_moves

LONGEST_LINE = 64 * 1024
"""Characters after which a line is shown in pieces."""

_MOST_CHARACTERS = 32 * 1024 * 1024
"""Characters of one tool that are shown; further output is read and counted."""

_MOST_LINES = 400_000
"""Lines of one tool that are shown; further output is read and counted."""

_LONGEST_LAST = 300
_MOST_REMEMBERED = 100
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]")

Sink = Callable[[str], None]
"""Takes one line, masked and without its end."""


class LastLines:
    """Hands lines on to a sink and remembers the last ones that are not blank."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._lines: deque[str] = deque(maxlen=_MOST_REMEMBERED)

    def __call__(self, line: str) -> None:
        """Takes the next line."""
        told = without_colours(line).strip()[:_LONGEST_LAST]
        if told:
            self._lines.append(told)
        self._sink(line)

    @property
    def lines(self) -> tuple[str, ...]:
        """The last 100, oldest first, without colours and surrounding blanks, at most 300 characters each."""
        return tuple(self._lines)


class Transcript:
    """Cuts what a tool prints into lines and hands them on, masked and without line ends.

    Text is read as UTF-8, anything else becomes U+FFFD, as do control characters. A carriage return ends a line too.
    Of a terminal's escape sequences colours stay; those that move or erase go, since lines of several units share a
    screen. They go before masking, so that none inside a secret hides it from the mask.
    A sink that raises is not called again: showing output must not decide how a unit ends.
    """

    def __init__(self, sink: Sink, masker: Masker) -> None:
        self._sink: Sink | None = sink
        self._masker = masker
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""
        self._lines = _MOST_LINES
        self._characters = _MOST_CHARACTERS
        self._dropped = 0

    def feed(self, data: bytes) -> None:
        """Takes the next bytes."""
        if self._full:
            self._dropped += len(data)
            return
        self._take(self._rest + self._decoder.decode(data))

    def close(self) -> None:
        """Hands on the last line, and says how much was not shown."""
        if self._full:
            self._dropped += len(self._rest.encode())
        else:
            self._take(self._rest + self._decoder.decode(b"", True), last=True)
            if self._rest:
                self._emit(self._masker.mask(without_moves(self._rest)))
        self._rest = ""
        if self._dropped:
            self._call(f"(nyl: {self._dropped} further bytes of output are not shown)")

    @property
    def _full(self) -> bool:
        return self._lines <= 0 or self._characters <= 0

    def _take(self, text: str, *, last: bool = False) -> None:
        # A carriage return at the end may be the first half of a line end.
        half = "\r" if text.endswith("\r") and not last else ""
        text = text.removesuffix(half).replace("\r\n", "\n").replace("\r", "\n")
        whole, end, rest = text.rpartition("\n")
        if end:
            self._emit_lines(whole)
        piece = max(LONGEST_LINE, 2 * self._masker.longest)
        while len(rest) > piece and not self._full:
            shown, kept = self._masker.split(without_moves(rest[:piece]))
            self._emit(shown)
            rest = kept + rest[piece:]
        self._rest = rest + half

    def _emit_lines(self, text: str) -> None:
        lines = self._masker.mask(without_moves(text)).split("\n")
        for index, line in enumerate(lines):
            if self._full:
                self._dropped += sum(len(each.encode()) + 1 for each in lines[index:])
                return
            if len(line) > LONGEST_LINE:
                for start in range(0, len(line), LONGEST_LINE):
                    self._emit(line[start : start + LONGEST_LINE])
            else:
                self._emit(line)

    def _emit(self, line: str) -> None:
        self._lines -= 1
        self._characters -= len(line)
        self._call(_CONTROLS.sub("\ufffd", line))

    def _call(self, line: str) -> None:
        if self._sink is None:
            return
        try:
            self._sink(line)
        except Exception:
            self._sink = None


def readable(output: bytes, masker: Masker) -> str:
    """The private output of a tool as one text that may be shown: masked, without escape sequences and controls.

    It depends on the output and on the secrets alone. Bytes that are not UTF-8 become U+FFFD, as do control characters;
    line ends and tabs stay.
    """
    text = output.decode("utf-8", "replace")
    return _CONTROLS.sub("\ufffd", masker.mask(without_colours(without_moves(text))))
