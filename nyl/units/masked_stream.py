"""What a tool prints, passed on as it is but for its secrets: for a reader that may be another program."""

import codecs
from collections.abc import Callable

from nyl.core.masking import Masker
from nyl.core.terminal import without_moves

_LONGEST = 64 * 1024
"""Characters without a line end after which they are passed on without waiting for one."""


class MaskedStream:
    """Takes bytes and writes masked text, line by line as they come, adding and dropping nothing else.

    Text is read as UTF-8, anything else becomes U+FFFD. Of a terminal's escape sequences colours stay; those that move
    or erase go before masking, so that none inside a secret hides it from the mask.
    """

    def __init__(self, write: Callable[[str], None], masker: Masker) -> None:
        self._write = write
        self._masker = masker
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""

    def feed(self, data: bytes) -> None:
        """Takes the next bytes."""
        whole, end, rest = (self._rest + self._decoder.decode(data)).rpartition("\n")
        if end:
            self._write(self._shown(whole + end))
        piece = max(_LONGEST, 2 * self._masker.longest)
        while len(rest) > piece:
            shown, kept = self._masker.split(without_moves(rest[:piece]))
            self._write(shown)
            rest = kept + rest[piece:]
        self._rest = rest

    def close(self) -> None:
        """Passes on what came after the last line end."""
        rest = self._rest + self._decoder.decode(b"", True)
        self._rest = ""
        if rest:
            self._write(self._shown(rest))

    def _shown(self, text: str) -> str:
        return self._masker.mask(without_moves(text))
