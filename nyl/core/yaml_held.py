"""Characters that the C emitter never writes into a literal block, held back behind others while it works.

It puts a text into one quoted line when a line of it ends with a space, and for a tab or a character beyond the basic
plane. Readers take all of them in a block, and people read blocks. So those characters go through the emitter as
private ones, and private ones of the text itself as two.
"""

import re

_STAND_INS = {" ": "\ue000", "\t": "\ue002"}
_STOOD_FOR = {stand_in: character for character, stand_in in _STAND_INS.items()}
_ESCAPE = "\ue001"
_OFFSET = 0xE800 - 0xD800
"""From the surrogates, which stand for characters beyond the basic plane in pairs, to private characters."""
_TO_HOLD = re.compile("[\ue000-\uefff]")
_TO_HOLD_IN_BLOCK = re.compile(" (?=\n|\\Z)|[\t\ue000-\uefff\U00010000-\U0010ffff]")
_HELD = re.compile("\ue001([\ue000-\uefff])|([\ue000\ue002])|([\ue800-\uebff])([\uec00-\uefff])")


def held(text: str) -> str:
    """A text for the emitter, private characters told apart from those that stand for others."""
    return text if text.isascii() else _TO_HOLD.sub(_hold, text)


def held_block(text: str) -> str:
    """A text for the emitter, which writes it as a block when nothing else forbids it."""
    return _TO_HOLD_IN_BLOCK.sub(_hold, text)


def released(written: str) -> str:
    """What the emitter wrote, with the characters of the texts again."""
    return written if written.isascii() else _HELD.sub(_release, written)


def _hold(match: re.Match[str]) -> str:
    character = match.group()
    if character in _STAND_INS:
        return _STAND_INS[character]
    code = ord(character)
    if code < 0x10000:
        return _ESCAPE + character
    high, low = divmod(code - 0x10000, 0x400)
    return chr(0xD800 + _OFFSET + high) + chr(0xDC00 + _OFFSET + low)


def _release(match: re.Match[str]) -> str:
    escaped, stand_in, high, low = match.groups()
    if high is None:
        return str(escaped or _STOOD_FOR[stand_in])
    return chr(0x10000 + (ord(high) - 0xD800 - _OFFSET) * 0x400 + ord(low) - 0xDC00 - _OFFSET)
