"""Where the values of inputs are read from, as resolution sees it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

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
    """The commit of the publication branch that a tree builds on, read when it is first asked for anything.

    Reading raises NYL-REMOTE-UNAVAILABLE, and offline gives what was fetched last.
    """

    @property
    def commit(self) -> str | None:
        """The head that is read; None where there is no branch, or none that is known offline."""

    @property
    def is_unknown(self) -> bool:
        """Whether the branch cannot be asked for, and nothing of it is cached."""

    def read(self, path: str) -> bytes | None:
        """The bytes of a file below the target's prefix; None where there is none.

        Raises NYL-PATH-REFUSED for what is no regular file, or is reached through one that is a symlink.
        """

    def owned(self) -> Mapping[str, str]:
        """The `files` of the ownership index there: path below the prefix -> hex digest. Empty without an index."""


class Captured(Protocol):
    """The files that were captured of other repositories, and the policy that says when they are used."""

    def read(self, key: str, fetch: Callable[[], bytes]) -> bytes:
        """The bytes of what has a key: captured ones, or where the policy allows it what `fetch` gives."""


class InputSources(Protocol):
    """Reads the files that bindings name. Every method raises NylError for what cannot be read."""

    @property
    def state(self) -> PublicationState:
        """The publication branch of the target."""

    def file(self, path: str) -> SourceFile:
        """The file of a `fromFile`, by the local path rule."""

    def git(self, lock: GitLock) -> bytes:
        """The file of a `fromGit`, at its locked commit."""

    def carry(self, path: str) -> bytes | None:
        """The file of a `carryFileFromWorktree`; None where this run has none."""
