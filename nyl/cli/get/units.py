"""`nyl get units`: the units of an environment."""

from typing import TYPE_CHECKING

import click

from nyl.cli.options import environments_option, local_option, output_option, revision_option

if TYPE_CHECKING:
    from nyl.core.exits import Exit


@click.command("units")
@environments_option
@revision_option
@local_option
@output_option
def command(environments: tuple[str, ...], revision: str | None, output: str) -> "Exit":
    """List the units that are declared, with what is recorded of them."""
    from nyl.cli.queries import list_items
    from nyl.engine.listing import list_units

    return list_items("units", output, lambda workspace: list_units(workspace, environments, revision))
