"""`nyl create unit`: adds a unit to the project."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from nyl.cli.options import label_option, merged_labels, output_option, single_option

if TYPE_CHECKING:
    from nyl.core.exits import Exit


@click.command("unit")
@click.argument("name")
@single_option("--kind", metavar="KIND", default="Command", show_default=True, help="The kind of the unit.")
@label_option
@output_option
def command(name: str, kind: str, labels: tuple[Mapping[str, str], ...], output: str) -> "Exit":
    """Write unit NAME into a new file of the project.

    Refuses what would leave the project invalid.
    """
    wanted = merged_labels(labels)
    from nyl.cli.edits import run_edit
    from nyl.engine.editing import create
    from nyl.project.edits import Editable

    return run_edit(
        "create", Editable.UNIT, output, lambda workspace: create(workspace, Editable.UNIT, name, wanted, kind)
    )
