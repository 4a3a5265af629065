"""Render sessions on real repositories, for tests that compile targets."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from nyl.core.cache import Cache
from nyl.core.diagnostics import Diagnostic, NylError
from nyl.git.objects import ObjectReader
from nyl.git.repository import Repository
from nyl.kubernetes.compiler import compile_target
from nyl.kubernetes.inputs.carrying import CarryFiles
from nyl.kubernetes.session import RenderOptions, RenderSession
from nyl.kubernetes.tree import RenderedTree
from nyl.project.config import load_config
from nyl.project.discovery import discover
from nyl.project.trees import CommitTree, WholeTree
from nyl.units.registry import DriverRegistry
from tests.project.repositories import commit_all, new_repository, worktree_of
from tests.support.kubernetes_project import PROJECT

PLAIN = RenderOptions()


@dataclass
class BranchState:
    """A publication branch that holds some files below the prefix."""

    files: Mapping[str, bytes] = field(default_factory=dict)
    commit: str | None = None
    is_cached: bool = False

    def read(self, path: str) -> bytes | None:
        return self.files.get(path)


class Site:
    """A Kubernetes project in a repository, compiled as often as a test wants. `folder` holds nyl.toml."""

    def __init__(self, root: Path, files: Mapping[str, str | bytes] = PROJECT, folder: str = "") -> None:
        self.root = root / "work"
        self.repository: Repository = new_repository(self.root)
        self.folder = folder
        self.cache = Cache(root / "cache" / "cache.sqlite")
        self.cache_folder = root / "cache"
        self.told: list[str] = []
        self.environ: dict[str, str] = {}
        """What tools are started with beside PATH and HOME."""
        self.write({"nyl.toml": "", **files})

    def write(self, files: Mapping[str, str | bytes]) -> "Site":
        """Writes files of the project."""
        for name, content in files.items():
            path = self.root / self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return self

    def remove(self, name: str) -> "Site":
        """Deletes a file of the project."""
        (self.root / self.folder / name).unlink()
        return self

    def commit(self) -> str:
        """Commits everything."""
        return commit_all(self.repository)

    def session(self, commit: str | None = None, options: RenderOptions = PLAIN) -> RenderSession:
        """Rendering the working tree, or a commit."""
        tree: WholeTree = worktree_of(self.repository, self.folder)
        if commit is not None:
            tree = CommitTree(ObjectReader(self.repository), commit, self.folder)
        file = f"{self.folder}/nyl.toml".lstrip("/")
        config = load_config(tree.read_many([file])[file], file)
        return RenderSession(
            project=discover(tree, config, DriverRegistry(), self.cache),
            tree=tree,
            commit=commit,
            repository=self.repository,
            carry_files=CarryFiles(self.repository, self.root, self.folder),
            cache=self.cache,
            cache_folder=self.cache_folder,
            environ={"PATH": os.environ["PATH"], "HOME": str(self.cache_folder), **self.environ},
            announce=self.told.append,
            options=options,
        )

    def compile(
        self,
        target: str = "prod",
        *,
        commit: str | None = None,
        state: BranchState | None = None,
        options: RenderOptions = PLAIN,
    ) -> RenderedTree:
        """The tree of a target."""
        session = self.session(commit, options)
        try:
            return compile_target(session, session.declarations.targets[target], lambda: state or BranchState())
        finally:
            session.close()

    def texts(self, target: str = "prod", **options: RenderOptions) -> dict[str, str]:
        """The files of a target's tree, as text."""
        tree = self.compile(target, **options)
        return {path: data.decode() for path, data in tree.contents.read_many(list(tree.files)).items()}

    def problems(self, target: str = "prod") -> list[Diagnostic]:
        """What is wrong with a target, compiled from the working tree."""
        with pytest.raises(NylError) as caught:
            self.compile(target)
        return list(caught.value.diagnostics)
