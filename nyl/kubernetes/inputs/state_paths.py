"""Where state files may lie below a target's prefix.

Follows the section Publication state of the page Release Inputs.
"""

import unicodedata
from collections.abc import Iterable

_CATALOG = "_nyl"


def path_problem(path: str, synced_folders: Iterable[str]) -> str | None:
    """Why no state file may lie at a path below the prefix, as a clause; None when one may.

    `synced_folders` are the folders of workload Releases below the prefix. Neither a file in one of them, nor one that
    would have to be a folder on the way to one, is allowed, whatever the case of letters.
    """
    parts = path.split("/")
    if path.startswith("/") or any(part in ("", ".", "..") for part in parts):
        return "is no path below the prefix of the target"
    if any(part.lower() == ".git" for part in parts) or any(ord(each) < 32 or ord(each) == 127 for each in path):
        return "is no path that Git takes"
    wanted = _folded(path)
    for folder in (_CATALOG, *sorted(synced_folders)):
        synced = _folded(folder)
        if wanted == synced or wanted.startswith(f"{synced}/") or synced.startswith(f"{wanted}/"):
            return f"lies inside or above {folder}, which a generated Application syncs"
    return None


def _folded(path: str) -> str:
    return unicodedata.normalize("NFC", path).casefold()
