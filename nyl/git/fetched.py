"""Reads the refs that a fetch left in nyl's own namespace."""

import math
import os
from collections.abc import Iterator
from pathlib import Path

from nyl.git.repository import Repository

_AGE = 2.0
"""Seconds after which the lock of a ref is nobody's any more."""


def fetched_refs(repository: Repository, namespace: str) -> dict[str, str]:
    """The refs below a namespace such as `refs/nyl-fetched/x`, by the rest of their names.

    Where refs are files, as Git keeps them unless told otherwise, they are read without asking Git.
    """
    if repository.config("extensions.refStorage") in (None, "files"):
        return _from_files(repository.common_dir, f"{namespace}/")
    listing = repository.checked("for-each-ref", "--format=%(objectname)%09%(refname)", namespace)
    lines = (line.partition("\t") for line in os.fsdecode(listing).splitlines())
    return {ref.removeprefix(f"{namespace}/"): oid for oid, _, ref in lines}


def remove_dead_locks(repository: Repository, namespace: str) -> bool:
    """Removes the lock files that killed processes left below a namespace; whether there were any.

    Only for who holds the namespace: a living Git keeps such a file for the blink of an eye.
    """
    now = repository.clock.now().epoch_seconds
    dead = [each for each in (repository.common_dir / namespace).rglob("*.lock") if now - _changed_at(each) > _AGE]
    for each in dead:
        each.unlink(missing_ok=True)
    return bool(dead)


def _changed_at(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return math.inf


def _from_files(common_dir: Path, prefix: str) -> dict[str, str]:
    # A ref that was packed and then moved is in both places: the file is the newer one.
    found = dict(_packed(common_dir / "packed-refs", prefix))
    root = common_dir / prefix
    for folder, _, names in os.walk(root):
        for name in names:
            if not name.endswith(".lock"):
                path = Path(folder, name)
                found[str(path.relative_to(root))] = path.read_text().strip()
    return found


def _packed(path: Path, prefix: str) -> Iterator[tuple[str, str]]:
    try:
        lines = path.read_bytes().splitlines()
    except FileNotFoundError:
        return
    for line in lines:
        oid, _, ref = os.fsdecode(line).partition(" ")
        if ref.startswith(prefix):
            yield ref.removeprefix(prefix), oid
