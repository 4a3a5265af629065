"""The file that a direct command is given: a source of the project, or of another repository that is checked out."""

from pathlib import Path

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.engine.events import Step
from nyl.engine.workspace import Workspace
from nyl.git.objects import ObjectReader
from nyl.git.repository import Repository
from nyl.git.status import worktree_changes
from nyl.kubernetes.direct_sources import DirectSource, checkout_source, project_source
from nyl.kubernetes.session import RenderSession
from nyl.project.trees import CommitTree, WorktreeTree


def release_source(workspace: Workspace, session: RenderSession, file: Path) -> DirectSource:
    """The Release of a file. Raises NYL-RELEASE-MISSING, and what is wrong with its repository."""
    place = file.parent.resolve() / file.name
    if not place.is_file():
        raise NylError(Code.RELEASE_MISSING, f"{file} is no file.", "name a file that holds a Release")
    root = workspace.root.resolve()
    if place.is_relative_to(root):
        return project_source(session, place.relative_to(root).as_posix())
    return _elsewhere(workspace, place)


def _elsewhere(workspace: Workspace, place: Path) -> DirectSource:
    repository = Repository.discover(
        place.parent, workspace.environ, workspace.clock, lambda text: workspace.listener(Step(None, text))
    )
    if repository.root is None:
        message = f"{place} lies in a bare repository, which has no working tree."
        raise NylError(Code.RELEASE_MISSING, message, "name a file of a checkout")
    reader = ObjectReader(repository)
    head = reader.resolve("HEAD")
    base = CommitTree(reader, head, "") if head else None
    tree = WorktreeTree(repository.root, base, worktree_changes(repository), "")
    return checkout_source(tree, place.relative_to(repository.root.resolve()).as_posix())
