"""`nyl create environment`: adds an environment to the project."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from nyl.cli.options import label_option, merged_labels, output_option

if TYPE_CHECKING:
    from nyl.core.exits import Exit


@click.command("environment")
@click.argument("name")
@label_option
@output_option
def command(name: str, labels: tuple[Mapping[str, str], ...], output: str) -> "Exit":
    """Write environment NAME into a new file of the project.

    Refuses what would leave the project invalid.
    """
    wanted = merged_labels(labels)
    from nyl.cli.edits import run_edit
    from nyl.engine.editing import create
    from nyl.project.edits import Editable

    return run_edit(
        "create", Editable.ENVIRONMENT, output, lambda workspace: create(workspace, Editable.ENVIRONMENT, name, wanted)
    )
