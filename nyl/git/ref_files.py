"""Refs of the repository itself, read without asking Git where it keeps them as files."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from nyl.git.repository import Repository


def refs_below(repository: Repository, namespace: str) -> dict[str, str]:
    """The refs below a namespace such as `refs/nyl-fetched/x`, by the rest of their names.

    Where refs are files, as Git keeps them unless told otherwise, they are read without asking Git.
    """
    if keeps_files(repository):
        return _from_files(repository.common_dir, f"{namespace}/")
    listing = repository.checked("for-each-ref", "--format=%(objectname)%09%(refname)", namespace)
    lines = (line.partition("\t") for line in os.fsdecode(listing).splitlines())
    return {ref.removeprefix(f"{namespace}/"): oid for oid, _, ref in lines}


def refs_named(repository: Repository, names: Sequence[str]) -> dict[str, str]:
    """Those of some refs, by their full names, that there are; read like `refs_below`."""
    if not keeps_files(repository):
        listing = os.fsdecode(repository.checked("for-each-ref", "--format=%(objectname)%09%(refname)", "--", *names))
        found = (line.partition("\t")[::2] for line in listing.splitlines())
        return {ref: oid for oid, ref in found if ref in names}
    packed = {ref: oid for name in names for ref, oid in _packed(repository.common_dir / "packed-refs", name, name)}
    return {**packed, **{name: oid for name in names if (oid := _loose(repository.common_dir / name))}}


def keeps_files(repository: Repository) -> bool:
    """Whether the repository keeps its refs as files."""
    return repository.config("extensions.refStorage") in (None, "files")


def _from_files(common_dir: Path, prefix: str) -> dict[str, str]:
    # A ref that was packed and then moved is in both places: the file is the newer one.
    found = {ref.removeprefix(prefix): oid for ref, oid in _packed(common_dir / "packed-refs", prefix)}
    root = common_dir / prefix
    for folder, _, names in os.walk(root):
        for name in names:
            if not name.endswith(".lock"):
                path = Path(folder, name)
                found[str(path.relative_to(root))] = path.read_text().strip()
    return found


def _loose(path: Path) -> str | None:
    try:
        return path.read_text().strip()
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        return None


def _packed(path: Path, prefix: str, name: str | None = None) -> Iterator[tuple[str, str]]:
    """The packed refs that start with a prefix; with `name` the one of that name."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return
    if os.fsencode(prefix) not in data:
        return
    for line in data.splitlines():
        oid, _, ref = os.fsdecode(line).partition(" ")
        if ref.startswith(prefix) and name in (None, ref):
            yield ref, oid
