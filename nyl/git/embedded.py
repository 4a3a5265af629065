"""This repository as a place for refs, with the interface of a remote."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from nyl.git.checked_out import checked_out
from nyl.git.process import GitResult
from nyl.git.repository import Repository
from nyl.git.updates import PushResult, RefStatus, RefUpdate, always, matches


class EmbeddedRemote:
    """Keeps refs in the repository itself: for state that has no remote."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    @property
    def repository(self) -> Repository:
        """The repository that holds the refs."""
        return self._repository

    @property
    def description(self) -> str:
        """The repository's folder."""
        return str(self._repository.root or self._repository.git_dir)

    def push(self, updates: Sequence[RefUpdate], go_on: Callable[[], bool] = always) -> PushResult:
        """Makes all updates in one transaction or none of them, each only if its ref is as expected, in a single try.

        A branch that is checked out is not moved: the files of its working tree would look changed.
        """
        busy = self.checked_out(each.ref for each in updates if each.new != each.expected)
        if busy:
            refused = {each.ref: RefStatus.REFUSED for each in updates}
            return PushResult(refused, {ref: f"it is checked out in {tree}" for ref, tree in busy.items()})
        nothing = self._repository.null_oid
        lines = ["start", *(_line(each, nothing) for each in updates), "prepare", "commit"]
        result = self._repository.git("update-ref", "--stdin", stdin="".join(f"{each}\n" for each in lines).encode())
        if result.code == 0:
            return PushResult({each.ref: _made(each) for each in updates})
        refused = {each.ref: RefStatus.REFUSED for each in updates}
        return PushResult(refused, {each.ref: _reason(result) for each in updates}, result.stderr)

    def checked_out(self, refs: Iterable[str]) -> dict[str, Path]:
        """Those of some refs that are checked out, and in which working tree."""
        branches = [each for each in refs if each.startswith("refs/heads/")]
        trees = checked_out(self._repository) if branches else {}
        return {each: trees[each] for each in branches if each in trees}

    def fetch(self, *patterns: str) -> dict[str, str]:
        """The refs that match now. A pattern is a full ref name, or starts one and ends in `*`."""
        return self.list(*patterns)

    def deepen(self, amount: str, *patterns: str) -> dict[str, str]:
        """The refs that match now: there is nowhere to get more history from."""
        return self.list(*patterns)

    def list(self, *patterns: str) -> dict[str, str]:
        """The refs that match now."""
        found = {}
        places = [each.rpartition("/")[0] if each.endswith("*") else each for each in patterns if each != "HEAD"]
        if places:
            listing = self._repository.checked("for-each-ref", "--format=%(objectname) %(refname)", "--", *places)
            for line in listing.decode(errors="surrogateescape").splitlines():
                oid, _, ref = line.partition(" ")
                if any(matches(ref, pattern) for pattern in patterns):
                    found[ref] = oid
        head = self._repository.resolve("HEAD") if "HEAD" in patterns else None
        return {**found, "HEAD": head} if head else found

    def fetch_object(self, oid: str) -> bool:
        """Whether the repository has a commit of that id: there is nowhere else to ask."""
        return self._repository.resolve(oid) is not None

    def default_branch(self) -> str | None:
        """The full name of the branch that HEAD names, or None when HEAD is detached."""
        result = self._repository.git("symbolic-ref", "--quiet", "HEAD")
        return result.stdout.decode().strip() or None if result.code == 0 else None


def _line(update: RefUpdate, nothing: str) -> str:
    expected = update.expected or nothing
    if update.new is None:
        return f"delete {update.ref} {expected}" if update.expected else f"verify {update.ref} {nothing}"
    return f"update {update.ref} {update.new} {expected}"


def _made(update: RefUpdate) -> RefStatus:
    return RefStatus.UNCHANGED if update.new == update.expected else RefStatus.MOVED


def _reason(result: GitResult) -> str:
    lines = result.stderr.splitlines()
    return lines[-1] if lines else "refused"
