"""`nyl reconcile`: runs what is missing or out of date, and records the results."""

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nyl.cli.options import (
    author_option,
    concurrency_option,
    reason_option,
    unit_log_dir_option,
    units_option,
    wait_lease_option,
    works_locally,
)
from nyl.cli.permission_options import approval_options, lifecycle_options
from nyl.cli.selection_options import selection_options, source_options
from nyl.cli.view_options import view_options

if TYPE_CHECKING:
    from nyl.cli.invocation import View
    from nyl.core.exits import Exit
    from nyl.engine.requests import ApprovalChoice, DeletionChoice, Selection, SourceChoice
    from nyl.git.config import Identity


@click.command("reconcile")
@selection_options(required=True)
@units_option
@source_options
@concurrency_option("run")
@lifecycle_options
@click.option(
    "--fail-fast", is_flag=True, help="Start no further unit once one failed, is uncertain or waits for an approval."
)
@approval_options
@click.option(
    "--reapply", is_flag=True, help="Execute the units that --unit names although their receipts are current."
)
@reason_option
@author_option
@wait_lease_option
@unit_log_dir_option
@view_options
def command(
    selected: "Selection",
    units: tuple[str, ...],
    source: "SourceChoice",
    concurrency: int | None,
    fail_fast: bool,
    approval: "ApprovalChoice",
    reapply: bool,
    reason: str | None,
    deletions: "DeletionChoice",
    author: "Identity | None",
    wait_lease: timedelta | None,
    unit_log_dir: Path | None,
    view: "View",
) -> "Exit":
    """Run the units whose results are missing or out of date, in dependency order, and record what happened.

    Exits 0 when everything is current, 2 when work remains, 3 when a unit failed, 4 when one is uncertain.
    """
    _check_reapply(units, reapply=reapply, reason=reason)
    _check_deletions(units, deletions)
    from nyl.cli.github_run import is_repeated, own_push_notice
    from nyl.cli.output import emit
    from nyl.cli.surroundings import surroundings
    from nyl.cli.unit_operations import run_unit_operation
    from nyl.engine.reconcile import reconcile
    from nyl.engine.requests import ReconcileRequest
    from nyl.engine.results import Report, ReportKind

    request = ReconcileRequest(
        selected,
        units,
        source,
        concurrency=concurrency,
        fail_fast=fail_fast,
        author=author,
        wait_lease=wait_lease,
        unit_log_dir=unit_log_dir,
        deletions=deletions,
        approval=approval,
        reapply=reapply,
        reason=reason,
        local=works_locally(),
        repeats=is_repeated(surroundings()),
    )
    notice = own_push_notice(surroundings())
    if notice is not None:
        return emit(Report(ReportKind.RECONCILE, diagnostics=(notice,)), view.form, view.targets)
    return run_unit_operation(reconcile, request, ReportKind.RECONCILE, view)


def _check_deletions(units: tuple[str, ...], deletions: "DeletionChoice") -> None:
    if units and deletions.is_given:
        raise click.UsageError(
            "--unit does no deletion work, so it goes with none of --leaving, --allow-teardown, --allow-dependents and "
            "--allow-incomplete."
        )


def _check_reapply(units: tuple[str, ...], *, reapply: bool, reason: str | None) -> None:
    if reapply and not (units and reason and reason.strip()):
        raise click.UsageError("--reapply executes named units for a reason: add --unit UNIT and --reason TEXT.")
    if reason is not None and not reapply:
        raise click.UsageError("--reason tells why units are executed again: add --reapply and --unit UNIT.")
