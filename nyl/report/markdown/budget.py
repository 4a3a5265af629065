"""Fits a text into a number of bytes: what must be said first, then whole blocks as they have room."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from enum import Enum, IntEnum
from functools import cached_property

from nyl.core.dataclass import dataclass

_JOINT = "\n\n"


class Rank(IntEnum):
    """What is more important when there is no room for everything. Up to ALARMS, something of it must be said."""

    HEADLINE = 0
    LEAVING = 1
    TITLES = 2
    ERRORS = 3
    CHANGES = 4
    ALARMS = 5
    APPROVALS = 6
    ORIGIN = 7
    LEAVING_DETAILS = 8
    DETAILS = 9
    WARNINGS = 10
    UNCHANGED = 11
    PICTURE = 12


class Part(Enum):
    """What may be left out, as a notice counts it."""

    def __init__(self, words: str, noun: str) -> None:
        self.words = words
        self.noun = noun

    LEAVING = "the names of {} that leave", "unit"
    NAMES = "the names of {} that change or wait", "unit"
    ENVIRONMENTS = "the outcome of {}", "environment"
    ERRORS = "{}", "error"
    ALARMS = "{}", "planned destruction"
    LEAVING_REASONS = "why {} leave", "unit"
    REASONS = "the reasons of {}", "unit"
    MESSAGES = "the messages of {}", "error"
    DIGESTS = "the digests of {}", "unit"
    DETAILS = "the details of {}", "unit"
    WARNINGS = "{}", "warning"
    UNCHANGED = "the names of {} that stay as they are", "unit"
    FILES = "the names of {}", "file"
    DIFFS = "the differences of {}", "file"
    ORIGIN = "the source of {}", "environment"
    PICTURE = "{}", "picture"


@dataclass(frozen=True)
class Block:
    """A part of the text: `full`, or where that has no room as many of `items`, one after another, as have.

    `tells` is what is left out without `full`, `times` over; `names` what is left out without one of the items. `full`
    has at least `at_least` bytes. Both are rendered only when they are needed: what has no room costs no time.
    """

    rank: Rank
    render: Callable[[], str]
    tells: Part
    times: int = 1
    least: Callable[[], tuple[str, ...]] = tuple
    """Gives `items`: the least that must be said."""
    names: Part = Part.NAMES
    ending: str = ""
    """What follows the least, however much of it has room."""
    at_least: int = 0

    @classmethod
    def title(cls, rank: Rank, text: str, names: Part) -> "Block":
        """One that can be no shorter, and comes before what others of lower rank could be shorter without."""
        return cls(rank, lambda: text, names, 0, lambda: (text,), names)

    @cached_property
    def full(self) -> str:
        """All of it."""
        return self.render()

    @cached_property
    def items(self) -> tuple[str, ...]:
        """The least of it."""
        return self.least()

    @cached_property
    def cost(self) -> int:
        """Bytes that it takes, with what joins it to the next."""
        return _cost(self.full)


@dataclass(frozen=True)
class Fitted:
    """Texts of blocks, '' for one that is left out, and how many things that leaves out."""

    texts: tuple[str, ...]
    left_out: Counter[Part]

    @property
    def text(self) -> str:
        """What has room, in the order of the blocks."""
        return joined(self.texts)


def joined(texts: Iterable[str]) -> str:
    """Blocks as one text, with a blank line between them."""
    return _JOINT.join(text for text in texts if text)


def fit_with_notice(blocks: Sequence[Block], limit: int, notice: Callable[[Counter[Part]], str], reserve: int) -> str:
    """The blocks in their order, in at most `limit` bytes of UTF-8, and so characters.

    Where that leaves anything out, `notice` says so in fewer than `reserve` bytes, below the first block.
    """
    if sum(each.at_least for each in blocks) <= limit:
        found = fit(blocks, limit)
        if not found.left_out:
            return found.text
    found = fit(blocks, limit - reserve)
    head, *rest = found.texts
    return joined([head, notice(found.left_out), *rest])


def fit(blocks: Sequence[Block], limit: int) -> Fitted:
    """As much as has room: first the least of every block, then whole blocks, by rank and the smallest first."""
    texts, room = [""] * len(blocks), limit
    missing = [0] * len(blocks)
    for index in () if _have_room([each for each in blocks if each.rank <= Rank.ALARMS], limit) else _by_rank(blocks):
        items, ending = blocks[index].items, blocks[index].ending
        shown = _as_many(items, room - _cost(ending))
        texts[index], missing[index] = "".join([*items[:shown], ending]) if shown else "", len(items) - shown
        room -= _cost(texts[index])
    left_out: Counter[Part] = Counter()
    for index in _by_rank(blocks):
        block, has = blocks[index], room + _cost(texts[index])
        if block.at_least <= has and block.cost <= has:
            texts[index], room = block.full, has - block.cost
        else:
            left_out[block.tells] += block.times
            left_out[block.names] += missing[index]
    return Fitted(tuple(texts), +left_out)


def _have_room(blocks: Sequence[Block], limit: int) -> bool:
    return sum(each.at_least for each in blocks) <= limit and sum(each.cost for each in blocks) <= limit


def _by_rank(blocks: Sequence[Block]) -> Iterable[int]:
    return sorted(range(len(blocks)), key=lambda index: (blocks[index].rank, blocks[index].at_least))


def _as_many(items: Sequence[str], room: int) -> int:
    """How many items have room."""
    left = room - len(_JOINT)
    for count, item in enumerate(items):
        left -= _size(item)
        if left < 0:
            return count
    return len(items)


def _cost(text: str) -> int:
    return _size(text) + len(_JOINT) if text else 0


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())
