"""Reads the refs that a fetch left in nyl's own namespace."""

import os
from collections.abc import Iterator
from pathlib import Path

from nyl.git.repository import Repository


def fetched_refs(repository: Repository, namespace: str) -> dict[str, str]:
    """The refs below a namespace such as `refs/nyl-fetched/x`, by the rest of their names.

    Where refs are files, as Git keeps them unless told otherwise, they are read without asking Git.
    """
    if repository.config("extensions.refStorage") in (None, "files"):
        return _from_files(repository.common_dir, f"{namespace}/")
    listing = repository.checked("for-each-ref", "--format=%(objectname)%09%(refname)", namespace)
    lines = (line.partition("\t") for line in os.fsdecode(listing).splitlines())
    return {ref.removeprefix(f"{namespace}/"): oid for oid, _, ref in lines}


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
