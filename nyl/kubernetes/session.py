"""What rendering works on: one source tree of a project, and how it may reach what is not in it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from nyl.core.cache import Cache
from nyl.core.cancellation import CancellationToken
from nyl.git.repository import Repository
from nyl.project.discovery import Project
from nyl.project.trees import WholeTree

DEFAULT_CONCURRENCY = 4


@dataclass(frozen=True)
class RenderOptions:
    """How a tree command was called."""

    offline: bool = False
    """Nothing is asked of any remote."""
    refresh: bool = False
    """What was fetched before is fetched again."""
    no_cache: bool = False
    """Nothing that was rendered before is taken over."""
    concurrency: int = DEFAULT_CONCURRENCY
    """How many charts are rendered at once."""


@dataclass(frozen=True)
class RenderSession:
    """A project at one source tree, and what rendering it needs.

    Nothing of the process environment is visible to what is rendered: `environ` is what tools are started with.
    """

    project: Project
    tree: WholeTree
    commit: str | None
    """The commit whose tree it is; None for a working tree with changes."""
    repository: Repository
    """The project's own: its settings hold for the repositories that are fetched from."""
    cache: Cache
    cache_folder: Path
    environ: Mapping[str, str]
    cancellation: CancellationToken = field(default_factory=CancellationToken)
    announce: Callable[[str], None] = lambda text: None
    """Is told of each step that takes time."""
    options: RenderOptions = RenderOptions()
