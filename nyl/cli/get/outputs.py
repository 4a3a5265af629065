"""`nyl get outputs`: the outputs of recorded receipts."""

from typing import TYPE_CHECKING

import click

from nyl.cli.options import environments_option, local_option, output_option, revision_option

if TYPE_CHECKING:
    from nyl.core.exits import Exit


@click.command("outputs")
@environments_option
@revision_option
@local_option
@output_option
def command(environments: tuple[str, ...], revision: str | None, output: str) -> "Exit":
    """List the outputs that receipts hold."""
    from nyl.cli.queries import list_items
    from nyl.engine.listing import list_outputs

    return list_items("outputs", output, lambda workspace: list_outputs(workspace, environments, revision))
