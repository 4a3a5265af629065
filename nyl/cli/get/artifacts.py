"""`nyl get artifacts`: the artifacts of an environment's units."""

from typing import TYPE_CHECKING

import click

from nyl.cli.options import environment_option, output_option, revision_option

if TYPE_CHECKING:
    from nyl.core.exits import Exit


@click.command("artifacts")
@environment_option
@revision_option
@output_option
def command(environment: str, revision: str | None, output: str) -> "Exit":
    """List the artifacts that the receipts of ENV's units hold."""
    from nyl.cli.queries import list_items
    from nyl.engine.listing import list_artifacts

    return list_items("artifacts", output, lambda workspace: list_artifacts(workspace, environment, revision))
