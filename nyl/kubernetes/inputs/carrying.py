"""Files of this run's working tree that are carried into the publication.

Follows `carryFileFromWorktree` in the section Publication state of the page Release Inputs.
"""

import os
import shlex
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.git.repository import Repository
from nyl.kubernetes.resources import DeploymentTarget
from nyl.project.local_files import folders_above
from nyl.project.local_paths import local_path


class CarryFiles:
    """Carry files as they were when they were first read: all renderings of a run see the same bytes."""

    def __init__(self, repository: Repository, root: Path, project_folder: str) -> None:
        """`root` is that of the working tree, whatever tree is rendered."""
        self._repository = repository
        self._root = root
        self._folder = project_folder
        self._known: dict[str, bytes | None] = {}

    def read(self, path: str) -> bytes | None:
        """The bytes of a carry file; None where this run has none.

        Raises NYL-PATH-REFUSED for a path outside the working tree or through a symlink, NYL-STATE-PATH for a file that
        Git tracks and for what is no regular file, and NYL-FILE-INACCESSIBLE.
        """
        found = local_path(path, self._folder)
        if found not in self._known:
            self._known[found] = self._read(path, found)
        return self._known[found]

    def _read(self, path: str, found: str) -> bytes | None:
        for folder in folders_above(found):
            if (self._root / folder).is_symlink():
                fix = "name the folder that the link points to"
                raise NylError(Code.PATH_REFUSED, f"The carry file {path} lies behind the symlink {folder}.", fix)
        if self._repository.checked("--literal-pathspecs", "ls-files", "-z", "--", f"{self._root / found}"):
            message = f"The carry file {path} is tracked by Git, so that it is source and no output of this run."
            fix = f"run `git rm --cached -- {shlex.quote(found)}` and let Git ignore the file"
            raise NylError(Code.STATE_PATH, message, fix)
        return _content(self._root / found, path)


def carry_paths(target: DeploymentTarget, project_folder: str) -> frozenset[str]:
    """The carry files that a target's bindings name, from the root: changes to them make no working tree dirty."""
    found = set()
    for _, fields in publication_bindings(target):
        if "carryFileFromWorktree" in fields:
            with suppress(NylError):  # rendering says what is wrong with it
                found.add(local_path(fields["carryFileFromWorktree"], project_folder))
    return frozenset(found)


def publication_bindings(target: DeploymentTarget) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The key and the fields of each `fromPublication` of a target, as they are written."""
    for key, written in target.release_inputs.items():
        for raw in written.values():
            if "fromPublication" in raw:
                yield key, raw["fromPublication"]


def _content(path: Path, shown: str) -> bytes | None:
    try:
        mode = path.lstat().st_mode
        if not stat.S_ISREG(mode):
            what = "a symlink" if stat.S_ISLNK(mode) else "a folder" if stat.S_ISDIR(mode) else "no regular file"
            message = f"The carry file {shown} is {what}."
            raise NylError(Code.STATE_PATH, message, "let the tool write a regular file there")
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        with os.fdopen(descriptor, "rb") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        message = f"The carry file {shown} cannot be read: {error.strerror or error}."
        raise NylError(Code.FILE_INACCESSIBLE, message, "make the file readable") from None
