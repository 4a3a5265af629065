"""`nyl hold`: freezes units during an incident."""

from datetime import timedelta
from typing import TYPE_CHECKING

import click

from nyl.cli.options import (
    author_option,
    environment_option,
    local_option,
    named_units_option,
    output_option,
    single_option,
    text_value,
    wait_lease_option,
)

if TYPE_CHECKING:
    from nyl.core.exits import Exit
    from nyl.git.config import Identity


@click.command("hold")
@environment_option
@named_units_option
@single_option("--reason", type=text_value, default="", metavar="TEXT", help="Why, for those who find the units held.")
@wait_lease_option
@author_option
@local_option
@output_option
def command(
    environment: str,
    units: tuple[str, ...],
    reason: str,
    wait_lease: timedelta | None,
    author: "Identity | None",
    output: str,
) -> "Exit":
    """Hold units of ENV: runs change nothing about them until `nyl resume`, and their resources are not touched.

    While a run works it gets word of the hold, starts none of the units and writes the hold with its results.
    """
    from nyl.cli.state_operations import run_state_operation
    from nyl.engine.holding import hold
    from nyl.engine.operations import Operation

    operation = Operation("hold", environment, author, wait_lease)
    return run_state_operation(operation, lambda workspace: hold(workspace, operation, units, reason), output)
