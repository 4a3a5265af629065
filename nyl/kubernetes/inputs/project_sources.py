"""The sources of inputs as a project has them: its files, locked commits, the publication branch and carry files."""

from collections.abc import Callable
from dataclasses import field
from functools import cached_property

from nyl.core.dataclass import dataclass
from nyl.kubernetes.expansion.artifacts import Artifacts
from nyl.kubernetes.git_files import GitFiles
from nyl.kubernetes.inputs.carrying import CarryFiles
from nyl.kubernetes.inputs.provenance import check_path
from nyl.kubernetes.inputs.sources import GitLock, PublicationState, SourceFile
from nyl.kubernetes.vendoring.policy import Direct
from nyl.project.local_files import local_file, regular_file
from nyl.project.trees import WholeTree


@dataclass(frozen=True)
class ProjectSources:
    """What bindings of one target are resolved from. `tree` is the source tree that is rendered."""

    tree: WholeTree
    git_files: GitFiles
    carry_files: CarryFiles
    open_state: Callable[[], PublicationState]
    """Reads the publication branch."""
    artifacts: Artifacts = field(default_factory=Direct)
    """Gives locked files by the vendor policy."""
    vendor_folder: str | None = None
    """From the root, where the project has one."""

    @cached_property
    def state(self) -> PublicationState:
        """What is published of the target, read when it is first asked for."""
        return self.open_state()

    def file(self, path: str) -> SourceFile:
        """The file of a `fromFile`. Raises NYL-PATH-REFUSED, NYL-SOURCE-INPUT and NYL-FILE-INACCESSIBLE."""
        found = local_file(self.tree, self.tree.project_folder, path, self.vendor_folder)
        check_path(found)
        return SourceFile(found, self.tree.read_many([found])[found])

    def git(self, lock: GitLock) -> bytes:
        """The file of a `fromGit`. Raises NYL-SOURCE-MISSING, NYL-SOURCE-INPUT and NYL-REMOTE-UNAVAILABLE."""
        return self.artifacts.read(lock.key, lambda: self._fetched(lock))

    def carry(self, path: str) -> bytes | None:
        """The file of a `carryFileFromWorktree`. Raises NYL-PATH-REFUSED, NYL-STATE-PATH, NYL-FILE-INACCESSIBLE."""
        return self.carry_files.read(path)

    def _fetched(self, lock: GitLock) -> bytes:
        tree = self.git_files.tree(lock.repository.url, lock.commit, lock.owner)
        found = regular_file(tree, "", lock.path)
        return tree.read_many([found])[found]
