"""`nyl state forget`: drops units from state and keeps their resources."""

from datetime import timedelta
from typing import TYPE_CHECKING

import click

from nyl.cli.options import (
    author_option,
    environment_option,
    local_option,
    named_units_option,
    output_option,
    wait_lease_option,
)

if TYPE_CHECKING:
    from nyl.core.exits import Exit
    from nyl.git.config import Identity


@click.command("forget")
@environment_option
@named_units_option
@wait_lease_option
@author_option
@local_option
@output_option
def command(
    environment: str, units: tuple[str, ...], wait_lease: timedelta | None, author: "Identity | None", output: str
) -> "Exit":
    """Drop retained tombstones and pending teardowns of ENV from its state. Their resources are not touched."""
    from nyl.cli.state_operations import run_state_operation
    from nyl.engine.forgetting import forget
    from nyl.engine.operations import Operation

    operation = Operation("state-forget", environment, author, wait_lease)
    return run_state_operation(operation, lambda workspace: forget(workspace, operation, units), output)
