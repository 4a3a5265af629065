"""Render sessions of a workspace: its working tree, or one of its commits."""

from collections.abc import Mapping
from dataclasses import replace

from nyl.engine.events import Step
from nyl.engine.workspace import Workspace
from nyl.git.status import Changed, worktree_changes
from nyl.kubernetes.inputs.carrying import CarryFiles, carry_paths
from nyl.kubernetes.session import RenderOptions, RenderSession
from nyl.kubernetes.source_changes import source_changes
from nyl.project.discovery import Project
from nyl.project.trees import WholeTree, WorktreeTree


def open_carry_files(workspace: Workspace) -> CarryFiles:
    """The carry files of the working tree, for all sessions of one invocation."""
    return CarryFiles(workspace.repository, workspace.root, workspace.project_folder)


def worktree_session(workspace: Workspace, options: RenderOptions, carry_files: CarryFiles) -> RenderSession:
    """Rendering of the working tree, uncommitted changes included.

    The session has HEAD as its commit where nothing differs from it but untracked carry files of its targets. Raises
    what is wrong with the project, as `Workspace.worktree` does.
    """
    tree, changes = _whole_worktree(workspace)
    project = workspace.project_of(tree)
    session = _session(workspace, project, tree, None, options, carry_files)
    return session if _is_dirty(session, changes) else replace(session, commit=workspace.head)


def commit_session(workspace: Workspace, commit: str, options: RenderOptions, carry_files: CarryFiles) -> RenderSession:
    """Rendering of a commit. Raises NYL-PROJECT-MISSING where it has no project, and what is wrong with that."""
    project = workspace.project_at(commit)
    return _session(workspace, project, workspace.tree_at(commit), commit, options, carry_files)


def _session(
    workspace: Workspace,
    project: Project,
    tree: WholeTree,
    commit: str | None,
    options: RenderOptions,
    carry_files: CarryFiles,
) -> RenderSession:
    return RenderSession(
        project=project,
        tree=tree,
        commit=commit,
        repository=workspace.repository,
        carry_files=carry_files,
        cache=workspace.cache,
        cache_folder=workspace.cache_folder,
        environ=workspace.environ,
        cancellation=workspace.cancellation,
        announce=lambda text: workspace.listener(Step(None, text)),
        options=options,
    )


def _is_dirty(session: RenderSession, changes: Mapping[str, Changed]) -> bool:
    """Whether the source differs from HEAD."""
    if not changes:
        return False
    targets = session.declarations.targets.values()
    carried = frozenset[str]().union(*(carry_paths(each, session.tree.project_folder) for each in targets))
    return bool(source_changes(changes, carried, session.tree.project_folder))


def _whole_worktree(workspace: Workspace) -> tuple[WorktreeTree, Mapping[str, Changed]]:
    """The working tree, which the local path rule reaches outside the project's folder too, and what changed in it."""
    changes = worktree_changes(workspace.repository)
    tree = WorktreeTree(workspace.root, workspace.head_files, changes, workspace.project_folder)
    return tree, changes
