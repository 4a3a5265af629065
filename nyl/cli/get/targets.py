"""`nyl get targets`: the targets of the project."""

from typing import TYPE_CHECKING

import click

from nyl.cli.options import output_option

if TYPE_CHECKING:
    from nyl.core.exits import Exit


@click.command("targets")
@output_option
def command(output: str) -> "Exit":
    """List the targets of the project: their clusters, where they are published, and the groups that they render."""
    from nyl.cli.queries import list_items
    from nyl.engine.target_listing import list_targets

    return list_items("targets", output, list_targets)
