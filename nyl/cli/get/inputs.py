"""`nyl get inputs`: the effective inputs of a target's Releases."""

from typing import TYPE_CHECKING

import click

from nyl.cli.options import output_option
from nyl.cli.tree_options import offline_option, target_option

if TYPE_CHECKING:
    from nyl.core.exits import Exit


@click.command("inputs")
@target_option
@offline_option
@output_option
def command(target: str | None, offline: bool, output: str) -> "Exit":
    """List every effective input of the Releases of a target, with its source."""
    from nyl.cli.queries import list_items
    from nyl.engine.release_inputs import list_inputs

    return list_items("inputs", output, lambda workspace: list_inputs(workspace, target, offline=offline))
