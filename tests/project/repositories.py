"""Real Git repositories for the tests of this folder."""

from pathlib import Path

from nyl.core.clock import SystemClock
from nyl.git.objects import ObjectReader
from nyl.git.repository import Repository
from nyl.git.status import worktree_changes
from nyl.project.trees import CommitTree, WorktreeTree
from tests.support import repositories
from tests.support.environment import QUIET_GIT

ENVIRON = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": "/nonexistent",
    "GIT_CONFIG_GLOBAL": str(QUIET_GIT),
    "GIT_CONFIG_NOSYSTEM": "1",
}
_IDENTITY = ("-c", "user.name=Test", "-c", "user.email=test@example.com")


def new_repository(root: Path) -> Repository:
    """An empty repository."""
    return Repository.discover(repositories.new_repository(root), ENVIRON, SystemClock())


def commit_all(repository: Repository) -> str:
    """Commits everything in the working tree."""
    repository.checked("add", "--all")
    repository.checked(*_IDENTITY, "commit", "--quiet", "--message=change")
    return repository.checked("rev-parse", "HEAD").decode().strip()


def worktree_of(repository: Repository, folder: str = "") -> WorktreeTree:
    """The working tree of a repository, over its HEAD where it has one."""
    assert repository.root is not None
    head = repository.resolve("HEAD")
    base = CommitTree(ObjectReader(repository), head, folder) if head else None
    return WorktreeTree(repository.root, base, worktree_changes(repository, folder), folder)
