"""What a user asked of a command on trees of manifests, as the command line gives it."""

from dataclasses import field
from enum import StrEnum
from pathlib import Path

from nyl.core.dataclass import dataclass
from nyl.git.config import Identity
from nyl.kubernetes.session import RenderOptions


@dataclass(frozen=True)
class TreeRequest:
    """Which target; None takes the only one."""

    target: str | None = None
    options: RenderOptions = field(default_factory=RenderOptions)


@dataclass(frozen=True)
class RenderTreeRequest(TreeRequest):
    """`nyl render-tree`. The tree is written below the target's prefix in `output_dir`."""

    output_dir: Path = Path()
    check_only: bool = False
    """Whether nothing is written, and the exit says whether something would be."""
    force: bool = False
    """Whether files that were edited outside nyl are written over."""


class Against(StrEnum):
    """What a rendered tree is compared with."""

    PUBLISHED = "published"
    SOURCE = "source"


@dataclass(frozen=True)
class DiffTreeRequest(TreeRequest):
    """`nyl diff-tree`."""

    against: Against = Against.PUBLISHED
    source_ref: str | None = None
    """The revision of the source whose tree is compared with; only for SOURCE."""
    detailed_exitcode: bool = False
    """Whether differences lead to exit 2."""


@dataclass(frozen=True)
class PublishTreeRequest(TreeRequest):
    """`nyl publish-tree`."""

    force: bool = False
    """Whether files that were edited outside nyl are written over."""
    author: Identity | None = None
    """Who commits; None takes Git's own identity."""
