"""The artifact `tree` of a publication: which commit of which branch holds it."""

from collections.abc import Mapping
from typing import Any

from nyl.core.canonical import digest_bytes
from nyl.kubernetes.index import encode
from nyl.kubernetes.layout import INDEX_PATH
from nyl.kubernetes.publication.branch import PublishedFolder
from nyl.kubernetes.resources import DeploymentTarget
from nyl.kubernetes.tree_update import TreeUpdate
from nyl.units.source_project import SourceProject

TREE = "tree"
"""The artifact's name."""

_PLACE = ("repository", "branch", "pathPrefix")
_WHICH = (*_PLACE, "indexDigest")


def published_tree(
    target: DeploymentTarget,
    source: SourceProject,
    published: PublishedFolder,
    update: TreeUpdate,
    commit: str | None,
    before: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """The artifact after a publication that made `commit`, None where nothing changed.

    An unchanged tree keeps the commit of `before`, the artifact of the last receipt, whatever else the branch got.
    """
    repository = target.publication.repository
    found = {
        "apiVersion": "artifacts.gitops.nyl/v1",
        "kind": "PublishedTree",
        "repository": repository.url if repository else source.own_url,
        "branch": published.place.branch,
        "pathPrefix": published.place.prefix,
        "commit": commit or published.commit,
        "indexDigest": index_digest(published) if not update.writes_index else digest_bytes(encode(update.index)),
    }
    is_same = commit is None and before is not None and all(before.get(each) == found[each] for each in _WHICH)
    return {**found, "commit": before["commit"]} if is_same and before and "commit" in before else found


def former_place(artifact: Mapping[str, Any], before: Mapping[str, Any] | None) -> str | None:
    """Where the tree of the last receipt is, if that is another place than that of an artifact."""
    if before is None or all(before.get(each) == artifact[each] for each in _PLACE):
        return None
    repository, branch, prefix = (before.get(each) for each in _PLACE)
    return f"{prefix or 'the root'} on {branch} of {repository or 'the project itself'}"


def index_digest(published: PublishedFolder) -> str | None:
    """The digest of the index that is published; None where there is none."""
    data = published.read(INDEX_PATH)
    return None if data is None else digest_bytes(data)
