"""The command that a message gives to move a ref where no operation of nyl can."""

from nyl.git.embedded import EmbeddedRemote
from nyl.git.updates import RefStore


def move_command(remote: RefStore, ref: str, new: str | None, old: str | None) -> str:
    """How a ref of a remote, or of the repository itself, is moved from one commit to another.

    None as `new` deletes it, None as `old` makes it. The hook of nyl, which would refuse the push, is skipped.
    """
    if isinstance(remote, EmbeddedRemote):
        git = f"git --git-dir={remote.repository.git_dir} update-ref"
        return f"{git} -d {ref} {old}" if new is None else f"{git} {ref} {new} {old or remote.repository.null_oid}"
    return f"git push --no-verify --force-with-lease={ref}:{old or ''} {remote.description} {new or ''}:{ref}"
