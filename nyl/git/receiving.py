"""How a repository on this machine receives a push."""

import shlex
from pathlib import Path

from nyl.git.refs import is_local
from nyl.git.repository import Repository


def receive_pack(repository: Repository, url: str) -> str | None:
    """The program to receive with, for a local URL, where hooks of the user would otherwise run; None for Git's own.

    Git gives a receiving repository on the same machine the user's configuration, but not what a pusher overrides in
    command scope: hooks that the user set up for all repositories would run there. Its own hooks are left to it.
    """
    if not is_local(url) or not _has_user_hooks(repository):
        return None
    folder = Path(repository.root or repository.git_dir) / url.removeprefix("file://")
    git_dir = folder / ".git" if (folder / ".git").is_dir() else folder
    own = repository.git("config", "--file", str(git_dir / "config"), "--type=path", "core.hooksPath")
    hooks = own.stdout.decode(errors="surrogateescape").strip() or str(git_dir / "hooks")
    return f"git -c core.hooksPath={shlex.quote(hooks)} receive-pack"


def _has_user_hooks(repository: Repository) -> bool:
    return any(
        each.name == "core.hookspath" and each.scope in ("system", "global") for each in repository.settings.settings
    )
