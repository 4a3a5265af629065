"""`nyl verify`: whether what receipts describe still holds. Executes nothing."""

from datetime import timedelta
from typing import TYPE_CHECKING

import click

from nyl.cli.options import (
    author_option,
    concurrency_option,
    wait_lease_option,
)
from nyl.cli.selection_options import selection_options
from nyl.cli.view_options import view_options

if TYPE_CHECKING:
    from nyl.cli.invocation import View
    from nyl.core.exits import Exit
    from nyl.engine.requests import Selection
    from nyl.git.config import Identity


@click.command("verify")
@selection_options(required=True)
@concurrency_option("are asked")
@author_option
@wait_lease_option
@view_options
def command(
    selected: "Selection",
    concurrency: int | None,
    author: "Identity | None",
    wait_lease: timedelta | None,
    view: "View",
) -> "Exit":
    """Ask each unit's driver whether what its current receipt describes still holds, and record what changed.

    Exits 0 when nothing drifted, 1 when a driver could not tell, 3 on drift.
    """
    from nyl.cli.github_run import on_trusted_checkout
    from nyl.cli.invocation import run_operation
    from nyl.cli.signals import cancelling_signals
    from nyl.core.cancellation import CancellationToken
    from nyl.engine.requests import VerifyRequest
    from nyl.engine.results import ReportKind
    from nyl.engine.verify import verify

    request = VerifyRequest(selected, concurrency, author, wait_lease)
    cancellation = CancellationToken()
    with cancelling_signals(cancellation.cancel):
        return run_operation(
            on_trusted_checkout(lambda workspace: verify(workspace, request)),
            ReportKind.VERIFY,
            view,
            cancellation=cancellation,
        )
