"""`nyl get artifact`: one artifact, or a value inside it."""

from typing import TYPE_CHECKING

import click

from nyl.cli.get.addresses import split_address
from nyl.cli.options import (
    allow_stale_option,
    environment_option,
    local_option,
    output_option,
    revision_option,
    single_option,
)

if TYPE_CHECKING:
    from nyl.core.exits import Exit


@click.command("artifact")
@click.argument("address", metavar="UNIT/ARTIFACT")
@environment_option
@single_option(
    "--pointer",
    default="",
    metavar="POINTER",
    help="Only the value at this JSON pointer.  [default: the whole artifact]",
)
@allow_stale_option
@revision_option
@local_option
@output_option
def command(
    address: str, environment: str, pointer: str, allow_stale: bool, revision: str | None, output: str
) -> "Exit":
    """Print one artifact, or a value inside it, exactly as a `fromUnit` reference to it would resolve.

    A string prints as it is, anything else as JSON; with -o json a string is JSON too.
    """
    unit, name = split_address(address, "UNIT/ARTIFACT")
    if pointer and not pointer.startswith("/"):
        raise click.UsageError(f"The pointer {pointer!r} does not start with a slash.")
    from nyl.cli.printing import print_value
    from nyl.engine.values import artifact_value

    return print_value(
        "get-artifact",
        output,
        lambda workspace: artifact_value(
            workspace, environment, unit, name, pointer, revision, allow_stale=allow_stale
        ),
    )
