"""A rendered tree: what a target's prefix is to hold."""

from collections.abc import Collection, Mapping
from typing import Protocol

from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Diagnostic
from nyl.kubernetes.manifests import ObjectIdentity
from nyl.kubernetes.resources import Cluster, DeploymentTarget


@dataclass(frozen=True)
class FileFacts:
    """What is known of a rendered file without reading it."""

    sha256: str
    """Hex digest of its bytes."""
    sha1_blob: str
    """Its id in a Git repository of the usual format."""
    identity: ObjectIdentity | None = None
    """The object in it; None for a state file."""
    origin: str = ""
    """`file:line` of what it was made from, for errors."""


class TreeContents(Protocol):
    """Where the bytes of rendered files come from."""

    def read_many(self, paths: Collection[str]) -> Mapping[str, bytes]:
        """The bytes of some files of the tree."""


@dataclass(frozen=True)
class StateFile:
    """A state file below the prefix that a target owns (a carried one), to be written with the tree."""

    path: str
    content: bytes


@dataclass(frozen=True)
class RenderedTree:
    """Everything that a target's prefix is to hold, the ownership index aside."""

    target: DeploymentTarget
    cluster: Cluster
    files: Mapping[str, FileFacts]
    """Path below the prefix -> facts; workload, catalog, namespace and carried state files."""
    contents: TreeContents
    inputs: Mapping[str, str]
    """The `inputs` of the index: repository-relative path or `@...` key -> hex digest."""
    commit: str | None
    """The source commit; None for a working tree with changes."""
    releases: int
    read_state: frozenset[str] = frozenset()
    """State files that bindings read and nothing carries: where the target owned one, it stays, unowned."""
    suspended_state: frozenset[str] = frozenset()
    """Carried state files of disabled groups: where the target owns one, it stays as it is, owned."""
    warnings: tuple[Diagnostic, ...] = ()
