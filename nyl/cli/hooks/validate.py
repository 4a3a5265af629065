"""`nyl hooks validate`: the hook nyl-validate of the pre-commit framework."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from nyl.core.exits import Exit, worst

if TYPE_CHECKING:
    from nyl.cli.surroundings import Surroundings
    from nyl.engine.results import Report


@click.command("validate", hidden=True)
def command() -> Exit:
    """Check every project of the working tree, wherever in the repository it lies."""
    from nyl.cli.output import Form, emit
    from nyl.cli.surroundings import surroundings
    from nyl.engine.workspace import worktree_projects
    from nyl.git.repository import Repository

    around = surroundings()
    repository = Repository.discover(around.cwd, around.environ, around.clock)
    return worst([emit(_validated(around, each), Form.TEXT) for each in worktree_projects(repository)])


def _validated(around: "Surroundings", folder: Path) -> "Report":
    from nyl.core.diagnostics import NylError
    from nyl.engine.requests import Selection, ValidateRequest
    from nyl.engine.results import Report, ReportKind
    from nyl.engine.validate import validate
    from nyl.engine.workspace import Workspace

    try:
        workspace = Workspace.open(folder, around.environ, around.clock, lambda event: None)
        return validate(workspace, ValidateRequest(Selection()))
    except NylError as error:
        return Report(ReportKind.VALIDATE, diagnostics=error.diagnostics)
