"""Regular files that local paths lead to, in a tree.

Follows Files in the Kubernetes specification: no symlink on the way, visible to Git.
"""

import posixpath
from collections.abc import Iterator
from typing import Protocol

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.git.trees import TreeEntry
from nyl.project.left_out import INDEX
from nyl.project.local_paths import local_path


class TreeEntries(Protocol):
    """The entries of a tree by path, as `nyl.project.trees.WholeTree` has them."""

    name: str

    def entry(self, path: str) -> TreeEntry | None:
        """The file, symlink or submodule at a path; None for folders and for nothing."""


def local_file(tree: TreeEntries, folder: str, path: str, vendor_folder: str | None = None) -> str:
    """The path from the root of a regular file that is a source of the project; `folder` is the project's.

    Raises as `regular_file`, and NYL-PATH-REFUSED for a path that leads into a rendered tree or the folder of what is
    vendored.
    """
    found = regular_file(tree, folder, path)
    generated = generated_folder(tree, folder, found, vendor_folder)
    if generated is not None:
        message = f"The path {path} leads into {generated}, whose files nyl writes itself."
        raise NylError(Code.PATH_REFUSED, message, "name a file that is written by hand")
    return found


def regular_file(tree: TreeEntries, folder: str, path: str) -> str:
    """The path from the root of a regular file that a declared path names, whoever wrote it.

    Raises NYL-PATH-REFUSED for a path that leaves the repository, or passes through a symlink or submodule, and
    NYL-SOURCE-INPUT for a file that Git does not see.
    """
    found = local_path(path, folder)
    for passed in (*folders_above(found), found):
        entry = tree.entry(passed)
        if entry is not None and not entry.is_regular:
            what = "symlink" if entry.is_symlink else "submodule"
            fix = "name the file that the link points to" if entry.is_symlink else "copy the file into this repository"
            raise NylError(Code.PATH_REFUSED, f"The path {path} passes through the {what} {passed}.", fix)
    if tree.entry(found) is None:
        message = f"The path {path} leads to no file of {tree.name} that Git sees: it is missing, ignored or a folder."
        raise NylError(Code.SOURCE_INPUT, message, "correct the path, or add the file to Git")
    return found


def generated_folder(tree: TreeEntries, folder: str, path: str, vendor_folder: str | None = None) -> str | None:
    """The rendered tree, or the folder of what is vendored, that a path lies in; None when it lies in neither.

    A tree that is rendered right into the project's folder, or around it, makes no source of the project generated.
    """
    if vendor_folder and path.startswith(f"{vendor_folder}/"):
        return vendor_folder
    around = {"", folder, *folders_above(folder)}
    for each in ("", *folders_above(path)):
        if tree.entry(posixpath.join(each, INDEX)) is None:
            continue
        generated = posixpath.join(each, "_nyl") if each in around else each
        if path.startswith(f"{generated}/"):
            return generated
    return None


def folders_above(path: str) -> Iterator[str]:
    """The folders on the way to a path, the outermost first, without the root."""
    parts = path.split("/")
    return ("/".join(parts[:count]) for count in range(1, len(parts)))
