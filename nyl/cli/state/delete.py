"""`nyl state delete`: ends the state of an environment."""

from datetime import timedelta
from typing import TYPE_CHECKING

import click

from nyl.cli.options import author_option, environment_option, output_option, wait_lease_option

if TYPE_CHECKING:
    from nyl.core.exits import Exit
    from nyl.git.config import Identity


@click.command("delete")
@environment_option
@click.option("--teardown", is_flag=True, help="Tear everything down first, as `nyl teardown --all` does.")
@wait_lease_option
@author_option
@output_option
def command(
    environment: str, teardown: bool, wait_lease: timedelta | None, author: "Identity | None", output: str
) -> "Exit":
    """End the state of ENV, in which no incarnation may be left. The state refs keep its history."""
    from nyl.cli.invocation import View, run_operation
    from nyl.cli.output import Form
    from nyl.cli.signals import cancelling_signals
    from nyl.core.cancellation import CancellationToken
    from nyl.engine.deleting_state import decommission, delete_state
    from nyl.engine.operations import Operation
    from nyl.engine.results import ReportKind

    operation = Operation("state-delete", environment, author, wait_lease)
    cancellation, view = CancellationToken(), View(Form(output), environment=environment)
    with cancelling_signals(cancellation.cancel):
        return run_operation(
            lambda workspace: decommission(workspace, operation) if teardown else delete_state(workspace, operation),
            ReportKind.OPERATION,
            view,
            operation.name,
            cancellation,
        )
