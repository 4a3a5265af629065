"""`nyl get output`: the value of one output, as a reference to it would resolve."""

from typing import TYPE_CHECKING

import click

from nyl.cli.get.addresses import split_address
from nyl.cli.options import allow_stale_option, environment_option, local_option, output_option, revision_option

if TYPE_CHECKING:
    from nyl.core.exits import Exit


@click.command("output")
@click.argument("address", metavar="UNIT/OUTPUT")
@environment_option
@allow_stale_option
@revision_option
@local_option
@output_option
def command(address: str, environment: str, allow_stale: bool, revision: str | None, output: str) -> "Exit":
    """Print one output, exactly as a `fromUnit` reference to it would resolve.

    A string prints as it is, anything else as JSON; with -o json a string is JSON too.
    """
    unit, name = split_address(address, "UNIT/OUTPUT")
    from nyl.cli.printing import print_value
    from nyl.engine.values import output_value

    return print_value(
        "get-output",
        output,
        lambda workspace: output_value(workspace, environment, unit, name, revision, allow_stale=allow_stale),
    )
