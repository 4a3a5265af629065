"""`nyl state show`: the documents of a state as they are stored."""

from typing import TYPE_CHECKING

import click

from nyl.cli.options import environment_option, revision_option

if TYPE_CHECKING:
    from nyl.core.exits import Exit


@click.command("show")
@environment_option
@revision_option
@click.option("-o", "--output", type=click.Choice(["yaml", "json"]), default="yaml", show_default=True)
def command(environment: str, revision: str | None, output: str) -> "Exit":
    """Print every document of ENV's state as it is stored, by its path."""
    from nyl.cli.get.printing import print_text
    from nyl.cli.output import Form
    from nyl.core.yamlio import dump
    from nyl.engine.administration import stored_documents
    from nyl.report.documents import json_text

    return print_text(
        "state-show",
        Form.JSON if output == "json" else Form.TEXT,
        lambda workspace: stored_documents(workspace, environment, revision),
        json_text if output == "json" else dump,
    )
