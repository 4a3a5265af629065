"""Changing a published folder: one commit on the branch head that was read, pushed only if that is still the head."""

from collections.abc import Callable, Iterator, Mapping

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.core.faults import point
from nyl.git.ancestry import is_ancestor
from nyl.git.commits import CommitSpec, CommitWriter
from nyl.git.config import Identity
from nyl.git.obstacles import obstacle
from nyl.git.updates import PushResult, RefUpdate, always
from nyl.kubernetes.publication.branch import BranchPlace, PublishedFolder, remember_head


@dataclass(frozen=True)
class Committer:
    """Who commits, and when, in seconds since the epoch."""

    identity: Identity
    seconds: int


def land(
    published: PublishedFolder,
    changes: Mapping[str, bytes | None],
    message: str,
    committer: Committer,
    go_on: Callable[[], bool] = always,
) -> str:
    """Commits changes below the prefix, by path: None removes a file. Gives the commit, which is on the branch.

    `go_on` is asked whether to push again where a push was not answered.

    Raises NYL-PUBLISH-OUTPACED where the branch moved meanwhile, NYL-PUSH-REFUSED, NYL-REMOTE-UNAVAILABLE, and
    NYL-PUBLISH-UNKNOWN where nobody can tell whether the push arrived. Only after the latter the branch may have moved.
    """
    place = published.place
    folder = f"{place.prefix}/" if place.prefix else ""
    parents = (published.commit,) if published.commit else ()
    below = {folder + path: content for path, content in changes.items()}
    spec = CommitSpec(message.encode(), committer.identity, committer.seconds, parents, below)
    commit = CommitWriter(place.refs.repository).write([spec])[0]
    point("after publication commit")
    result = place.refs.push([RefUpdate(place.ref, commit, published.commit)], go_on)
    point("after publication push")
    if not result.accepted and not _arrived(place, commit, result):
        raise _failed(place, published.commit, result)
    remember_head(place, commit)
    return commit


def _arrived(place: BranchPlace, commit: str, result: PushResult) -> bool:
    """Whether the branch has a commit after all, though the push that brought it there was not answered."""
    try:
        tip = place.refs.fetch(place.ref).get(place.ref)
    except NylError as error:
        if result.answered and result.tries == 1:
            raise
        raise _unknown(place, commit, error) from error
    return tip is not None and is_ancestor(place.refs.repository, commit, [tip])


def _unknown(place: BranchPlace, commit: str, error: NylError) -> NylError:
    return NylError(
        Code.PUBLISH_UNKNOWN,
        f"Nobody can tell whether commit {commit} arrived at {place}, as the remote fell silent while it was pushed: "
        f"{error.diagnostic.message}",
        f"{error.diagnostic.fix}; then run the command again: it goes on from what is there",
    )


def _failed(place: BranchPlace, expected: str | None, result: PushResult) -> NylError:
    found = place.refs.fetch(place.ref).get(place.ref)
    if found != expected:
        return NylError(
            Code.PUBLISH_OUTPACED,
            f"Somebody else moved {place} from {expected or 'nothing'} to {found or 'nothing'} meanwhile; "
            "nothing was published.",
            "run the command again: it renders from what is there now",
        )
    met = obstacle(result)
    if not result.answered and met is None:
        return NylError(
            Code.REMOTE_UNAVAILABLE,
            f"{place.refs.description} did not answer the push to {place.branch}, which is as it was: {result.text}",
            "check the network and the credentials, then run the command again",
        )
    said = "; ".join(dict.fromkeys(each for each in _said(place.ref, result.reasons, result.text) if each))
    return NylError(
        Code.PUSH_REFUSED,
        f"{place.refs.description} refused to update {place.ref}{f' and said: {said}' if said else ''}. "
        f"Nothing was published.{f' {met.why}' if met else ''}",
        f"publish to another {'repository' if met.of_repository else 'branch or repository'}, or {met.fix}"
        if met
        else f"let this runner push to {place.ref} (a bypass of the rule; `contents: write` in GitHub Actions)",
    )


def _said(ref: str, reasons: Mapping[str, str], text: str) -> Iterator[str]:
    yield reasons.get(ref, "").rstrip(".")
    yield from (line.strip().rstrip(".") for line in text.splitlines())
