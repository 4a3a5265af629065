"""`nyl get environments`: the environments of the project."""

from typing import TYPE_CHECKING

import click

from nyl.cli.options import environments_option, output_option

if TYPE_CHECKING:
    from nyl.core.exits import Exit


@click.command("environments")
@environments_option
@output_option
def command(environments: tuple[str, ...], output: str) -> "Exit":
    """List the environments of the project."""
    from nyl.cli.queries import list_items
    from nyl.engine.listing import list_environments

    return list_items("environments", output, lambda workspace: list_environments(workspace, environments))
