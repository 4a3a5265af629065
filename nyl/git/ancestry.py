"""Whether a commit is reachable from refs or older than another one, in complete and in shallow clones."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from nyl.core.dataclass import dataclass
from nyl.git.repository import Repository
from nyl.git.updates import RefStore

_DEEPENINGS = ("--deepen=100", "--deepen=2000", "--unshallow")


@dataclass(frozen=True)
class Reachability:
    """The answer, and the refs that were found and searched, with their commits."""

    is_reachable: bool
    searched: Mapping[str, str]

    def __bool__(self) -> bool:
        return self.is_reachable


def is_reachable(
    repository: Repository,
    remote: RefStore,
    commit: str,
    refs: Iterable[str],
    tips: Mapping[str, str] | None = None,
) -> Reachability:
    """Whether `commit` is one of the given full refs of the remote, or an ancestor of one.

    `tips` are the refs as they were read just now, which saves the fetch. A shallow clone is deepened as far as the
    answer needs; a complete one never becomes shallow. Raises NylError (NYL-REMOTE-UNAVAILABLE) when the remote does
    not answer, rather than guessing.
    """
    patterns = tuple(refs)
    searched = dict(tips) if tips is not None else remote.fetch(*patterns)
    if is_ancestor(repository, commit, searched.values()):
        return Reachability(True, searched)
    for searched in _deepened(repository, remote, patterns):
        if is_ancestor(repository, commit, searched.values()):
            return Reachability(True, searched)
    return Reachability(False, searched)


def is_ancestor(repository: Repository, commit: str, tips: Iterable[str]) -> bool:
    """Whether `commit` is one of the tips or an ancestor of one, by the history that is here.

    A yes is always true; in a shallow clone a no only means that the history here does not show it.
    """
    known = tuple(dict.fromkeys(tips))
    if commit in known:
        return True
    if not known or repository.resolve(commit) is None:
        return False
    # What the tips lead to is left out, so a commit that is not printed is reachable from one of them.
    left = repository.checked("rev-list", "--max-count=1", commit, "--not", *known)
    return not left.strip()


def precedes(repository: Repository, remote: RefStore, commit: str, other: str, refs: Sequence[str]) -> bool | None:
    """Whether a commit is an ancestor of another one; None when nobody has the other one.

    A shallow clone is deepened from the refs as far as the answer needs. The other commit is asked for by its id only
    then: with one that is older, all of its history would come. Raises NylError (NYL-REMOTE-UNAVAILABLE) when the
    remote does not answer.
    """
    answer = _order(repository, commit, other)
    deepened = _deepened(repository, remote, refs)
    while answer is None and next(deepened, None) is not None:
        answer = _order(repository, commit, other)
    if answer is None and fetch_commit(repository, remote, other):
        answer = is_ancestor(repository, commit, [other])
    return answer


def fetch_commit(repository: Repository, remote: RefStore, commit: str) -> bool:
    """Makes a commit available: already here, by its id, or through branches and tags. False when none leads to it.

    Raises NylError (NYL-REMOTE-UNAVAILABLE) when the remote does not answer.
    """
    if repository.resolve(commit) is not None or remote.fetch_object(commit):
        return True
    remote.fetch("refs/heads/*", "refs/tags/*")
    return repository.resolve(commit) is not None


def _deepened(repository: Repository, remote: RefStore, refs: Sequence[str]) -> Iterator[dict[str, str]]:
    """The refs and their commits, each time that a shallow clone got more of their history."""
    for amount in _DEEPENINGS:
        if not repository.is_shallow:
            return
        yield remote.deepen(amount, *refs)


def _order(repository: Repository, commit: str, other: str) -> bool | None:
    """Whether a commit is an ancestor of another one, rather than the reverse; None when neither is seen here."""
    if repository.resolve(other) is None:
        return None
    if is_ancestor(repository, commit, [other]):
        return True
    return False if is_ancestor(repository, other, [commit]) else None
