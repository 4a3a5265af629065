"""Branches that some working tree of a repository is at: moving one would make its files look changed."""

import os
from collections.abc import Iterator
from pathlib import Path

from nyl.git.ref_files import keeps_files
from nyl.git.repository import Repository

_SYMBOLIC = "ref: "


def checked_out(repository: Repository) -> dict[str, Path]:
    """The full names of the branches that are checked out, and the working tree of each.

    Working trees whose folder is gone do not count.
    """
    if keeps_files(repository):
        return dict(_from_files(repository))
    return dict(_listed(repository))


def _from_files(repository: Repository) -> Iterator[tuple[str, Path]]:
    common = repository.common_dir
    if repository.config("core.bare") != "true":
        own = repository.root if repository.git_dir == common else None
        yield from _head(common, own or common.parent)
    for linked in common.glob("worktrees/*/gitdir"):
        tree = Path(os.fsdecode(linked.read_bytes()).strip()).parent
        if tree.is_dir():
            yield from _head(linked.parent, tree)


def _head(git_dir: Path, tree: Path) -> Iterator[tuple[str, Path]]:
    try:
        content = os.fsdecode((git_dir / "HEAD").read_bytes()).strip()
    except OSError:
        return
    if content.startswith(_SYMBOLIC):
        yield content.removeprefix(_SYMBOLIC).strip(), tree


def _listed(repository: Repository) -> Iterator[tuple[str, Path]]:
    listing = os.fsdecode(repository.checked("worktree", "list", "--porcelain"))
    for block in listing.split("\n\n"):
        facts = dict(line.partition(" ")[::2] for line in block.splitlines())
        if "branch" in facts and Path(facts["worktree"]).is_dir():
            yield facts["branch"], Path(facts["worktree"])
