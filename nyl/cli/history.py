"""`nyl history`: the transitions of an environment."""

from typing import TYPE_CHECKING

import click

from nyl.cli.options import environment_option, local_option, output_option, single_option, text_value

if TYPE_CHECKING:
    from nyl.core.exits import Exit


@click.command("history")
@environment_option
@single_option("--unit", type=text_value, metavar="UNIT", help="Only transitions that did something with this unit.")
@single_option(
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    help="At most this many transitions, the newest.  [default: all]",
)
@local_option
@output_option
def command(environment: str, unit: str | None, limit: int | None, output: str) -> "Exit":
    """List the transitions of ENV, newest first: when, who, source commit, results."""
    from nyl.cli.queries import show
    from nyl.engine.administration import past_transitions
    from nyl.report.histories import history_text

    return show(
        "history",
        output,
        lambda workspace: past_transitions(workspace, environment, unit, limit),
        lambda transitions: {"transitions": transitions},
        lambda transitions: history_text(transitions, unit),
    )
