"""The files that a Release includes: globs relative to its folder, each of which must match something.

Follows Files in the Kubernetes specification.
"""

import posixpath
from collections.abc import Iterable, Iterator, Sequence

from nyl.core.codes import Code
from nyl.core.diagnostics import Location, NylError, Problems
from nyl.project.trees import WholeTree

SUFFIXES = (".yaml", ".yml", ".json")
"""What the names of files that bundles are made of end with."""
_WILD = frozenset("*?[")


class IncludeGlobs:
    """Finds what the globs of one Release match."""

    def __init__(self, tree: WholeTree, entry_file: str, left_out: Sequence[str] = ()) -> None:
        """`left_out` are folders whose files are no source, such as what was rendered or vendored."""
        self._tree = tree
        self._entry_file = entry_file
        self._folder = posixpath.dirname(entry_file)
        self._left_out = tuple(f"{folder}/" for folder in left_out)

    def matched(self, globs: Iterable[str], location: Location) -> dict[str, tuple[str, ...]]:
        """The files of each glob, sorted. Raises all problems together: NYL-INCLUDE-INVALID at the Release."""
        problems = Problems()
        found = {}
        for glob in globs:
            found[glob] = self.files(glob)
            if not found[glob]:
                problems.add(self._nothing(glob, location))
        problems.raise_any()
        return found

    def files(self, glob: str) -> tuple[str, ...]:
        """The files that a glob matches, sorted, without the entry file; none for one that leaves the folder."""
        pattern = posixpath.normpath(glob)
        if glob.startswith("/") or pattern == ".." or pattern.startswith("../"):
            return ()
        return tuple(path for path in self._matching(pattern) if self._is_source(path))

    def _matching(self, pattern: str) -> Iterator[str]:
        if not _WILD.intersection(pattern):
            path = posixpath.join(self._folder, pattern)
            return iter([path] if self._is_regular(path) else [])
        from pathspec import PathSpec

        literal = []
        for part in pattern.split("/")[:-1]:
            if _WILD.intersection(part):
                break
            literal.append(part)
        spec = PathSpec.from_lines("gitignore", ["/" + pattern])
        skip = len(self._folder) + 1 if self._folder else 0
        below = self._tree.under(posixpath.join(self._folder, *literal))
        return (path for path, entry in below if entry.is_regular and spec.match_file(path[skip:]))

    def _is_regular(self, path: str) -> bool:
        entry = self._tree.entry(path)
        return entry is not None and entry.is_regular

    def _is_source(self, path: str) -> bool:
        return path.endswith(SUFFIXES) and path != self._entry_file and not path.startswith(self._left_out)

    def _nothing(self, glob: str, location: Location) -> NylError:
        return NylError(
            Code.INCLUDE_INVALID,
            f"{location}: spec.include {glob!r} matches no .yaml, .yml or .json file below "
            f"{self._folder or 'the root'} in {self._tree.name}.",
            "correct the glob, which is relative to the folder of the Release; symlinks and ignored files do not count",
            location=location,
        )
