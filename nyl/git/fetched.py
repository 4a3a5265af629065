"""Locks that killed processes left in the namespace that fetches write to."""

import math
from pathlib import Path

from nyl.git.repository import Repository

_AGE = 2.0
"""Seconds after which the lock of a ref is nobody's any more."""


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
