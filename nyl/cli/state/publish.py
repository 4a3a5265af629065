"""`nyl state publish`: brings work from the local copy of a state to its remote."""

from datetime import timedelta
from typing import TYPE_CHECKING

import click

from nyl.cli.options import author_option, environment_option, output_option, wait_lease_option

if TYPE_CHECKING:
    from nyl.core.exits import Exit
    from nyl.git.config import Identity


@click.command("publish")
@environment_option
@wait_lease_option
@author_option
@output_option
def command(environment: str, wait_lease: timedelta | None, author: "Identity | None", output: str) -> "Exit":
    """Push what --local commands did with ENV to the remote that holds its state, if that has not moved meanwhile.

    What a dead local run left goes with it, for the next run to import.
    """
    from nyl.cli.invocation import View, run_leased
    from nyl.cli.output import Form
    from nyl.engine.local_state import publish_state

    return run_leased(
        lambda workspace: publish_state(workspace, environment, author, wait_lease),
        View(Form(output), environment=environment),
        "state-publish",
    )
