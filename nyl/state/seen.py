"""What this clone saw of the state refs last, so that a rewritten history does not pass for a new one.

Private refs below refs/nyl-seen/ keep the commits, which also keeps their objects. Nothing is lost without them: a
clone that saw nothing yet trusts what it finds.
"""

import hashlib
from collections.abc import Mapping

from nyl.git.ancestry import is_ancestor, is_reachable
from nyl.git.objects import ObjectReader
from nyl.git.ref_files import refs_below
from nyl.git.remotes import Remote
from nyl.git.repository import Repository
from nyl.git.updates import RefStore
from nyl.state.refs import StateRefs
from nyl.state.refusals import diverged

_SEEN = "refs/nyl-seen"


class SeenRefs:
    """Remembers the state refs of one environment at one remote."""

    def __init__(self, repository: Repository, remote: RefStore, objects: ObjectReader, refs: StateRefs) -> None:
        self._repository = repository
        self._remote = remote
        self._objects = objects
        self._refs = refs
        place = hashlib.sha256(remote.description.encode()).hexdigest()[:12]
        self._names = {ref: f"{_SEEN}/{refs.environment}/{place}/{_short(ref)}" for ref in refs.state}
        self._known: dict[str, str | None] = {}

    def check(self, now: Mapping[str, str]) -> None:
        """Compares the state refs with what was seen before, and remembers them.

        Raises NYL-STATE-DIVERGED when one is gone or does not contain what it contained.
        """
        moved = {}
        for ref in self._refs.state:
            seen, commit = self._seen(ref), now.get(ref)
            if seen is not None and seen != commit and not (commit and self.contains(commit, seen)):
                raise diverged(self._refs, self._remote, ref, seen, commit)
            if commit is not None and commit != seen:
                moved[ref] = commit
        self.remember(moved)

    def seen(self) -> dict[str, str]:
        """The state refs as this clone saw them last; those that it never saw are left out."""
        found = {ref: self._seen(ref) for ref in self._refs.state}
        return {ref: commit for ref, commit in found.items() if commit is not None}

    def last(self) -> dict[str, str]:
        """The newest that is known of the state refs without asking.

        That is as this clone saw them for this environment, or for others that share them, or as Git's own fetching
        left them.
        """
        found = self.seen()
        for newer in (*self._seen_for_others(), self._tracked()):
            if newer != found and self._continues(newer, found):
                found.update(newer)
        return found

    def _continues(self, newer: Mapping[str, str], older: Mapping[str, str]) -> bool:
        return all(
            ref not in older or is_ancestor(self._repository, older[ref], [commit]) for ref, commit in newer.items()
        )

    def _seen_for_others(self) -> list[dict[str, str]]:
        """The same refs as other environments saw them, which may share them."""
        refs = {name.rpartition("/")[2]: ref for ref, name in self._names.items()}
        found: dict[str, dict[str, str]] = {}
        for name, commit in self.memories().items():
            environment, _, short = name.removeprefix(f"{_SEEN}/").split("/")
            if environment != self._refs.environment:
                found.setdefault(environment, {})[refs[short]] = commit
        return list(found.values())

    def _tracked(self) -> dict[str, str]:
        if not isinstance(self._remote, Remote):
            return {}
        names = {ref: self._remote.tracking_ref(ref) for ref in self._refs.state}
        found = {ref: self._objects.resolve(name) for ref, name in names.items() if name}
        return {ref: commit for ref, commit in found.items() if commit is not None}

    def memories(self) -> dict[str, str]:
        """The private refs that remember these state refs, for this environment and those that share them."""
        ends = {name.partition(f"{_SEEN}/{self._refs.environment}/")[2] for name in self._names.values()}
        known = refs_below(self._repository, _SEEN)
        return {f"{_SEEN}/{name}": commit for name, commit in known.items() if name.partition("/")[2] in ends}

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
