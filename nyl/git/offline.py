"""A remote's branches and tags as far as this repository knows them, without asking the remote."""

import os
from collections.abc import Sequence

from nyl.git.embedded import EmbeddedRemote
from nyl.git.ref_files import refs_below
from nyl.git.remotes import FETCHED, Remote
from nyl.git.updates import matches

_BRANCHES = "refs/heads/"


class Offline(EmbeddedRemote):
    """What a repository has of a remote: its own branches and tags first, then those that Git or nyl fetched last.

    A mirror has none of its own: what lies there was put there for other purposes.
    """

    def __init__(self, original: Remote, *, is_mirror: bool) -> None:
        super().__init__(original.repository)
        self._original = original
        self._is_mirror = is_mirror

    @property
    def description(self) -> str:
        """The remote, and that nothing was asked of it."""
        return f"what is here of {self._original.description}"

    def list(self, *patterns: str) -> dict[str, str]:
        """The refs that match, as far as they are known here."""
        own = {} if self._is_mirror else super().list(*patterns)
        return {**_matching(self._fetched(), patterns), **_matching(self._tracked(), patterns), **own}

    def tips(self, patterns: Sequence[str]) -> Sequence[str]:
        """Every commit at which a matching ref is known here: that of the own branch, and those that were fetched."""
        places = (self.list(*patterns), _matching(self._tracked(), patterns), _matching(self._fetched(), patterns))
        return tuple(dict.fromkeys(commit for each in places for commit in each.values()))

    def remote_default(self) -> str | None:
        """The full name of the remote's default branch, as cloning noted it."""
        tracked = self._original.tracking_ref(f"{_BRANCHES}HEAD")
        if tracked is None:
            return None
        result = self.repository.git("symbolic-ref", "--quiet", tracked)
        branch = os.fsdecode(result.stdout).strip().removeprefix(tracked.removesuffix("HEAD"))
        return _BRANCHES + branch if result.code == 0 else None

    def _tracked(self) -> dict[str, str]:
        tracked = self._original.tracking_ref(_BRANCHES)
        below = refs_below(self.repository, tracked.rstrip("/")) if tracked else {}
        return {_BRANCHES + name: commit for name, commit in below.items() if name != "HEAD"}

    def _fetched(self) -> dict[str, str]:
        return {name.partition("/")[2]: commit for name, commit in refs_below(self.repository, FETCHED).items()}


def _matching(refs: dict[str, str], patterns: Sequence[str]) -> dict[str, str]:
    return {ref: commit for ref, commit in refs.items() if any(matches(ref, each) for each in patterns)}
