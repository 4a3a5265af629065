"""The project that an invocation works on, and everything it reads from: opened once, read when needed."""

import os
from collections.abc import Mapping
from dataclasses import field
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from nyl.core.background import Background
from nyl.core.cache import Cache
from nyl.core.cancellation import CancellationToken
from nyl.core.clock import Clock
from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Location, NylError
from nyl.engine.content import Content
from nyl.engine.events import Listener, Step
from nyl.git.objects import ObjectReader
from nyl.git.repository import Repository
from nyl.git.status import worktree_changes
from nyl.git.trees import TreeListing
from nyl.project.config import FILE_NAME, ProjectConfig, load_config
from nyl.project.discovery import Discovery, Project
from nyl.project.local_paths import local_path
from nyl.project.trees import CommitTree, SourceTree, WorktreeTree
from nyl.project.units import RenderedUnit
from nyl.units.registry import DriverRegistry

if TYPE_CHECKING:  # trees of manifests have neither
    from nyl.state.documents import UnitIdentity
    from nyl.units.driver import Driver


@dataclass(frozen=True)
class _Place:
    root: Path
    folder: str
    is_local: bool = False
    cancellation: CancellationToken = field(default_factory=CancellationToken)


class Workspace:
    """A project in a working tree. Nothing is parsed or asked of Git before it is needed."""

    def __init__(
        self, repository: Repository, place: _Place, environ: Mapping[str, str], clock: Clock, listener: Listener
    ) -> None:
        self.repository = repository
        self.root = place.root
        self.project_folder = place.folder
        """Folder of nyl.toml, relative to the root of the working tree; '' is the root itself."""
        self.is_local = place.is_local
        """Whether the invocation works on what is here of state and source, without their remotes."""
        self.cancellation = place.cancellation
        """Cancels the invocation: what holds a lease gives it back then, and nothing takes one."""
        self.environ = environ
        self.clock = clock
        self.listener = listener
        self.kinds = DriverRegistry()
        self.objects = ObjectReader(repository)
        self._projects: dict[str, Project] = {}
        self._listings: dict[str, TreeListing] = {}

    @classmethod
    def open(
        cls,
        cwd: Path,
        environ: Mapping[str, str],
        clock: Clock,
        listener: Listener,
        *,
        is_local: bool = False,
        cancellation: CancellationToken | None = None,
    ) -> "Workspace":
        """The project that the working directory lies in. With `is_local` no remote is asked anything.

        Raises NYL-PROJECT-MISSING when there is no Git repository, or no nyl.toml from there upward.
        """
        repository = Repository.discover(cwd, environ, clock, lambda text: listener(Step(None, text)))
        if repository.root is None:
            raise _no_project(cwd, "is in a bare repository, which has no working tree")
        root = repository.root
        here = cwd.resolve()
        for folder in (here, *here.parents):
            if (folder / FILE_NAME).is_file():
                relative = PurePosixPath(folder.relative_to(root.resolve()))
                place = _Place(
                    root, "" if str(relative) == "." else str(relative), is_local, cancellation or CancellationToken()
                )
                return cls(repository, place, environ, clock, listener)
            if folder == root.resolve():
                break
        upward = "" if cwd == root else f" nor in a folder above it, up to {root}"
        raise _no_project(cwd, f"is in no project: there is no {FILE_NAME} in it{upward}")

    def cancelled(self) -> bool:
        """Whether the invocation was cancelled."""
        return self.cancellation.cancelled

    @property
    def folder(self) -> Path:
        """The project's folder in the working tree."""
        return self.root / self.project_folder

    @cached_property
    def config(self) -> ProjectConfig:
        """The settings of the working tree's nyl.toml."""
        file = _file_in(self.project_folder)
        return load_config((self.folder / FILE_NAME).read_bytes(), file)

    @cached_property
    def cache_folder(self) -> Path:
        """Where everything lies that can be made again."""
        return self.folder / self.config.cache_dir

    @property
    def unit_cache_folder(self) -> Path:
        """Where the tools of units keep what they download."""
        return self.cache_folder / "units"

    @cached_property
    def cache(self) -> Cache:
        """Parsed documents and digests of blobs, by content."""
        return Cache(self.cache_folder / "cache.sqlite")

    @cached_property
    def _discovery(self) -> Discovery:
        return Discovery(self.kinds, self.cache)

    @cached_property
    def head(self) -> str | None:
        """The commit of the working tree; None before the first."""
        return self.objects.resolve("HEAD")

    @cached_property
    def worktree_files(self) -> SourceTree:
        """The files of the working tree, uncommitted changes included."""
        changes = Background(lambda: worktree_changes(self.repository, self.project_folder))
        return WorktreeTree(self.root, self.head_files, changes.result(), self.project_folder)

    @cached_property
    def head_files(self) -> CommitTree | None:
        """What HEAD has of the files of the working tree; None before the first commit."""
        head = self.head
        return CommitTree(self.objects, head, self.project_folder, self.listing(head)) if head else None

    @cached_property
    def worktree(self) -> Project:
        """The project as the working tree has it, uncommitted changes included."""
        return self.project_of(self.worktree_files)

    def project_of(self, tree: SourceTree) -> Project:
        """The project as some files make it, with the settings of the working tree."""
        return self._discovery.project(tree, self.config)

    def project_at(self, commit: str) -> Project:
        """The project as a commit has it, with the settings that its nyl.toml gives to what a commit decides."""
        if commit not in self._projects:
            tree = self.tree_at(commit)
            self._projects[commit] = self._discovery.project(tree, self._config_at(tree))
        return self._projects[commit]

    def listing(self, commit: str) -> TreeListing:
        """All files of a commit of the project's repository."""
        if commit not in self._listings:
            self._listings[commit] = self.objects.tree(commit)
        return self._listings[commit]

    def content(self, commit: str) -> Content:
        """The files of a commit as a unit of the project sees them. Raises NYL-PATH-REFUSED as `folder_at`."""
        return Content(self.repository, commit, self.folder_at(commit), self.listing(commit))

    def driver_of(self, unit: RenderedUnit) -> "Driver":
        """The driver of a unit. Raises NYL-KIND-UNKNOWN and NYL-DRIVER-INVALID."""
        return self.kinds.driver(unit.api_version, unit.kind)

    def recorded_driver(self, unit: "UnitIdentity") -> "Driver | None":
        """The driver of a recorded unit; None when it is not installed any more."""
        if self.kinds.find(unit.api_version, unit.kind) is None:
            return None
        return self.kinds.driver(unit.api_version, unit.kind)

    def tree_at(self, commit: str) -> CommitTree:
        """The files of a commit of the project's repository. Raises NYL-PATH-REFUSED as `folder_at`."""
        return CommitTree(self.objects, commit, self.folder_at(commit), self.listing(commit))

    def folder_at(self, commit: str) -> str:
        """The project's folder in a commit: where it is now, else the first of `previous_paths` that has a project.

        Raises NYL-PATH-REFUSED for one of these that leaves the repository.
        """
        entries, location = self.listing(commit), Location(self.config.file)
        if _file_in(self.project_folder) not in entries:
            for path in self.config.project.previous_paths:
                folder = local_path(path, self.project_folder, location)
                if _file_in(folder) in entries:
                    return folder
        return self.project_folder

    def check_project_at(self, commit: str) -> None:
        """Raises NYL-PROJECT-MISSING for a commit without the project, and NYL-PATH-REFUSED as `folder_at`."""
        path = _file_in(self.folder_at(commit))
        if path not in self.listing(commit):
            raise NylError(
                Code.PROJECT_MISSING,
                f"Commit {commit[:12]} has no {path}, so the project does not exist there.",
                f"commit {path}, or choose a source commit that has it; where the project was moved since, name the "
                "folder that it was in under `previous_paths` of [project] in nyl.toml",
            )

    def _config_at(self, tree: CommitTree) -> ProjectConfig:
        self.check_project_at(tree.commit)
        path = _file_in(tree.project_folder)
        data = tree.read_many([path])[path]
        return self.config if data == (self.folder / FILE_NAME).read_bytes() else load_config(data, path)


def worktree_projects(repository: Repository) -> list[Path]:
    """The folders of a working tree that hold a nyl.toml, tracked or not ignored; none in a bare repository."""
    if repository.root is None:
        return []
    options = ("-z", "--cached", "--others", "--exclude-standard")
    listing = repository.checked("ls-files", *options, "--", FILE_NAME, f"*/{FILE_NAME}")
    files = {repository.root / os.fsdecode(path) for path in listing.split(b"\0") if path}
    return sorted(each.parent for each in files if each.is_file())


def _file_in(folder: str) -> str:
    return str(PurePosixPath(folder) / FILE_NAME)


def _no_project(cwd: Path, why: str) -> NylError:
    return NylError(Code.PROJECT_MISSING, f"{cwd} {why}.", "change into a project, or make one with `nyl init`")
