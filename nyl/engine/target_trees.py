"""The trees of one target in one invocation: that of the working tree, or those of commits."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from nyl.engine.publications import PublicationOnDemand
from nyl.engine.rendering import commit_session, open_carry_files, worktree_session
from nyl.engine.tree_requests import TreeRequest
from nyl.engine.workspace import Workspace
from nyl.kubernetes.compiler import compile_target
from nyl.kubernetes.inputs.carrying import CarryFiles
from nyl.kubernetes.resources import DeploymentTarget
from nyl.kubernetes.session import RenderSession
from nyl.kubernetes.targets import select_target
from nyl.kubernetes.tree import RenderedTree


@dataclass
class TargetTrees:
    """Renders a target. All its trees see the same carry files and the same head of the publication branch."""

    workspace: Workspace
    request: TreeRequest
    session: RenderSession
    target: DeploymentTarget
    publication: PublicationOnDemand
    carry_files: CarryFiles
    opened: list[RenderSession] = field(default_factory=list)

    def tree(self) -> RenderedTree:
        """The tree of the source that was asked for. Raises what rendering raises."""
        return compile_target(self.session, self.target, lambda: self.publication.folder)

    def tree_at(self, commit: str) -> RenderedTree | None:
        """The tree that another commit has of the target; None where it has no such target."""
        session = commit_session(self.workspace, commit, self.request.options, self.carry_files)
        self.opened.append(session)
        target = session.declarations.targets.get(self.target.name)
        return compile_target(session, target, lambda: self.publication.folder) if target else None


@contextmanager
def target_trees(workspace: Workspace, request: TreeRequest, commit: str | None = None) -> Iterator[TargetTrees]:
    """The trees of a target, of the working tree or of a commit; they can be read while this is open.

    Raises NYL-TARGET-UNKNOWN and what is wrong with the project.
    """
    options, carry_files = request.options, open_carry_files(workspace)
    session = (
        worktree_session(workspace, options, carry_files)
        if commit is None
        else commit_session(workspace, commit, options, carry_files)
    )
    opened = [session]
    try:
        target = select_target(session.declarations, request.target).target
        publication = PublicationOnDemand(workspace, target.publication, options.offline)
        yield TargetTrees(workspace, request, session, target, publication, carry_files, opened)
    finally:
        for each in opened:
            each.close()
