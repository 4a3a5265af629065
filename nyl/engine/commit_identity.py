"""Who authors the commits of an invocation."""

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.engine.workspace import Workspace
from nyl.git.config import Identity


def commit_identity(workspace: Workspace, author: Identity | None) -> Identity:
    """Who authors commits: --author, else Git's own identity. Raises NYL-COMMIT-IDENTITY-MISSING."""
    known = author or workspace.repository.identity()
    if known is None:
        raise NylError(
            Code.COMMIT_IDENTITY_MISSING,
            "Commits need an author, and Git has no user.name and user.email here.",
            "tell Git who you are with `git config --global user.name 'Your Name'` and "
            "`git config --global user.email you@example.com`, or pass --author 'Your Name <you@example.com>'",
        )
    return known
