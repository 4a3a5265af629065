"""Keeping a file that a tool left where nothing stays."""

import os
import shutil
from pathlib import Path


def keep(left: Path, place: Path) -> None:
    """Copies a file to a new place that only this user may read, down to the disk. Raises OSError."""
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    place.touch(mode=0o600, exist_ok=False)
    with place.open("wb") as file, left.open("rb") as source:
        shutil.copyfileobj(source, file)
        file.flush()
        os.fsync(file.fileno())
