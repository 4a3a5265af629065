"""`nyl delete environment`: removes an environment from the project."""

from typing import TYPE_CHECKING

import click

from nyl.cli.options import output_option

if TYPE_CHECKING:
    from nyl.core.exits import Exit


@click.command("environment")
@click.argument("name")
@output_option
def command(name: str, output: str) -> "Exit":
    """Remove environment NAME from the file that declares it.

    Refuses what would leave the project invalid.
    """
    from nyl.cli.edits import run_edit
    from nyl.engine.editing import delete
    from nyl.project.edits import Editable

    return run_edit(
        "delete", Editable.ENVIRONMENT, output, lambda workspace: delete(workspace, Editable.ENVIRONMENT, name)
    )
