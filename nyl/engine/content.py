"""The content a unit reads: one tree of one repository, and the files that globs select in it."""

import os
import posixpath
from collections.abc import Callable, Iterable, Iterator, Sequence

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.git.repository import Repository
from nyl.git.trees import TreeListing

MAIN = ""
"""The name of S itself, beside those of source fields, which are named by their pointers."""

_WILD = frozenset("*?[")
_ESCAPE = "\\"


@dataclass(frozen=True)
class MatchedFile:
    """A file that a glob selects. `path` is from the tree's root, `name` as the unit's key names it."""

    path: str
    name: str
    oid: str
    executable: bool
    symlink: bool = False


def rooted(folder: str, path: str) -> str:
    """A declared path from a tree's root: relative to a folder, or to the root when it starts with a slash.

    Raises NYL-PATH-REFUSED when it leaves the tree.
    """
    joined = path.lstrip("/") if path.startswith("/") else posixpath.join(folder, path)
    normal = posixpath.normpath(joined)
    if normal == ".." or normal.startswith("../"):
        raise NylError(
            Code.PATH_REFUSED,
            f"The path {path} leaves the repository.",
            "name a path inside the repository; one that starts with a slash begins at its root",
        )
    return "" if normal == "." else normal


@dataclass(frozen=True)
class Content:
    """The files of one commit, seen from a folder of it (the project's, or the root of another repository)."""

    repository: Repository
    commit: str
    folder: str
    entries: TreeListing

    def rooted(self, path: str) -> str:
        """A declared path from the tree's root. Raises NYL-PATH-REFUSED when it leaves the tree."""
        return rooted(self.folder, path)

    def match(self, glob: str) -> tuple[MatchedFile, ...]:
        """The files that a glob selects, sorted; a folder's name selects all below it.

        Raises NYL-SOURCE-INPUT when nothing matches, and for what is in a submodule or reached through a symlink.
        """
        pattern = self.rooted(glob)
        self._refuse_linked(glob, pattern)
        paths = list(self._candidates(pattern))
        if not paths:
            raise _unusable(
                f"Nothing in commit {self.commit} matches {glob}.", "correct the path, or commit the files it names"
            )
        return tuple(self._matched(path, glob) for path in paths)

    def reached_submodules(self, glob: str) -> tuple[str, ...]:
        """The submodules that may hold files of such names as a glob selects. What they hold is not known here."""
        submodules = self.entries.submodules
        if not submodules:
            return ()
        pattern = self.rooted(glob).split("/")
        return tuple(each for each in submodules if _reaches_below(pattern, each.split("/")))

    def below(self, folder: str, ignores: Callable[[str], bool]) -> tuple[MatchedFile, ...]:
        """All files of a folder, which is named literally, but those that are ignored, by their paths in it.

        Raises NYL-SOURCE-INPUT when there is no such folder, or what counts in it is a submodule, and when the folder
        is in a submodule or reached through a symlink.
        """
        root = self.rooted(folder)
        self._refuse_linked(folder, root)
        paths = [path for path, _ in self.entries.under(root)]
        if not paths or root in paths:
            raise _unusable(
                f"There is no folder {folder} in commit {self.commit}.",
                "correct the path, or commit the folder with its files",
            )
        start = len(root) + 1 if root else 0
        return tuple(self._matched(path, folder) for path in paths if not ignores(path[start:]))

    def first_file(self, paths: Iterable[str]) -> MatchedFile | None:
        """The first of some files that is there. Raises NYL-SOURCE-INPUT when it is a link or a submodule."""
        for path in paths:
            rooted_path = self.rooted(path)
            if self.entries.find(rooted_path) is not None:
                self._refuse_linked(path, rooted_path)
                return self._matched(rooted_path, path)
        return None

    def _candidates(self, pattern: str) -> Iterator[str]:
        if self.entries.find(pattern) is not None:
            yield pattern
            return
        parts = pattern.split("/") if pattern else []
        literal = []
        special = _WILD.union(_ESCAPE) if _WILD.intersection(pattern) else _WILD
        for part in parts:
            if special.intersection(part):
                break
            literal.append(part)
        below = (path for path, _ in self.entries.under("/".join(literal)))
        if len(literal) == len(parts):
            yield from below
            return
        from pathspec import PathSpec

        spec = PathSpec.from_lines("gitignore", ["/" + pattern])
        yield from (path for path in below if spec.match_file(path))

    def _refuse_linked(self, glob: str, pattern: str) -> None:
        if not self.entries.has_links:
            return
        parts = pattern.split("/")
        for path in ("/".join(parts[:count]) for count in range(1, len(parts) + 1)):
            entry = self.entries.find(path)
            if entry is not None and entry.is_submodule:
                raise _in_submodule(glob, path)
            if entry is not None and entry.is_symlink:
                raise _unusable(
                    f"The input path {glob} passes through the symlink {path}.",
                    "name the files that the link points to",
                )

    def _matched(self, path: str, glob: str) -> MatchedFile:
        entry = self.entries[path]
        if entry.is_submodule:
            raise _in_submodule(glob, path)
        if not _is_text(path):
            raise _unusable(
                f"The input path {glob} selects {_shown(path)}, whose name is not UTF-8.",
                "rename the file",
            )
        inside = not self.folder or path.startswith(self.folder + "/")
        name = path[len(self.folder) :].lstrip("/") if inside else "/" + path
        return MatchedFile(path, name, entry.oid, entry.is_executable, entry.is_symlink)


def _reaches_below(pattern: Sequence[str], folder: Sequence[str]) -> bool:
    """Whether the parts of a glob may match something inside of a folder."""
    if not folder or not pattern:
        return bool(pattern)
    if pattern[0] == "**":
        return _reaches_below(pattern[1:], folder) or _reaches_below(pattern, folder[1:])
    from pathspec import PathSpec

    matches = PathSpec.from_lines("gitignore", ["/" + pattern[0]]).match_file(folder[0])
    return matches and _reaches_below(pattern[1:], folder[1:])


def _unusable(message: str, fix: str) -> NylError:
    return NylError(Code.SOURCE_INPUT, message, fix)


def _in_submodule(glob: str, path: str) -> NylError:
    return _unusable(
        f"The input path {glob} needs the submodule {path}, whose files this repository does not hold.",
        "vendor its files as ordinary Git content",
    )


def _is_text(path: str) -> bool:
    """Whether a name is UTF-8; Git takes any bytes, and those that are none stand as surrogates here."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _shown(path: str) -> str:
    return os.fsencode(path).decode(errors="backslashreplace")
