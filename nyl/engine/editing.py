"""Adding and removing environments and units in the working tree, unless that would leave the project invalid."""

from collections.abc import Mapping

from nyl.core.diagnostics import NylError, NylErrors
from nyl.engine.project_check import problems_of
from nyl.engine.workspace import Workspace
from nyl.project.edits import Edit, Editable, EditedTree, apply_edit, creation, deletion


def create(workspace: Workspace, what: Editable, name: str, labels: Mapping[str, str], kind: str = "Command") -> Edit:
    """Writes a new environment or unit. Raises what `creation` raises, and every problem that it would bring."""
    return _carry_out(
        workspace, creation(workspace.worktree, workspace.worktree_files, what, name, labels=labels, kind=kind)
    )


def delete(workspace: Workspace, what: Editable, name: str) -> Edit:
    """Removes an environment or unit. Raises what `deletion` raises, and every problem that it would bring."""
    return _carry_out(workspace, deletion(workspace.worktree, workspace.worktree_files, what, name))


def _carry_out(workspace: Workspace, edit: Edit) -> Edit:
    edited = workspace.project_of(EditedTree(workspace.worktree_files, edit))
    folder, driver_of = workspace.project_folder, workspace.driver_of
    before = {(each.code, each.message) for each in problems_of(workspace.worktree, folder, driver_of)}
    brought = [each for each in problems_of(edited, folder, driver_of) if (each.code, each.message) not in before]
    if brought:
        raise NylErrors(
            NylError(
                each.code,
                each.message,
                f"{each.fix} (nothing was written)",
                environment=each.environment,
                unit=each.unit,
                location=each.location,
            )
            for each in brought
        )
    apply_edit(workspace.root, edit)
    return edit
