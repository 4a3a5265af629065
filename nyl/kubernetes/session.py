"""What rendering works on: one source tree of a project, and how it may reach what is not in it."""

import posixpath
from collections.abc import Callable, Mapping
from dataclasses import field
from functools import cached_property
from pathlib import Path

from nyl.core.cache import Cache
from nyl.core.cancellation import CancellationToken
from nyl.core.dataclass import dataclass
from nyl.git.repository import Repository
from nyl.kubernetes.declarations import Declarations
from nyl.kubernetes.expansion.artifacts import Artifacts, CachedArtifacts
from nyl.kubernetes.git_files import GitFiles
from nyl.kubernetes.inputs.carrying import CarryFiles
from nyl.kubernetes.vendoring.captured_trees import CapturedTrees, GitTrees
from nyl.kubernetes.vendoring.policy import Vendored
from nyl.kubernetes.vendoring.snapshot import Snapshot
from nyl.project.config import VendorConfig, VendorMode
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
    carry_files: CarryFiles
    """Those of the working tree, whatever tree is rendered: a run sees the same bytes in all its renderings."""
    cache: Cache
    cache_folder: Path
    environ: Mapping[str, str]
    cancellation: CancellationToken = field(default_factory=CancellationToken)
    announce: Callable[[str], None] = lambda text: None
    """Is told of each step that takes time."""
    options: RenderOptions = RenderOptions()
    collector: Artifacts | None = None
    """Stands in for the vendor policy: takes note of all that comes from elsewhere."""

    @cached_property
    def vendored(self) -> Artifacts | None:
        """What comes from elsewhere, by the vendor policy; None without one. Raises NYL-VENDOR-CORRUPT."""
        mode = self.project.config.vendor.mode
        if self.collector is not None or mode is VendorMode.DISABLED:
            return self.collector
        snapshot = Snapshot.read(self.tree, self.vendor_folder)
        required = mode is VendorMode.REQUIRED
        return Vendored(snapshot, None if required else cached_artifacts(self.cache_folder, self.options))

    @cached_property
    def declarations(self) -> Declarations:
        """The Kubernetes resources of the project. Raises all that is wrong with them together."""
        return Declarations.of(self.project)

    @cached_property
    def git_files(self) -> GitFiles:
        """The trees of locked commits."""
        return GitFiles(self.repository, self.cache_folder, offline=self.options.offline)

    @cached_property
    def git_trees(self) -> GitTrees:
        """The trees of other repositories at locked commits, by the vendor policy."""
        return CapturedTrees(self.git_files, self.vendored) if self.vendored is not None else self.git_files

    @cached_property
    def artifacts(self) -> Artifacts:
        """What comes from elsewhere: charts, remote manifests and files of locked commits."""
        return self.vendored or cached_artifacts(self.cache_folder, self.options)

    @cached_property
    def known(self) -> Cache:
        """What was rendered before, as far as it may be taken over."""
        return Cache(None) if self.options.no_cache else self.cache

    @property
    def vendor_folder(self) -> str:
        """The folder of what was vendored, from the root of the repository."""
        return vendor_folder(self.tree.project_folder, self.project.config.vendor)

    def close(self) -> None:
        """Ends what reads other repositories. A later use starts it again."""
        self.git_files.close()


def cached_artifacts(cache_folder: Path, options: RenderOptions) -> CachedArtifacts:
    """What comes from elsewhere, as the cache has it or as it is fetched."""
    return CachedArtifacts(cache_folder / "artifacts", offline=options.offline, refresh=options.refresh)


def vendor_folder(project_folder: str, vendor: VendorConfig) -> str:
    """The folder of what was vendored, from the root of the repository."""
    return posixpath.normpath(posixpath.join(project_folder, vendor.path))
