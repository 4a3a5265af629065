"""A folder on disk that a tree is written to: looked through without following symlinks, changed one file at a time."""

import fcntl
import hashlib
import os
import stat
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.kubernetes.tree_changes import NOT_A_FILE

_OWN = "_nyl"
_STAGED = f"{_OWN}/.writing"
"""Where a file is written before it gets its name: after a death in between the next writer takes it over."""


class OutputFolder:
    """The folder `prefix` of an output folder. Paths are relative to it, with `/`.

    Every method raises NYL-FILE-INACCESSIBLE for what the system refuses.
    """

    def __init__(self, base: Path, prefix: str) -> None:
        self.path = base / prefix
        self._base = base

    def check(self) -> None:
        """Raises NYL-PATH-REFUSED where a part of the prefix, or nyl's own folder in it, is no folder of its own."""
        below = self.path.relative_to(self._base) / _OWN
        for folder in (self._base / each for each in reversed([below, *below.parents[:-1]])):
            if os.path.lexists(folder) and (folder.is_symlink() or not folder.is_dir()):
                raise NylError(
                    Code.PATH_REFUSED,
                    f"{folder} is no folder of its own, so no tree is written through it.",
                    "remove it, or name another folder with --output-dir",
                )

    @contextmanager
    def locked(self, on_wait: Callable[[str], None]) -> Iterator[None]:
        """The folder, made where it is missing, for this process alone. Nothing is left behind for that."""
        with _told(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            handle = os.open(self.path, os.O_RDONLY)
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                on_wait(f"waiting for another nyl that writes {self.path}")
                fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)

    def files(self) -> dict[str, bool]:
        """Every file below the folder but nyl's own staging; whether each is a regular one."""
        found: dict[str, bool] = {}
        if self.path.is_dir():
            with _told(self.path):
                _look_through(str(self.path), "", found)
        found.pop(_STAGED, None)
        return found

    def read(self, path: str) -> bytes | None:
        """The content of a regular file; None where there is none."""
        target = self.path / path
        with _told(target):
            try:
                return target.read_bytes() if stat.S_ISREG(target.lstat().st_mode) else None
            except (FileNotFoundError, NotADirectoryError):
                return None

    def digests(self, paths: Iterable[str], files: dict[str, bool]) -> dict[str, str]:
        """The digests of those paths that are among `files`, as `files` gave them."""
        with _told(self.path):
            return {
                path: _digest(f"{self.path}/{path}") if files[path] else NOT_A_FILE for path in paths if path in files
            }

    def write(self, path: str, content: bytes) -> None:
        """Puts a file in place in one step."""
        staged, target = f"{self.path}/{_STAGED}", f"{self.path}/{path}"
        with _told(self.path):
            _written(staged, content)
            try:
                os.replace(staged, target)  # noqa: PTH105 -- a Path for each file costs more than the file
            except FileNotFoundError:
                Path(target).parent.mkdir(parents=True)
                Path(staged).replace(target)
            except IsADirectoryError:
                Path(target).rmdir()
                Path(staged).replace(target)

    def rename(self, path: str, new: str) -> None:
        """Gives a file the place of another in one step."""
        with _told(self.path / path):
            (self.path / path).replace(self.path / new)

    def remove(self, paths: Collection[str]) -> None:
        """Removes files, and the folders that this empties."""
        for path in paths:
            with _told(self.path / path):
                (self.path / path).unlink(missing_ok=True)
        folders = {path[:end] for path in paths for end in _slashes(path)}
        for folder in sorted(folders, key=lambda each: each.count("/"), reverse=True):
            _remove_if_empty(self.path / folder)


def _look_through(folder: str, prefix: str, found: dict[str, bool]) -> None:
    with os.scandir(folder) as entries:
        for each in entries:
            if each.is_dir(follow_symlinks=False):
                _look_through(each.path, f"{prefix}{each.name}/", found)
            else:
                found[prefix + each.name] = each.is_file(follow_symlinks=False)


def _written(path: str, content: bytes) -> None:
    """Makes a new file: what is there, be it a link that leads elsewhere, is not written to but replaced."""
    try:
        file = _new_file(path)
    except FileNotFoundError:
        Path(path).parent.mkdir(parents=True)
        file = _new_file(path)
    except FileExistsError:
        Path(path).unlink()
        file = _new_file(path)
    with file:
        file.write(content)


def _new_file(path: str) -> BinaryIO:
    return open(path, "xb")  # noqa: PTH123 -- as above; the caller closes it


def _digest(path: str) -> str:
    with open(path, "rb", buffering=0) as file:  # noqa: PTH123 -- of ten thousand files, a Path for each costs most
        return hashlib.sha256(file.read()).hexdigest()


def _slashes(path: str) -> Iterator[int]:
    return (index for index, each in enumerate(path) if each == "/")


def _remove_if_empty(folder: Path) -> None:
    try:
        folder.rmdir()
    except OSError:
        return  # somebody else's files are in it, or it is gone


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise NylError(
            Code.FILE_INACCESSIBLE,
            f"{error.filename or path} cannot be used: {error.strerror or error}.",
            "make it accessible, or name another folder with --output-dir",
        ) from None
