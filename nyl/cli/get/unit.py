"""`nyl get unit`: the stored documents of one unit."""

from typing import TYPE_CHECKING

import click

from nyl.cli.options import environment_option, revision_option

if TYPE_CHECKING:
    from nyl.core.exits import Exit


@click.command("unit")
@click.argument("unit")
@environment_option
@click.option("--desired", "part", flag_value="desired", help="Only the desired document.")
@click.option("--observed", "part", flag_value="observed", help="Only the observed document.")
@revision_option
@click.option("-o", "--output", type=click.Choice(["yaml", "json"]), default="yaml", show_default=True)
def command(unit: str, environment: str, part: str | None, revision: str | None, output: str) -> "Exit":
    """Print the documents that are stored of UNIT."""
    from nyl.cli.get.printing import print_text
    from nyl.cli.output import Form
    from nyl.core.yamlio import dump
    from nyl.engine.values import unit_documents
    from nyl.report.documents import json_text

    return print_text(
        "get-unit",
        Form.JSON if output == "json" else Form.TEXT,
        lambda workspace: unit_documents(workspace, environment, unit, part, revision),
        json_text if output == "json" else dump,
    )
