"""Where state files may lie below a target's prefix.

Follows the section Publication state of the page Release Inputs.
"""

import re
from collections.abc import Iterable

from nyl.kubernetes.collisions import folded
from nyl.project.local_files import folders_above

_CATALOG = "_nyl"
_LONGEST = 255
_REFUSED = re.compile(r"[\x00-\x1f\x7f\\]")


class SyncedFolders:
    """The folders below a prefix that generated Applications sync: those of workload Releases, and `_nyl`."""

    def __init__(self, folders: Iterable[str]) -> None:
        self._folders = {folded(each): each for each in sorted(folders, reverse=True)}
        self._folders[folded(_CATALOG)] = _CATALOG
        self._above = {above: self._folders[each] for each in self._folders for above in folders_above(each)}

    def problem(self, path: str) -> str | None:
        """Why no state file may lie at a path below the prefix, as a clause; None when one may.

        Neither a file in a synced folder, nor one that would have to be a folder on the way to one, is allowed,
        whatever the case of letters.
        """
        parts = path.split("/")
        if path.startswith("/") or any(part in ("", ".", "..") for part in parts):
            return "is no path below the prefix of the target"
        if any(part.lower() == ".git" or len(part.encode()) > _LONGEST for part in parts) or _REFUSED.search(path):
            return "is no path that Git takes on every system"
        wanted = folded(path)
        inside = (self._folders.get(each) for each in (*folders_above(wanted), wanted))
        folder = next((each for each in inside if each is not None), self._above.get(wanted))
        return None if folder is None else f"lies inside or above {folder}, which a generated Application syncs"
