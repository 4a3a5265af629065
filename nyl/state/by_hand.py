"""The command that a message gives to move a ref where no operation of nyl can."""

import shlex

from nyl.git.embedded import EmbeddedRemote
from nyl.git.updates import RefStore


def move_command(remote: RefStore, ref: str, new: str | None, old: str | None) -> str:
    """How a ref of a remote, or of the repository itself, is moved from one commit to another.

    None as `new` deletes it, None as `old` makes it. The hook of nyl, which would refuse the push, is skipped.
    """
    if isinstance(remote, EmbeddedRemote):
        git = ["git", f"--git-dir={remote.repository.git_dir}", "update-ref"]
        moved = ["-d", ref, f"{old}"] if new is None else [ref, new, old or remote.repository.null_oid]
        return shlex.join([*git, *moved])
    lease = f"--force-with-lease={ref}:{old or ''}"
    return shlex.join(["git", "push", "--no-verify", lease, remote.description, f"{new or ''}:{ref}"])
