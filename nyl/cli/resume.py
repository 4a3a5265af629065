"""`nyl resume`: lets held units go on."""

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


@click.command("resume")
@environment_option
@named_units_option
@wait_lease_option
@author_option
@local_option
@output_option
def command(
    environment: str, units: tuple[str, ...], wait_lease: timedelta | None, author: "Identity | None", output: str
) -> "Exit":
    """Lift the holds of units of ENV. The next reconcile or teardown carries out what waited.

    A failed or uncertain unit stays so: `nyl recover` decides about it.
    """
    from nyl.cli.state_operations import run_state_operation
    from nyl.engine.holding import resume
    from nyl.engine.operations import Operation

    operation = Operation("resume", environment, author, wait_lease)
    return run_state_operation(operation, lambda workspace: resume(workspace, operation, units), output)
