"""`nyl state reset`: drops what the local copy of a state holds and its remote lacks."""

from typing import TYPE_CHECKING

import click

from nyl.cli.options import author_option, output_option, single_option, text_value

if TYPE_CHECKING:
    from nyl.core.exits import Exit
    from nyl.git.config import Identity


@click.command("reset")
@click.option(
    "-e",
    "--environment",
    "environments",
    required=True,
    multiple=True,
    metavar="ENV",
    help="The environment; repeatable.",
)
@single_option("--reason", type=text_value, required=True, metavar="TEXT", help="Why the work is not wanted.")
@author_option
@output_option
def command(environments: tuple[str, ...], reason: str, author: "Identity | None", output: str) -> "Exit":
    """Drop what --local commands did with ENV and nobody published. Its resources stay as they are.

    Says which units something was done to. The commits stay in this repository, under a ref that it names.
    """
    from nyl.cli.invocation import View, run_operation
    from nyl.cli.output import Form
    from nyl.engine.local_state import reset_state
    from nyl.engine.results import ReportKind

    names = tuple(dict.fromkeys(environments))
    return run_operation(
        lambda workspace: reset_state(workspace, names, reason, author),
        ReportKind.OPERATION,
        View(Form(output), environment=names[0] if len(names) == 1 else None),
        "state-reset",
    )
