"""Regular files that local paths lead to, in a tree.

Follows Files in the Kubernetes specification: no symlink on the way, visible to Git.
"""

import posixpath
from collections.abc import Iterator
from typing import Protocol

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.git.trees import TreeEntry
from nyl.project.local_paths import local_path

INDEX = "_nyl/index.json"
"""A folder that has this file in it is a rendered tree, and what lies in it is no source."""


class TreeEntries(Protocol):
    """The entries of a tree by path, as `nyl.project.trees.WholeTree` has them."""

    name: str

    def entry(self, path: str) -> TreeEntry | None:
        """The file, symlink or submodule at a path; None for folders and for nothing."""


def local_file(tree: TreeEntries, folder: str, path: str, vendor_folder: str | None = None) -> str:
    """The path from the root of a regular file that a declared path names; `folder` is the project's.

    Raises NYL-PATH-REFUSED for a path that leaves the repository, passes through a symlink or submodule, or leads into
    a rendered tree or the folder of what is vendored, and NYL-SOURCE-INPUT for a file that Git does not see.
    """
    found = local_path(path, folder)
    for passed in (*folders_above(found), found):
        entry = tree.entry(passed)
        if entry is not None and not entry.is_regular:
            what = "symlink" if entry.is_symlink else "submodule"
            fix = "name the file that the link points to" if entry.is_symlink else "copy the file into this repository"
            raise NylError(Code.PATH_REFUSED, f"The path {path} passes through the {what} {passed}.", fix)
    if tree.entry(found) is None:
        message = f"{tree.name} has no file {found or '/'} that Git sees: it is missing, ignored or a folder."
        raise NylError(Code.SOURCE_INPUT, message, "correct the path, or add the file to Git")
    generated = generated_folder(tree, found, vendor_folder)
    if generated is not None:
        message = f"The path {path} leads into {generated or 'a rendered tree'}, whose files nyl writes itself."
        raise NylError(Code.PATH_REFUSED, message, "name a file that is written by hand")
    return found


def generated_folder(tree: TreeEntries, path: str, vendor_folder: str | None = None) -> str | None:
    """The rendered tree, or the folder of what is vendored, that a path lies in; None when it lies in neither."""
    if vendor_folder and path.startswith(f"{vendor_folder}/"):
        return vendor_folder
    for folder in ("", *folders_above(path)):
        if tree.entry(posixpath.join(folder, INDEX)) is not None:
            return folder
    return None


def folders_above(path: str) -> Iterator[str]:
    """The folders on the way to a path, the outermost first, without the root."""
    parts = path.split("/")
    return ("/".join(parts[:count]) for count in range(1, len(parts)))
