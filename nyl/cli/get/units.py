"""`nyl get units`: the units of an environment."""

from typing import TYPE_CHECKING

import click

from nyl.cli.options import environment_option, output_option, revision_option

if TYPE_CHECKING:
    from nyl.core.exits import Exit


@click.command("units")
@environment_option
@revision_option
@output_option
def command(environment: str, revision: str | None, output: str) -> "Exit":
    """List the units of ENV."""
    from nyl.cli.queries import list_items
    from nyl.engine.listing import list_units

    return list_items("units", output, lambda workspace: list_units(workspace, environment, revision))
