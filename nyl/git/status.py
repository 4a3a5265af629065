"""What differs between HEAD and the working tree, by one `git status`."""

import os
from enum import Enum

from nyl.core.dataclass import dataclass
from nyl.git.repository import Repository

_DELETED_MODE = "000000"


class ChangeKind(Enum):
    """How a path of the working tree differs from HEAD."""

    MODIFIED = "modified"
    """Its content, mode or type, or it is new and staged."""
    DELETED = "deleted"
    UNTRACKED = "untracked"


@dataclass(frozen=True)
class Changed:
    """A path that differs; `mode` is that of the file there now as Git writes it, empty where Git does not say."""

    kind: ChangeKind
    mode: str = ""


def worktree_changes(repository: Repository, folder: str = "") -> dict[str, Changed]:
    """The paths below a folder that differ from HEAD, staged or not, and untracked files that Git does not ignore.

    Paths start at the repository's root. The index is not written, what a sparse checkout leaves out is no deletion,
    and submodules are left aside. Raises NylError (NYL-GIT-FAILED) when Git cannot tell.
    """
    options = ("--porcelain=v2", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=all")
    listing = repository.checked("--literal-pathspecs", "status", *options, "--", folder or ".")
    changes: dict[str, Changed] = {}
    for record in os.fsdecode(listing).split("\0"):
        if record.startswith("1 "):
            *fields, path = record.split(" ", 8)
            changes[path] = _tracked(fields[5])
        elif record.startswith("u "):
            *fields, path = record.split(" ", 10)
            changes[path] = _tracked(fields[6])
        elif record.startswith("? "):
            changes[record[2:]] = Changed(ChangeKind.UNTRACKED)
    return changes


def _tracked(worktree_mode: str) -> Changed:
    if worktree_mode == _DELETED_MODE:
        return Changed(ChangeKind.DELETED)
    return Changed(ChangeKind.MODIFIED, worktree_mode)
