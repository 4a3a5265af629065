"""Hands a commit with all its files to another repository on this machine."""

import os

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.git.promised import fetch_files
from nyl.git.repository import Repository


def hand_over(commit: str, giver: Repository, taker: Repository) -> None:
    """Makes a commit without parents, such as a snapshot, available in another repository, files and all.

    The pack is written where the taker keeps its own: nothing is asked of the giver's configuration or its owner.
    Raises NylError: NYL-WORKTREE-REFUSED when the two name objects by different digests, NYL-GIT-FAILED when the
    commit cannot be packed.
    """
    if giver.common_dir == taker.common_dir:
        return
    if giver.object_format != taker.object_format:
        raise NylError(
            Code.WORKTREE_REFUSED,
            f"Commit {commit} is named by {giver.object_format}, and {taker.git_dir} holds {taker.object_format}, so "
            "that it cannot be archived there.",
            "commit the changes and run without --worktree, or choose a state repository with the same object format",
        )
    if taker.resolve(commit) is not None:
        return
    fetch_files(giver, commit)
    packs = taker.common_dir / "objects" / "pack"
    packs.mkdir(parents=True, exist_ok=True)
    giver.checked("pack-objects", "--revs", "--quiet", os.fspath(packs / "pack"), stdin=f"{commit}\n".encode())
