"""The stdout of a tool that speaks to machines, shown line by line as its driver words it."""

from collections.abc import Callable

from nyl.core.masking import Masker
from nyl.units.transcript import Sink, Transcript

LONGEST_MESSAGE = 64 * 1024 * 1024
"""Bytes after which a line is shown as it is, in pieces."""


class TranslatedStream:
    """Cuts what a tool prints into lines, and shows what a driver says in the place of each, masked.

    What the driver raises shows the line itself: showing output must not decide how a unit ends.
    """

    def __init__(self, translate: Callable[[bytes], str | None], sink: Sink, masker: Masker) -> None:
        self._translate = translate
        self._shown = Transcript(sink, masker)
        self._rest = bytearray()

    def feed(self, data: bytes) -> None:
        """Takes the next bytes."""
        whole, end, rest = data.rpartition(b"\n")
        if not end:
            self._rest += data
        else:
            for line in bytes(self._rest + whole).split(b"\n"):
                self._take(line)
            self._rest = bytearray(rest)
        if len(self._rest) > LONGEST_MESSAGE:
            self._shown.feed(bytes(self._rest))
            self._rest.clear()

    def close(self) -> None:
        """Takes the last line, which may lack its end."""
        if self._rest:
            self._take(bytes(self._rest))
        self._shown.close()

    def _take(self, line: bytes) -> None:
        try:
            text = self._translate(line)
        except Exception:
            text = line.decode("utf-8", "replace")
        if text is not None:
            self._shown.feed(f"{text}\n".encode("utf-8", "replace"))
