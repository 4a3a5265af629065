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
@wait_lease_option
@author_option
@output_option
def command(environment: str, wait_lease: timedelta | None, author: "Identity | None", output: str) -> "Exit":
    """End the state of ENV, in which no incarnation may be left. The state refs keep its history."""
    from nyl.cli.invocation import View, run_operation
    from nyl.cli.output import Form
    from nyl.engine.deleting_state import delete_state
    from nyl.engine.operations import Operation
    from nyl.engine.results import ReportKind

    operation = Operation("state-delete", environment, author, wait_lease)
    return run_operation(
        lambda workspace, _listener: delete_state(workspace, operation),
        ReportKind.OPERATION,
        View(Form(output), environment=environment),
        operation.name,
    )
