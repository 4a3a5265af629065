"""What a rendered tree changes of what lies below its prefix, and what speaks against that: a decision over plain data.

Follows Ownership index of the page Rendered Layout: what no index names is left alone, and a change to what an index
names is nyl's alone to make.
"""

from collections.abc import Collection, Iterator, Mapping
from enum import StrEnum

from nyl.core.dataclass import dataclass
from nyl.kubernetes.collisions import folded

NOT_A_FILE = ""
"""Stands for the digest of a symlink, a folder or a file with another mode than nyl's, where a file should be."""


class EditKind(StrEnum):
    """What was done to an indexed file outside nyl."""

    CHANGED = "changed"
    REMOVED = "removed"
    REPLACED = "replaced by what is no ordinary file"


_EDITS = {None: EditKind.REMOVED, NOT_A_FILE: EditKind.REPLACED}


@dataclass(frozen=True, order=True)
class Edit:
    """An indexed file that is not as nyl left it."""

    path: str
    kind: EditKind

    def __str__(self) -> str:
        return f"{self.path} ({self.kind})"


@dataclass(frozen=True, order=True)
class Obstacle:
    """A file that the tree does not own, where it has to write, or where no disk without case tells them apart."""

    path: str
    """The file or folder of the tree."""
    unowned: str

    def __str__(self) -> str:
        return self.unowned if self.path == self.unowned else f"{self.unowned} (in the way of {self.path})"


@dataclass(frozen=True)
class Wanted:
    """What is to be below the prefix. Digests are SHA-256 in hex."""

    files: Mapping[str, str]
    """Path -> digest."""
    adopted: Collection[str] = frozenset()
    """Those of `files` that the tree takes over from whoever wrote them: carried state files."""
    read_state: frozenset[str] = frozenset()
    """What is only read now: where the tree owned it, it stays without an owner."""
    suspended: frozenset[str] = frozenset()
    """What stays as it is, owned, where the tree owned it."""


@dataclass(frozen=True)
class Present:
    """What is below the prefix now, its indexes aside."""

    paths: Collection[str]
    """Every file."""
    digests: Mapping[str, str]
    """Those of the wanted and the owned paths that are there -> digest, or NOT_A_FILE."""


@dataclass(frozen=True)
class TreeChanges:
    """What is to be done. Every list is sorted."""

    files: Mapping[str, str]
    """What the tree owns afterwards: path -> digest."""
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    edits: tuple[Edit, ...] = ()
    obstacles: tuple[Obstacle, ...] = ()

    @property
    def written(self) -> tuple[str, ...]:
        """The files to write."""
        return tuple(sorted((*self.added, *self.changed)))

    @property
    def is_empty(self) -> bool:
        """Whether no file has to be written or removed."""
        return not (self.added or self.changed or self.removed)


def tree_changes(wanted: Wanted, owned: Mapping[str, str], present: Present) -> TreeChanges:
    """What makes `wanted` of what is there. `owned` is what the index names, path -> digest."""
    digests = present.digests
    suspended = wanted.suspended & owned.keys() - wanted.files.keys()
    files = {**wanted.files, **{path: digests[path] for path in suspended if digests.get(path)}}
    written = {path for path, digest in wanted.files.items() if digests.get(path) != digest}
    gone = owned.keys() - files.keys() - wanted.read_state - suspended
    unowned = [path for path in present.paths if path not in owned and path not in wanted.adopted]
    return TreeChanges(
        files,
        tuple(sorted(written - owned.keys())),
        tuple(sorted(written & owned.keys())),
        tuple(sorted(path for path in gone if path in digests)),
        tuple(sorted(edits_of(owned, digests))),
        tuple(sorted(set(_obstacles(written | (files.keys() - owned.keys()), unowned)))),
    )


def settled(owned: Mapping[str, str], pending: Mapping[str, str], digests: Mapping[str, str]) -> dict[str, str]:
    """What a tree owns whose writer was interrupted on the way from `owned` to `pending`.

    A file that is as either of them has it is as nyl left it; any other keeps the digest that it should have.
    """
    found: dict[str, str] = {}
    for path in owned.keys() | pending.keys():
        accepted = {each[path] for each in (owned, pending) if path in each}
        digest = digests.get(path)
        if digest in accepted:
            found[path] = str(digest)
        elif digest is not None or (path in owned and path in pending):
            found[path] = owned.get(path) or pending[path]
    return found


def edits_of(owned: Mapping[str, str], digests: Mapping[str, str]) -> Iterator[Edit]:
    """The owned files whose digests are not what the index names."""
    for path, digest in owned.items():
        found = digests.get(path)
        if found != digest:
            yield Edit(path, _EDITS.get(found, EditKind.CHANGED))


def _obstacles(claimed: Collection[str], unowned: Collection[str]) -> Iterator[Obstacle]:
    if not unowned:
        return
    files = {folded(path): path for path in claimed}
    folders = {folded(folder): folder for path in claimed for folder in _folders(path)}
    for path in unowned:
        taken = files.get(folded(path)) or folders.get(folded(path))
        if taken is not None:
            yield Obstacle(taken, path)
            continue
        for folder in _folders(path):
            key = folded(folder)
            if key in files or folders.get(key, folder) != folder:
                yield Obstacle(files.get(key) or folders[key], path)
                break


def _folders(path: str) -> Iterator[str]:
    end = path.find("/")
    while end >= 0:
        yield path[:end]
        end = path.find("/", end + 1)
