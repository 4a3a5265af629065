"""Where the values of inputs are read from, as resolution sees it."""

from typing import Protocol

from nyl.core.dataclass import dataclass
from nyl.project.resources import RepositoryLocation


@dataclass(frozen=True)
class SourceFile:
    """A file of the project's repository: its path from the root, and its bytes."""

    path: str
    content: bytes


@dataclass(frozen=True)
class GitLock:
    """A file of a repository at a locked commit. `owner` is who locked it, as messages name them."""

    repository: RepositoryLocation
    revision: str
    commit: str
    path: str
    owner: str

    @property
    def key(self) -> str:
        """The key of the file in the index, and in a snapshot of what was vendored."""
        return f"@git/{self.repository.url}@{self.commit}/{self.path}"


class PublicationState(Protocol):
    """The commit of the publication branch that a tree builds on."""

    commit: str | None
    """The head of the branch; None where there is no such branch, or none is known offline."""
    is_cached: bool
    """Whether it is what was fetched last, without asking the remote."""

    def read(self, path: str) -> bytes | None:
        """The bytes of a regular file below the target's prefix; None where there is none."""


class InputSources(Protocol):
    """Reads the files that bindings name. Every method raises NylError for what cannot be read."""

    @property
    def state(self) -> PublicationState:
        """What is published of the target. It is asked for when a binding needs it."""

    def file(self, path: str) -> SourceFile:
        """The file of a `fromFile`, by the local path rule."""

    def git(self, lock: GitLock) -> bytes:
        """The file of a `fromGit`, at its locked commit."""

    def carry(self, path: str) -> bytes | None:
        """The file of a `carryFileFromWorktree`; None where this run has none."""
