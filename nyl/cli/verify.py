"""`nyl verify`: whether what receipts describe still holds. Executes nothing."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

import click

from nyl.cli.options import (
    author_option,
    concurrency_option,
    local_option,
    output_option,
    progress_option,
    quiet_unit_output_option,
    report_option,
    selection,
    selection_options,
    wait_lease_option,
)

if TYPE_CHECKING:
    from nyl.cli.output import Target
    from nyl.core.exits import Exit
    from nyl.git.config import Identity


@click.command("verify")
@selection_options
@concurrency_option("are asked")
@author_option
@wait_lease_option
@quiet_unit_output_option
@local_option
@output_option
@report_option
@progress_option
def command(
    environments: tuple[str, ...],
    labels: tuple[Mapping[str, str], ...],
    groups: tuple[str, ...],
    concurrency: int | None,
    author: "Identity | None",
    wait_lease: timedelta | None,
    quiet_unit_output: bool,
    output: str,
    targets: "Sequence[Target]",
    progress: str,
) -> "Exit":
    """Ask each unit's driver whether what its current receipt describes still holds, and record what changed.

    Exits 0 when nothing drifted, 1 when a driver could not tell, 3 on drift.
    """
    wanted = selection(environments, labels, groups, required=True)
    from nyl.cli.github_run import on_trusted_checkout
    from nyl.cli.invocation import View, run_operation
    from nyl.cli.output import Form
    from nyl.cli.signals import cancelling_signals
    from nyl.core.cancellation import CancellationToken
    from nyl.engine.requests import VerifyRequest
    from nyl.engine.results import ReportKind
    from nyl.engine.verify import verify
    from nyl.report.progress import ProgressMode

    request = VerifyRequest(wanted, concurrency, author, wait_lease)
    view = View(Form(output), targets, ProgressMode(progress), unit_output=not quiet_unit_output)
    cancellation = CancellationToken()
    with cancelling_signals(cancellation.cancel):
        return run_operation(
            on_trusted_checkout(lambda workspace: verify(workspace, request)),
            ReportKind.VERIFY,
            view,
            cancellation=cancellation,
        )
