"""What was read of a source tree: whether another tree would give the same, so that what was made of it still holds."""

import hashlib
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from nyl.core.dataclass import dataclass
from nyl.project.trees import WholeTree

if TYPE_CHECKING:
    from nyl.git.trees import TreeEntry


@dataclass(frozen=True)
class TreeReads:
    """What some tree answered. What was looked for and is not there counts as read too."""

    entries: Mapping[str, str]
    """Path -> the entry there, '' for none."""
    folders: Mapping[str, str]
    """Folder -> digest of everything below it."""
    names: Mapping[str, str]
    """Suffix of names -> digest of the files of the project that have it."""

    def hold_in(self, tree: WholeTree) -> bool:
        """Whether a tree answers the same."""
        return (
            all(_entry(tree, path) == known for path, known in self.entries.items())
            and all(_below(tree, folder) == known for folder, known in self.folders.items())
            and all(_named(tree, suffix) == known for suffix, known in self.names.items())
        )

    @property
    def plain(self) -> list[Mapping[str, str]]:
        """The same as plain data."""
        return [self.entries, self.folders, self.names]

    @classmethod
    def of(cls, plain: Any) -> "TreeReads":
        """The reads that plain data says. Raises TypeError and ValueError for what says none."""
        entries, folders, names = (dict(each) for each in plain)
        return cls(entries, folders, names)


class RecordingTree:
    """A tree that takes note of everything that it is asked. Safe to use from several threads."""

    def __init__(self, tree: WholeTree) -> None:
        self._tree = tree
        self.name = tree.name
        self.project_folder = tree.project_folder
        self._entries: dict[str, str] = {}
        self._folders: dict[str, str] = {}
        self._names: dict[str, str] = {}

    @property
    def reads(self) -> TreeReads:
        """What it was asked so far, with the answers."""
        return TreeReads(dict(self._entries), dict(self._folders), dict(self._names))

    def files(self, suffixes: tuple[str, ...]) -> Mapping[str, str]:
        """As the tree's."""
        for suffix in suffixes:
            self._names[suffix] = _named(self._tree, suffix)
        return self._tree.files(suffixes)

    def read_many(self, paths: Collection[str]) -> dict[str, bytes]:
        """As the tree's."""
        for path in paths:
            self._entries[path] = _entry(self._tree, path)
        return self._tree.read_many(paths)

    def entry(self, path: str) -> "TreeEntry | None":
        """As the tree's."""
        self._entries[path] = _entry(self._tree, path)
        return self._tree.entry(path)

    def under(self, folder: str) -> "Iterator[tuple[str, TreeEntry]]":
        """As the tree's."""
        if folder not in self._folders:
            self._folders[folder] = _below(self._tree, folder)
        return self._tree.under(folder)


def _entry(tree: WholeTree, path: str) -> str:
    found = tree.entry(path)
    return f"{found.mode} {found.oid}" if found is not None else ""


def _below(tree: WholeTree, folder: str) -> str:
    return _digest(f"{entry.mode} {entry.oid} {path}" for path, entry in tree.under(folder))


def _named(tree: WholeTree, suffix: str) -> str:
    return _digest(f"{identity} {path}" for path, identity in sorted(tree.files((suffix,)).items()))


def _digest(lines: Iterator[str]) -> str:
    return hashlib.sha256("\0".join(lines).encode(errors="surrogateescape")).hexdigest()
