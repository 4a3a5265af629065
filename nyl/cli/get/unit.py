"""`nyl get unit`: the stored documents of one unit."""

from typing import TYPE_CHECKING

import click

from nyl.cli.options import environment_option, local_option, revision_option, single_option, stored_output_option

if TYPE_CHECKING:
    from nyl.core.exits import Exit


@click.command("unit")
@click.argument("unit")
@environment_option
@single_option("--desired", "part", flag_value="desired", help="Only the desired document.")
@single_option("--observed", "part", flag_value="observed", help="Only the observed document.")
@revision_option
@local_option
@stored_output_option
def command(unit: str, environment: str, part: str | None, revision: str | None, output: str) -> "Exit":
    """Print the documents that are stored of UNIT."""
    from nyl.cli.printing import print_documents
    from nyl.engine.values import unit_documents

    return print_documents(
        "get-unit", output, lambda workspace: unit_documents(workspace, environment, unit, part, revision)
    )
