"""Publishing a rendered tree: one commit on the branch head that was read, pushed only if the head is still there."""

from collections.abc import Callable, Iterator

import nyl
from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.git.updates import always
from nyl.kubernetes.index import IndexOwner, decode, encode
from nyl.kubernetes.layout import INDEX_PATH
from nyl.kubernetes.publication.branch import BranchPlace, PublishedFolder
from nyl.kubernetes.publication.landing import Committer, land
from nyl.kubernetes.publication.message import publication_message
from nyl.kubernetes.tree import RenderedTree
from nyl.kubernetes.tree_changes import Present
from nyl.kubernetes.tree_update import TreeUpdate, foreign_tree, tree_update

_RESERVED = (".git", ".github")
"""Folders at the root of a branch that hosts act on: a tree is data and never put there."""


def published_update(tree: RenderedTree, published: PublishedFolder, owner: IndexOwner | None = None) -> TreeUpdate:
    """What publishing a tree would change. `owner` is the unit that owns the tree afterwards.

    Raises NYL-TREE-INDEX, NYL-TREE-FOREIGN where the prefix is another target's or overlaps its, and NYL-PATH-REFUSED.
    """
    _check_paths(tree, published.place)
    for folder, other in _overlapping(published):
        if other != tree.target.name:
            raise foreign_tree(f"{folder or 'The root'} on {published.place}", other, tree.target)
    index = published.index
    owned = index.files if index else {}
    digests = published.digests(tree.files.keys() | owned.keys(), tree.files)
    present = Present([path for path in published.entries if path != INDEX_PATH], digests)
    place = f"{published.place.prefix or 'the root'} on {published.place}"
    return tree_update(tree, index, present, place, owner)


def publish(
    tree: RenderedTree,
    update: TreeUpdate,
    published: PublishedFolder,
    committer: Committer,
    go_on: Callable[[], bool] = always,
) -> str | None:
    """Commits an update that was checked, and pushes it; the commit, or None where there is nothing to change.

    `go_on` is asked whether to push again where a push was not answered.

    Raises NYL-PUBLISH-OUTPACED where the branch moved meanwhile, NYL-PUSH-REFUSED and NYL-REMOTE-UNAVAILABLE.
    """
    if update.is_empty:
        return None
    changes: dict[str, bytes | None] = dict.fromkeys(update.changes.removed)
    changes |= tree.contents.read_many(update.changes.written)
    if update.writes_index:
        changes[INDEX_PATH] = encode(update.index)
    return land(published, changes, publication_message(tree, update.changes, nyl.__version__), committer, go_on)


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
