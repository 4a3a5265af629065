#!/usr/bin/env python3
"""Prints a digest of what the Action installs nyl from, and of the Python that does it: `action_digest.py FOLDER`.

Equal digests mean that an installation can be used again. Hidden files, caches and what builds leave do not count.
"""

import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path


def digest_of(folder: Path) -> str:
    """Sixteen digits for the files of a folder, the Python that runs this, and where it lies."""
    digest = hashlib.sha256(f"{sys.version}\0{sys.executable}\0".encode())
    for file in sorted(_files(folder)):
        content = hashlib.sha256(file.read_bytes()).hexdigest()
        digest.update(f"{file.relative_to(folder).as_posix()}\0{content}\0".encode())
    return digest.hexdigest()[:16]


def _files(folder: Path) -> Iterator[Path]:
    for each in folder.iterdir():
        if each.is_symlink() or each.name.startswith(".") or each.name in ("__pycache__", "build"):
            continue
        if each.is_dir() and not each.name.endswith(".egg-info"):
            yield from _files(each)
        elif each.is_file():
            yield each


if __name__ == "__main__":
    print(digest_of(Path(sys.argv[1])))
