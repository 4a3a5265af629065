"""What this clone saw of the state refs last, so that a rewritten history does not pass for a new one.

Private refs below refs/nyl-seen/ keep the commits, which also keeps their objects. Nothing is lost without them: a
clone that saw nothing yet trusts what it finds.
"""

import hashlib
from collections.abc import Mapping

from nyl.git.ancestry import is_reachable
from nyl.git.objects import ObjectReader
from nyl.git.repository import Repository
from nyl.git.updates import RefStore
from nyl.state.refs import StateRefs
from nyl.state.refusals import diverged


class SeenRefs:
    """Remembers the state refs of one environment at one remote."""

    def __init__(self, repository: Repository, remote: RefStore, objects: ObjectReader, refs: StateRefs) -> None:
        self._repository = repository
        self._remote = remote
        self._objects = objects
        self._refs = refs
        place = hashlib.sha256(remote.description.encode()).hexdigest()[:12]
        self._names = {ref: f"refs/nyl-seen/{refs.environment}/{place}/{_short(ref)}" for ref in refs.state}
        self._known: dict[str, str | None] = {}

    def check(self, now: Mapping[str, str]) -> None:
        """Compares the state refs with what was seen before, and remembers them.

        Raises NYL-STATE-DIVERGED when one is gone or does not contain what it contained.
        """
        moved = {}
        for ref in self._refs.state:
            seen, commit = self._seen(ref), now.get(ref)
            if seen is not None and seen != commit and not (commit and self.contains(commit, seen)):
                raise diverged(self._refs, ref, seen, commit)
            if commit is not None and commit != seen:
                moved[ref] = commit
        self.remember(moved)

    def remember(self, commits: Mapping[str, str]) -> None:
        """Takes note of where state refs are, after they were seen there or written."""
        lines = [f"update {self._names[ref]} {commit}\n" for ref, commit in commits.items() if ref in self._names]
        if not lines:
            return
        # Only a memory: a repository that cannot be written to must not stop a command that reads.
        self._repository.git("update-ref", "--stdin", stdin="".join(lines).encode())
        self._known.update(commits)

    def contains(self, commit: str, ancestor: str) -> bool:
        """Whether the history of a state ref's commit has another commit in it. Shallow histories are deepened."""
        if commit == ancestor:
            return True
        tips = dict.fromkeys(self._refs.state, commit)
        return bool(is_reachable(self._repository, self._remote, ancestor, self._refs.state, tips))

    def _seen(self, ref: str) -> str | None:
        if ref not in self._known:
            self._known[ref] = self._objects.resolve(self._names[ref])
        return self._known[ref]


def _short(ref: str) -> str:
    return hashlib.sha256(ref.encode()).hexdigest()[:12]
