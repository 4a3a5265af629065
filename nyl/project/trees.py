"""Where a project's files are read from: a commit, or the working tree."""

import os
import stat
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from nyl.core.canonical import digest_bytes
from nyl.core.codes import Code
from nyl.core.diagnostics import Location, NylError

if TYPE_CHECKING:
    from nyl.git.objects import ObjectReader
    from nyl.git.status import Changed
    from nyl.git.trees import TreeEntry, TreeListing

_REGULAR = ("100644", "100755")
_SYMLINK = "120000"


class SourceTree(Protocol):
    """The Git-visible files of a project. Paths are relative to the root of the repository, with `/`."""

    name: str
    """What messages call the tree: `the working tree`, or `commit <id>`."""

    project_folder: str
    """The folder that holds nyl.toml; '' is the root."""

    def files(self, suffixes: tuple[str, ...]) -> Mapping[str, str]:
        """The regular files below the project's folder whose names end with one of `suffixes`.

        Path to identity: the id of the file's blob, or a digest of its bytes where Git has no blob of it. Raises
        NYL-FILE-INACCESSIBLE.
        """

    def read_many(self, paths: Collection[str]) -> dict[str, bytes]:
        """The contents of some files. Raises NYL-FILE-INACCESSIBLE for one that cannot be read."""


class WholeTree(SourceTree, Protocol):
    """The Git-visible files of the whole repository that a project lies in."""

    def entry(self, path: str) -> "TreeEntry | None":
        """The file, symlink or submodule at a path of the whole repository; None for folders and for nothing.

        Its `oid` is the identity that `files` gives.
        """

    def under(self, folder: str) -> "Iterator[tuple[str, TreeEntry]]":
        """Everything below a folder of the whole repository, sorted by path; '' is its root."""


class CommitTree:
    """The files of a commit."""

    def __init__(
        self, reader: "ObjectReader", commit: str, project_folder: str, listing: "TreeListing | None" = None
    ) -> None:
        """`listing` is the commit's whole tree, where it was read already."""
        self.name = f"commit {commit[:12]}"
        self.commit = commit
        self.project_folder = project_folder
        self._reader = reader
        self._listing = listing

    @cached_property
    def entries(self) -> "TreeListing":
        """Every entry of the commit's tree, that of the whole repository; it is read once."""
        return self._listing if self._listing is not None else self._reader.tree(self.commit)

    def files(self, suffixes: tuple[str, ...]) -> Mapping[str, str]:
        """The ids of the blobs of the regular files below the project's folder with one of some suffixes."""
        prefix = f"{self.project_folder}/" if self.project_folder else ""
        found = self.entries.ending_with(suffixes)
        return {path: entry.oid for path, entry in found if path.startswith(prefix) and entry.mode in _REGULAR}

    def read_many(self, paths: Collection[str]) -> dict[str, bytes]:
        """The contents of some files. Raises NYL-FILE-INACCESSIBLE for a path that is no file of the commit."""
        oids = {path: self._oid(path) for path in paths}
        found = self._reader.read_many(oids.values())
        return {path: found[oid] for path, oid in oids.items()}

    def entry(self, path: str) -> "TreeEntry | None":
        """The entry at a path of the commit."""
        return self.entries.find(path)

    def under(self, folder: str) -> "Iterator[tuple[str, TreeEntry]]":
        """Everything below a folder of the commit."""
        return self.entries.under(folder)

    def _oid(self, path: str) -> str:
        entry = self.entries.get(path)
        if entry is None or entry.mode not in _REGULAR:
            raise _unreadable(path, f"it is not a regular file of {self.name}")
        return entry.oid


class WorktreeTree:
    """The files of the working tree: those of HEAD, with what changed since laid over them.

    Unchanged files are known by the ids of their blobs and read from Git, so that a clean working tree shares every
    cached document with its commit, and a sparse checkout misses none.
    """

    def __init__(
        self, root: Path, base: CommitTree | None, changed: "Mapping[str, Changed]", project_folder: str
    ) -> None:
        """`base` is the tree of HEAD, None before the first commit; `changed` as `nyl.git.status` tells it."""
        self.name = "the working tree"
        self.project_folder = project_folder
        self._root = root
        self._base = base
        self._changed = frozenset(changed)
        self._laid: dict[str, TreeEntry | None] = {}
        self._contents: dict[str, bytes] = {}

    def files(self, suffixes: tuple[str, ...]) -> Mapping[str, str]:
        """The files with one of some suffixes. Raises NYL-FILE-INACCESSIBLE for a changed file that cannot be read."""
        base = self._base.files(suffixes) if self._base else {}
        found = {path: oid for path, oid in base.items() if path not in self._changed}
        prefix = f"{self.project_folder}/" if self.project_folder else ""
        for path in sorted(self._changed):
            if path.endswith(suffixes) and path.startswith(prefix) and _is_file(self._root / path):
                found[path] = digest_bytes(self._content(path))
        return found

    def read_many(self, paths: Collection[str]) -> dict[str, bytes]:
        """The contents of some files, changed ones as they are on disk."""
        unchanged = [path for path in paths if self._base is not None and path not in self._changed]
        result = self._base.read_many(unchanged) if self._base is not None and unchanged else {}
        result.update({path: self._content(path) for path in paths if path not in result})
        return result

    def entry(self, path: str) -> "TreeEntry | None":
        """The entry at a path. Raises NYL-FILE-INACCESSIBLE for a changed file that cannot be read."""
        if path not in self._changed:
            return self._base.entry(path) if self._base else None
        if path not in self._laid:
            self._laid[path] = self._on_disk(path)
        return self._laid[path]

    def under(self, folder: str) -> "Iterator[tuple[str, TreeEntry]]":
        """Everything below a folder; what changed is as it is on disk."""
        prefix = f"{folder}/" if folder else ""
        changed = [path for path in self._changed if path.startswith(prefix)]
        kept = self._base.under(folder) if self._base else iter(())
        if not changed:
            yield from kept
            return
        found = {path: entry for path, entry in kept if path not in self._changed}
        found.update({path: entry for path in changed if (entry := self.entry(path)) is not None})
        yield from sorted(found.items())

    def _on_disk(self, path: str) -> "TreeEntry | None":
        from nyl.git.trees import TreeEntry

        target = self._root / path
        if _is_file(target):
            identity = digest_bytes(self._content(path))
            return TreeEntry("100755" if os.access(target, os.X_OK) else "100644", identity)
        if target.is_symlink():
            return TreeEntry(_SYMLINK, digest_bytes(os.fsencode(target.readlink())))
        return None

    def _content(self, path: str) -> bytes:
        if path not in self._contents:
            try:
                self._contents[path] = (self._root / path).read_bytes()
            except OSError as error:
                raise _unreadable(path, error.strerror or str(error)) from None
        return self._contents[path]


def _is_file(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True  # reading it will say why it cannot be read


def _unreadable(path: str, why: str) -> NylError:
    return NylError(
        Code.FILE_INACCESSIBLE,
        f"{path} cannot be read: {why}.",
        "make the file readable, or let Git ignore it",
        location=Location(path),
    )
