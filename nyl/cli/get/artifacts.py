"""`nyl get artifacts`: the artifacts of recorded receipts."""

from typing import TYPE_CHECKING

import click

from nyl.cli.options import environments_option, local_option, output_option, revision_option

if TYPE_CHECKING:
    from nyl.core.exits import Exit


@click.command("artifacts")
@environments_option
@revision_option
@local_option
@output_option
def command(environments: tuple[str, ...], revision: str | None, output: str) -> "Exit":
    """List the artifacts that receipts hold."""
    from nyl.cli.queries import list_items
    from nyl.engine.listing import list_artifacts

    return list_items("artifacts", output, lambda workspace: list_artifacts(workspace, environments, revision))
