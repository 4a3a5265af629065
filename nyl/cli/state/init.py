"""`nyl state init`: creates the state of an environment."""

from typing import TYPE_CHECKING

import click

from nyl.cli.options import author_option, environment_option, output_option

if TYPE_CHECKING:
    from nyl.core.exits import Exit
    from nyl.git.config import Identity


@click.command("init")
@environment_option
@author_option
@output_option
def command(environment: str, author: "Identity | None", output: str) -> "Exit":
    """Create the state of ENV where its declaration says it lives: one commit from which both state refs start.

    No other command creates state.
    """
    from nyl.cli.invocation import View, run_operation
    from nyl.cli.output import Form
    from nyl.engine.administration import initialize_state
    from nyl.engine.results import ReportKind

    return run_operation(
        lambda workspace, _listener: initialize_state(workspace, environment, author),
        ReportKind.OPERATION,
        View(Form(output), environment=environment),
        "state-init",
    )
