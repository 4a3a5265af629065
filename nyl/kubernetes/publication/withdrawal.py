"""Taking a published tree off its branch: its child Applications first, then everything that its index names.

Follows Publication teardown waits of the page Deletion and holds. What no index names is left alone, and so is a file
that somebody changed.
"""

import posixpath
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

import nyl
from nyl.core.counts import counted
from nyl.core.dataclass import dataclass
from nyl.kubernetes.index import Index, encode
from nyl.kubernetes.layout import CATALOG_FOLDER, INDEX_PATH
from nyl.kubernetes.publication.branch import PublishedFolder
from nyl.kubernetes.publication.landing import Committer, land
from nyl.kubernetes.publication.message import with_trailers
from nyl.kubernetes.tree_changes import Edit, EditKind, edits_of
from nyl.kubernetes.yaml_reading import read_manifests

_APPLICATIONS = f"{CATALOG_FOLDER}/application.argoproj.io/"


@dataclass(frozen=True, order=True)
class ChildApplication:
    """An Application of a tree's catalog that brings about a part of the tree."""

    namespace: str
    name: str
    path: str
    """Below the prefix."""

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"


@dataclass(frozen=True)
class Withdrawal:
    """What is taken off a branch."""

    removed: tuple[str, ...]
    """Files that go, sorted."""
    index: Index | None
    """The index afterwards; None where it goes with the rest."""


def child_applications(published: PublishedFolder) -> tuple[ChildApplication, ...]:
    """The Applications that a published catalog holds, without the one that syncs the catalog itself.

    Raises NYL-TREE-INDEX, and what is wrong with the YAML of a file.
    """
    index = published.index
    paths = [path for path in index.files if path.startswith(_APPLICATIONS)] if index else []
    catalog = posixpath.join(published.place.prefix, CATALOG_FOLDER)
    found = []
    for path, content in published.read_many(paths).items():
        for each in read_manifests(content.decode(errors="replace"), path):
            if _source_path(each.value) != catalog:
                metadata = each.value.get("metadata") or {}
                found.append(ChildApplication(str(metadata.get("namespace")), str(metadata.get("name")), path))
    return tuple(sorted(found))


def withdrawal_of_applications(index: Index, children: Collection[ChildApplication]) -> Withdrawal:
    """What takes some Applications off a tree, so that the catalog removes them from the cluster."""
    paths = sorted({each.path for each in children})
    rest = {path: digest for path, digest in index.files.items() if path not in paths}
    return Withdrawal(tuple(paths), replace(index, files=rest))


def withdrawal_of_tree(index: Index, digests: Mapping[str, str]) -> Withdrawal:
    """What takes a whole tree off its branch, but for the files that somebody changed.

    `digests` are those of the indexed files that are there.
    """
    kept = {each.path for each in changed_files(index, digests)}
    return Withdrawal(tuple(sorted(path for path in index.files if path in digests and path not in kept)), None)


def changed_files(index: Index, digests: Mapping[str, str]) -> tuple[Edit, ...]:
    """The indexed files that are there and not as nyl left them; one that is gone already is as good as removed."""
    return tuple(sorted(each for each in edits_of(index.files, digests) if each.kind is not EditKind.REMOVED))


def withdraw(
    published: PublishedFolder, withdrawal: Withdrawal, target: str, committer: Committer, go_on: Callable[[], bool]
) -> str:
    """Commits and pushes a withdrawal; gives the commit. `go_on` is asked whether to push again without an answer.

    Raises NYL-PUBLISH-OUTPACED where the branch moved meanwhile, NYL-PUSH-REFUSED and NYL-REMOTE-UNAVAILABLE.
    """
    after = withdrawal.index
    changes: dict[str, bytes | None] = dict.fromkeys(withdrawal.removed)
    changes[INDEX_PATH] = encode(after) if after is not None else None
    return land(published, changes, _message(withdrawal, target), committer, go_on)


def _message(withdrawal: Withdrawal, target: str) -> str:
    count = len(withdrawal.removed)
    if withdrawal.index is None:
        headline, told = f"nyl: remove the tree of {target}", f"{counted(count, 'file')} removed"
    else:
        headline, told = f"nyl: remove the Applications of {target}", f"{counted(count, 'Application')} removed"
    return with_trailers([headline, "", told], {"Nyl-Target": target, "Nyl-Version": nyl.__version__})


def _source_path(application: Mapping[str, Any]) -> str | None:
    spec = application.get("spec")
    source = spec.get("source") if isinstance(spec, Mapping) else None
    path = source.get("path") if isinstance(source, Mapping) else None
    return path if isinstance(path, str) else None
