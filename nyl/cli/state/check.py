"""`nyl state check`: reads everything of a state and verifies it."""

from typing import TYPE_CHECKING

import click

from nyl.cli.options import environment_option, local_option, output_option

if TYPE_CHECKING:
    from nyl.core.exits import Exit


@click.command("check")
@environment_option
@local_option
@output_option
def command(environment: str, output: str) -> "Exit":
    """Read everything of ENV's state: schemas, digests, uids, references and the chain of transitions.

    Repairs nothing. Exits 1 with every problem that it finds.
    """
    from nyl.cli.invocation import View, run_operation
    from nyl.cli.output import Form
    from nyl.engine.administration import check_state
    from nyl.engine.results import ReportKind

    return run_operation(
        lambda workspace: check_state(workspace, environment),
        ReportKind.OPERATION,
        View(Form(output), environment=environment),
        "state-check",
    )
