"""`nyl get runs`: the runs that are under way or left results."""

from typing import TYPE_CHECKING

import click

from nyl.cli.options import environments_option, local_option, output_option

if TYPE_CHECKING:
    from nyl.core.exits import Exit


@click.command("runs")
@environments_option
@local_option
@output_option
def command(environments: tuple[str, ...], output: str) -> "Exit":
    """List the runs that are under way or left results."""
    from nyl.cli.queries import list_items
    from nyl.engine.listing import list_runs

    return list_items("runs", output, lambda workspace: list_runs(workspace, environments))
