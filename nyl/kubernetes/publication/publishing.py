"""Publishing a rendered tree: one commit on the branch head that was read, pushed only if the head is still there."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import nyl
from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.core.faults import point
from nyl.git.ancestry import is_ancestor
from nyl.git.commits import CommitSpec, CommitWriter
from nyl.git.config import Identity
from nyl.git.updates import PushResult, RefUpdate
from nyl.kubernetes.index import decode, encode
from nyl.kubernetes.layout import INDEX_PATH
from nyl.kubernetes.publication.branch import BranchPlace, PublishedFolder, remember_head
from nyl.kubernetes.publication.message import publication_message
from nyl.kubernetes.tree import RenderedTree
from nyl.kubernetes.tree_changes import Present
from nyl.kubernetes.tree_update import TreeUpdate, foreign_tree, tree_update

_RESERVED = (".git", ".github")
"""Folders at the root of a branch that hosts act on: a tree is data and never put there."""


@dataclass(frozen=True)
class Committer:
    """Who commits, and when, in seconds since the epoch."""

    identity: Identity
    seconds: int


def published_update(tree: RenderedTree, published: PublishedFolder) -> TreeUpdate:
    """What publishing a tree would change.

    Raises NYL-TREE-INDEX, NYL-TREE-FOREIGN where the prefix is another target's or overlaps its, and NYL-PATH-REFUSED.
    """
    _check_paths(tree, published.place)
    for folder, owner in _overlapping(published):
        if owner != tree.target.name:
            raise foreign_tree(f"{folder or 'The root'} on {published.place}", owner, tree.target)
    index = published.index
    owned = index.files if index else {}
    digests = published.digests(tree.files.keys() | owned.keys(), tree.files)
    present = Present([path for path in published.entries if path != INDEX_PATH], digests)
    return tree_update(tree, index, present, f"{published.place.prefix or 'the root'} on {published.place}")


def publish(tree: RenderedTree, update: TreeUpdate, published: PublishedFolder, committer: Committer) -> str | None:
    """Commits an update that was checked, and pushes it; the commit, or None where there is nothing to change.

    Raises NYL-PUBLISH-OUTPACED where the branch moved meanwhile, NYL-PUSH-REFUSED and NYL-REMOTE-UNAVAILABLE.
    """
    if update.is_empty:
        return None
    place = published.place
    commit = _commit(tree, update, published, committer)
    point("after publication commit")
    result = place.refs.push([RefUpdate(place.ref, commit, published.commit)])
    point("after publication push")
    if not result.accepted and not _arrived(place, commit):
        raise _failed(place, published.commit, result)
    remember_head(place, commit)
    return commit


def _arrived(place: BranchPlace, commit: str) -> bool:
    """Whether the branch has a commit after all, though the push that brought it there was not answered."""
    tip = place.refs.fetch(place.ref).get(place.ref)
    return tip is not None and is_ancestor(place.refs.repository, commit, [tip])


def _commit(tree: RenderedTree, update: TreeUpdate, published: PublishedFolder, committer: Committer) -> str:
    place = published.place
    folder = f"{place.prefix}/" if place.prefix else ""
    changes: dict[str, bytes | None] = {folder + path: None for path in update.changes.removed}
    changes |= {folder + path: content for path, content in tree.contents.read_many(update.changes.written).items()}
    if update.writes_index:
        changes[folder + INDEX_PATH] = encode(update.index)
    parents = (published.commit,) if published.commit else ()
    message = publication_message(tree, update.changes, nyl.__version__)
    spec = CommitSpec(message.encode(), committer.identity, committer.seconds, parents, changes)
    return CommitWriter(place.refs.repository).write([spec])[0]


def _check_paths(tree: RenderedTree, place: BranchPlace) -> None:
    paths = [place.prefix] if place.prefix else tree.files
    for path in paths:
        if path.split("/")[0].lower() in _RESERVED:
            raise NylError(
                Code.PATH_REFUSED,
                f"{path} of DeploymentTarget {tree.target.name} lies below a folder that Git hosts act on.",
                "publish below another publication.pathPrefix",
                location=tree.target.location,
            )


def _overlapping(published: PublishedFolder) -> Iterator[tuple[str, str]]:
    """The trees above and below the prefix: folder and target."""
    prefix = published.place.prefix
    parts = prefix.split("/") if prefix else []
    for count in range(len(parts)):
        folder = "/".join(parts[:count])
        data = published.read_above(folder, INDEX_PATH)
        if data is not None:
            yield folder, decode(data, f"{folder}/{INDEX_PATH}".lstrip("/")).target
    below = [path for path in published.entries if path.endswith(f"/{INDEX_PATH}")]
    for path, data in published.read_many(below).items():
        folder = f"{prefix}/{path}".strip("/").removesuffix(f"/{INDEX_PATH}")
        yield folder, decode(data, f"{folder}/{INDEX_PATH}").target


def _failed(place: BranchPlace, expected: str | None, result: PushResult) -> NylError:
    found = place.refs.fetch(place.ref).get(place.ref)
    if found != expected:
        return NylError(
            Code.PUBLISH_OUTPACED,
            f"Somebody else moved {place} from {expected or 'nothing'} to {found or 'nothing'} meanwhile; "
            "nothing was published.",
            "run the command again: it renders from what is there now",
        )
    if not result.answered:
        return NylError(
            Code.REMOTE_UNAVAILABLE,
            f"{place.refs.description} did not answer the push to {place.branch}, which is as it was: {result.text}",
            "check the network and the credentials, then run the command again",
        )
    said = "; ".join(dict.fromkeys(each for each in _said(place.ref, result.reasons, result.text) if each))
    return NylError(
        Code.PUSH_REFUSED,
        f"{place.refs.description} refused to update {place.ref}{f' and said: {said}' if said else ''}. "
        "Nothing was published.",
        f"let this runner push to {place.ref} (a bypass of the rule; `contents: write` in GitHub Actions)",
    )


def _said(ref: str, reasons: Mapping[str, str], text: str) -> Iterator[str]:
    yield reasons.get(ref, "").rstrip(".")
    yield from (line.strip().rstrip(".") for line in text.splitlines())
