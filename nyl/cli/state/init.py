"""`nyl state init`: creates the state of an environment."""

from typing import TYPE_CHECKING

import click

from nyl.cli.options import author_option, environment_option, local_option, output_option

if TYPE_CHECKING:
    from nyl.core.exits import Exit
    from nyl.git.config import Identity


@click.command("init")
@environment_option
@click.option("--fresh", is_flag=True, help="Start anew on the history of a state that was deleted or moved away.")
@author_option
@local_option
@output_option
def command(environment: str, fresh: bool, author: "Identity | None", output: str) -> "Exit":
    """Create the state of ENV where its declaration says it lives: one commit from which both state refs start.

    No other command creates state.
    """
    from nyl.cli.invocation import View, run_operation
    from nyl.cli.output import Form
    from nyl.engine.administration import initialize_state, initialize_state_anew
    from nyl.engine.results import ReportKind

    initialize = initialize_state_anew if fresh else initialize_state
    return run_operation(
        lambda workspace: initialize(workspace, environment, author),
        ReportKind.OPERATION,
        View(Form(output), environment=environment),
        "state-init",
    )
