"""Trees of other repositories at locked commits, captured part by part: each folder and file that was looked at."""

import io
import tarfile
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Protocol

from nyl.core.canonical import digest_bytes
from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Location, NylError
from nyl.git.trees import TreeEntry
from nyl.kubernetes.expansion.artifacts import FILE, TREE, Artifacts, title_of
from nyl.project.trees import WholeTree

_SYMLINK, _SUBMODULE, _EXECUTABLE, _REGULAR = "120000", "160000", "100755", "100644"


class GitTrees(Protocol):
    """Gives the trees of locked commits."""

    def tree(self, url: str, commit: str, lock: str) -> WholeTree:
        """All files of a commit. `lock` is what locked it. Raises NylError when it cannot be had."""


@dataclass(frozen=True)
class CapturedTrees:
    """The trees of locked commits through a policy: what it has is taken, and `git` is asked for the rest alone."""

    git: GitTrees
    artifacts: Artifacts

    def tree(self, url: str, commit: str, lock: str) -> WholeTree:
        """A commit's files. Raises NylError when they are first looked at and cannot be had."""
        return CapturedTree(f"{url}@{commit}", commit, self.artifacts, lambda: self.git.tree(url, commit, lock))


class CapturedTree:
    """The files of one commit, as `WholeTree` has them. Safe to use from several threads."""

    project_folder = ""

    def __init__(self, place: str, commit: str, artifacts: Artifacts, tree: Callable[[], WholeTree]) -> None:
        """`tree` gives the whole commit, and is asked only for what `artifacts` does not have."""
        self.name = f"commit {commit[:12]}"
        self._place = place
        self._artifacts = artifacts
        self._tree = tree
        self._folders: dict[str, Mapping[str, tuple[TreeEntry, bytes]]] = {}
        self._files: dict[str, Mapping[str, tuple[TreeEntry, bytes]]] = {}
        self._lock = threading.RLock()

    def files(self, suffixes: tuple[str, ...]) -> Mapping[str, str]:
        """The identities of all regular files with one of some suffixes."""
        return {path: entry.oid for path, entry in self.under("") if entry.is_regular and path.endswith(suffixes)}

    def under(self, folder: str) -> Iterator[tuple[str, TreeEntry]]:
        """Everything below a folder, sorted by path."""
        prefix = f"{folder}/" if folder else ""
        part = self._around(folder)
        return ((path, entry) for path, (entry, _) in part.items() if path.startswith(prefix))

    def entry(self, path: str) -> TreeEntry | None:
        """The file, symlink or submodule at a path."""
        found = self._at(path)
        return found[0] if found is not None else None

    def read_many(self, paths: Collection[str]) -> dict[str, bytes]:
        """The contents of some files. Raises NYL-FILE-INACCESSIBLE for a path that is no file of the commit."""
        return {path: self._content(path) for path in paths}

    def _content(self, path: str) -> bytes:
        found = self._at(path)
        if found is None or not found[0].is_regular:
            message = f"{path} cannot be read: it is not a regular file of {self.name}."
            raise NylError(Code.FILE_INACCESSIBLE, message, "correct the path", location=Location(path))
        return found[1]

    def _at(self, path: str) -> tuple[TreeEntry, bytes] | None:
        with self._lock:
            for folder in _folders_around(path):
                # A folder that was captured tells of all that is in it, in whatever order it is looked at.
                if folder in self._folders or self._artifacts.digest(f"{TREE}{self._place}/{folder}") is not None:
                    return self._around(folder).get(path)
            if path not in self._files:
                self._files[path] = self._captured(f"{FILE}{self._place}/{path}", lambda: self._packed_file(path))
            return self._files[path].get(path)

    def _around(self, folder: str) -> Mapping[str, tuple[TreeEntry, bytes]]:
        with self._lock:
            for known, part in self._folders.items():
                if not known or folder == known or folder.startswith(f"{known}/"):
                    return part
            key = f"{TREE}{self._place}/{folder}"
            self._folders[folder] = self._captured(key, lambda: self._packed_folder(folder))
            return self._folders[folder]

    def _captured(self, key: str, pack: Callable[[], bytes]) -> Mapping[str, tuple[TreeEntry, bytes]]:
        try:
            return unpacked_entries(self._artifacts.read(key, pack))
        except (tarfile.TarError, EOFError, ValueError) as error:
            message = f"{title_of(key)} was captured as something that is no archive: {error}."
            raise NylError(Code.VENDOR_CORRUPT, message, "run `nyl vendor --refresh`") from None

    def _packed_folder(self, folder: str) -> bytes:
        tree = self._tree()
        return packed_entries(dict(tree.under(folder)), tree)

    def _packed_file(self, path: str) -> bytes:
        tree = self._tree()
        entry = tree.entry(path)
        return packed_entries({path: entry} if entry is not None else {}, tree)


def _folders_around(path: str) -> Iterator[str]:
    """The folders that a path lies in, the nearest first; the last is the root."""
    while path:
        path = path.rpartition("/")[0]
        yield path


def packed_entries(entries: Mapping[str, TreeEntry], tree: WholeTree) -> bytes:
    """Some entries of a tree as one `.tar`: the same entries always give the same bytes."""
    contents = tree.read_many([path for path, entry in entries.items() if entry.is_regular])
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, entry in sorted(entries.items()):
            member = tarfile.TarInfo(path)
            member.mode = 0o755 if entry.is_executable else 0o644
            if entry.is_symlink:
                member.type = tarfile.SYMTYPE
            elif entry.is_submodule:
                member.type = tarfile.DIRTYPE
            data = contents.get(path, b"")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return buffer.getvalue()


def unpacked_entries(archive: bytes) -> dict[str, tuple[TreeEntry, bytes]]:
    """What `packed_entries` packed, sorted by path; where symlinks lead is not kept. Raises TarError."""
    found = {}
    with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
        for member in opened:
            if member.issym() or member.isdir():
                found[member.name] = (TreeEntry(_SYMLINK if member.issym() else _SUBMODULE, ""), b"")
                continue
            stream = opened.extractfile(member)
            data = stream.read() if stream is not None else b""
            mode = _EXECUTABLE if member.mode & 0o100 else _REGULAR
            found[member.name] = (TreeEntry(mode, digest_bytes(data)), data)
    return found
