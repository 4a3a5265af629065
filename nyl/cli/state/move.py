"""`nyl state move`: brings a state to its configured place."""

from datetime import timedelta
from typing import TYPE_CHECKING

import click

from nyl.cli.options import author_option, environment_option, output_option, single_option, wait_lease_option

if TYPE_CHECKING:
    from nyl.core.exits import Exit
    from nyl.git.config import Identity


@click.command("move")
@environment_option
@single_option("--from", "url", required=True, metavar="URL", help="The repository that holds the state now.")
@wait_lease_option
@author_option
@output_option
def command(environment: str, url: str, wait_lease: timedelta | None, author: "Identity | None", output: str) -> "Exit":
    """Move the state of ENV with its history from the repository at URL to where its declaration says it lives.

    Change spec.state of the Environment first. The old place keeps a marker, so that runs at older revisions of the
    project stop with NYL-STATE-MOVED.
    """
    from nyl.cli.state_operations import run_state_operation
    from nyl.engine.moving import move_state
    from nyl.engine.operations import Operation

    operation = Operation("state-move", environment, author, wait_lease)
    return run_state_operation(operation, lambda workspace: move_state(workspace, operation, url), output)
