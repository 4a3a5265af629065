"""`nyl lease break`: declares the holder of a lease gone."""

from typing import TYPE_CHECKING

import click

from nyl.cli.options import author_option, environment_option, local_option, output_option, single_option, text_value

if TYPE_CHECKING:
    from nyl.core.exits import Exit
    from nyl.git.config import Identity


@click.command("break")
@environment_option
@single_option("--reason", type=text_value, required=True, metavar="TEXT", help="Why the holder is known to be gone.")
@author_option
@local_option
@output_option
def command(environment: str, reason: str, author: "Identity | None", output: str) -> "Exit":
    """Declare the run that holds ENV's lease gone, without waiting for its deadline.

    The next reconcile, teardown or `nyl recover -e ENV` imports what that run recorded; nothing else writes state
    before. A holder that is alive after all can no longer write state. An ENV that the project ceased to declare is
    known by the state on its usual refs.
    """
    from nyl.cli.invocation import View, run_operation
    from nyl.cli.output import Form
    from nyl.engine.leases import break_lease
    from nyl.engine.results import ReportKind

    return run_operation(
        lambda workspace: break_lease(workspace, environment, reason, author),
        ReportKind.OPERATION,
        View(Form(output), environment=environment),
        "lease-break",
    )
