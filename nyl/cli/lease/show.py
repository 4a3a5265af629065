"""`nyl lease show`: who holds an environment, and what dead runs left."""

from typing import TYPE_CHECKING

import click

from nyl.cli.options import environment_option, local_option, output_option

if TYPE_CHECKING:
    from nyl.core.exits import Exit


@click.command("show")
@environment_option
@local_option
@output_option
def command(environment: str, output: str) -> "Exit":
    """Show the lease of ENV, the runs that are under way or left results, evidence refs and unrecorded breaks.

    Reads only, and also where the state itself cannot be read.
    """
    from nyl.cli.invocation import View, run_operation
    from nyl.cli.output import Form
    from nyl.engine.leases import show_lease
    from nyl.engine.results import ReportKind
    from nyl.report.leases import lease_text

    return run_operation(
        lambda workspace: show_lease(workspace, environment),
        ReportKind.OPERATION,
        View(Form(output), as_text=lease_text, environment=environment),
        "lease-show",
    )
