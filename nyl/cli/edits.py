"""Commands that edit the project's files."""

from collections.abc import Callable

from nyl.cli.invocation import View, run_operation
from nyl.cli.output import Form
from nyl.core.exits import Exit
from nyl.engine.results import Report, ReportKind
from nyl.engine.workspace import Workspace
from nyl.project.edits import Edit, Editable


def run_edit(verb: str, what: Editable, output: str, edit: Callable[[Workspace], Edit]) -> Exit:
    """Carries out an edit and prints which file it wrote or removed."""
    operation = f"{verb}-{what}"

    def act(workspace: Workspace) -> Report:
        done = edit(workspace)
        details = {"removed" if done.content is None else "written": done.path}
        return Report(ReportKind.OPERATION, operation=operation, details=details)

    return run_operation(act, ReportKind.OPERATION, View(Form(output)), operation)
