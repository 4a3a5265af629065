"""Paths of a tree that one file system or another takes for the same ("File paths")."""

import unicodedata
from collections.abc import Iterable

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Location, NylError
from nyl.kubernetes.tree import FileFacts


def path_collisions(files: Iterable[tuple[str, FileFacts]]) -> list[NylError]:
    """A problem for each two files or folders that a file system without case, or one that composes letters, merges.

    `files` are all of a prefix, so that it takes two with the very same path as well.
    """
    seen = _Seen()
    for path, facts in files:
        seen.add_file(path, facts)
    return seen.problems


@dataclass(frozen=True)
class _Entry:
    path: str
    is_folder: bool
    facts: FileFacts
    """Those of the first file in it, for a folder."""


class _Seen:
    """Entries by their folder, as it is spelled, and their name as careless file systems see it.

    So what lies in two folders that collide is no collision of its own.
    """

    def __init__(self) -> None:
        self.problems: list[NylError] = []
        self._entries: dict[tuple[str, str], _Entry] = {}
        self._folders: set[str] = set()

    def add_file(self, path: str, facts: FileFacts) -> None:
        self._add(_Entry(path, False, facts))
        folder = path.rpartition("/")[0]
        while folder and folder not in self._folders:
            self._folders.add(folder)
            self._add(_Entry(folder, True, facts))
            folder = folder.rpartition("/")[0]

    def _add(self, entry: _Entry) -> None:
        parent, _, name = entry.path.rpartition("/")
        known = self._entries.setdefault((parent, folded(name)), entry)
        if known is not entry:
            self.problems.append(_problem(known, entry))


def _problem(first: _Entry, second: _Entry) -> NylError:
    what = "share one path" if first.path == second.path else "have paths that some file systems take for one"
    return NylError(
        Code.PATH_COLLISION,
        f"{_named(first.facts)} and {_named(second.facts)} {what}: {first.path} and {second.path}.",
        "rename one of the two",
        location=Location.parse(second.facts.origin) if second.facts.origin else None,
    )


def _named(facts: FileFacts) -> str:
    what = str(facts.identity) if facts.identity is not None else "a state file"
    return f"{what} ({facts.origin})" if facts.origin else what


def folded(path: str) -> str:
    """A path as file systems compare it that know neither case nor how letters are composed."""
    if path.isascii():
        return path.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())
