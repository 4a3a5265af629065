"""`nyl recover`: imports what dead runs left, or records an operator's decision about one unit."""

from datetime import timedelta
from typing import TYPE_CHECKING

import click

from nyl.cli.options import (
    author_option,
    environment_option,
    local_option,
    output_option,
    single_option,
    text_value,
    wait_lease_option,
)

if TYPE_CHECKING:
    from nyl.core.exits import Exit
    from nyl.git.config import Identity


@click.command("recover")
@environment_option
@single_option(
    "--unit",
    type=text_value,
    metavar="UNIT",
    help="The unit that the decision is about.  [default: none, what runs left is imported]",
)
@click.option("--retry", is_flag=True, help="Clear the unit's condition, so that the next reconcile runs it again.")
@single_option("--accept", metavar="RUN", help="Adopt the receipt that the run of this id checkpointed for the unit.")
@single_option("--reason", type=text_value, metavar="TEXT", help="Why; a decision about a unit needs one.")
@wait_lease_option
@author_option
@local_option
@output_option
def command(
    environment: str,
    unit: str | None,
    retry: bool,
    accept: str | None,
    reason: str | None,
    wait_lease: timedelta | None,
    author: "Identity | None",
    output: str,
) -> "Exit":
    """Import what dead runs left of ENV, or settle an uncertain or failed unit. Nothing is executed.

    Without --unit: what a run recorded that was killed, cancelled or whose lease was broken comes into the state.
    With --unit and --retry or --accept: your decision about that unit is recorded; the next reconcile acts on it.
    """
    _check(unit, retry, accept, reason)
    from nyl.cli.invocation import View, run_leased
    from nyl.cli.output import Form
    from nyl.engine.recovering import OPERATION, RecoverRequest, UnitDecision, recover_environment, recover_unit

    request = RecoverRequest(environment, reason or "", author, wait_lease)
    decision = UnitDecision(unit, accept) if unit is not None else None
    return run_leased(
        lambda workspace: (
            recover_environment(workspace, request) if decision is None else recover_unit(workspace, request, decision)
        ),
        View(Form(output), environment=environment),
        OPERATION,
    )


def _check(unit: str | None, retry: bool, accept: str | None, reason: str | None) -> None:
    if unit is None and (retry or accept is not None):
        raise click.UsageError("--retry and --accept are decisions about one unit, named with --unit.")
    if unit is not None and retry == (accept is not None):
        raise click.UsageError("--unit needs a decision: either --retry or --accept RUN.")
    if unit is not None and not (reason or "").strip():
        raise click.UsageError("A decision about a unit needs its reason: --reason TEXT.")
