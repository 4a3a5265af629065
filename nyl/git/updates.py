"""What is asked of a remote's refs, and what became of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from enum import Enum
from typing import Protocol

from nyl.core.dataclass import dataclass
from nyl.git.repository import Repository


@dataclass(frozen=True)
class RefUpdate:
    """A ref to move from what is expected to something new; None stands for its absence, before or after."""

    ref: str
    new: str | None
    expected: str | None


class RefStatus(Enum):
    """What became of one update."""

    MOVED = "moved"
    UNCHANGED = "unchanged"
    """The ref already had the new value, whoever set it: that proves nothing about who did."""
    REFUSED = "refused"
    """By the remote: for the expectation, for a rule, or because another ref of the push was."""
    OUTPACED = "outpaced"
    """Never asked for: before Git sent anything, some ref of the push was not where it was expected."""
    UNKNOWN = "unknown"
    """The remote did not answer."""


@dataclass(frozen=True)
class PushResult:
    """The answer to one atomic push.

    It says what Git reported and nothing more: when `answered` is False, or after more than one try, the updates may
    have been made all the same. Who must know reads the refs again.
    """

    statuses: Mapping[str, RefStatus]
    reasons: Mapping[str, str] = field(default_factory=dict)
    """For refused refs, what the remote or Git gave as reason: for people, never to decide on."""
    text: str = ""
    """What the remote and Git said on the way, without credentials."""
    answered: bool = True
    tries: int = 1

    @property
    def outpaced(self) -> bool:
        """Whether another writer was quicker, as Git saw before it sent anything."""
        return RefStatus.OUTPACED in self.statuses.values()

    @property
    def accepted(self) -> bool:
        """Whether every ref has its new value, as far as the answer goes."""
        return all(each in (RefStatus.MOVED, RefStatus.UNCHANGED) for each in self.statuses.values())


def always() -> bool:
    """Lets a step be tried again for as long as that may help."""
    return True


class RefStore(Protocol):
    """Where refs are kept: a remote repository, or this one."""

    @property
    def repository(self) -> Repository:
        """The local repository that fetched objects are in."""

    @property
    def description(self) -> str:
        """How messages name it; without credentials."""

    def push(self, updates: Sequence[RefUpdate], go_on: Callable[[], bool] = always) -> PushResult:
        """Makes all updates or none of them, each only if its ref is as expected.

        `go_on` is asked whether there may be another try where one was not answered.
        """

    def fetch(self, *patterns: str) -> dict[str, str]:
        """The refs that match now, full names to object ids, with all they lead to in the local repository."""

    def deepen(self, amount: str, *patterns: str) -> dict[str, str]:
        """The same with more of a shallow history: `--deepen=<commits>` or `--unshallow`."""

    def fetch_object(self, oid: str) -> bool:
        """Asks for one commit by its id; False when it is not given that way."""

    def list(self, *patterns: str) -> dict[str, str]:
        """The refs that match now, full names to object ids, without fetching anything."""

    def default_branch(self) -> str | None:
        """The full name of the default branch, or None when there is none."""


def matches(ref: str, pattern: str) -> bool:
    """Whether a ref is the one a pattern names, or starts like a pattern that ends in `*`."""
    if pattern.endswith("*"):
        return ref.startswith(pattern[:-1])
    return ref == pattern
