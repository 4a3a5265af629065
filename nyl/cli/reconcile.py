"""`nyl reconcile`: runs what is missing or out of date, and records the results."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nyl.cli.options import (
    author_option,
    check_source_options,
    concurrency_option,
    local_option,
    output_option,
    progress_option,
    quiet_unit_output_option,
    reason_option,
    report_option,
    selection,
    selection_options,
    source_option,
    unit_log_dir_option,
    units_option,
    wait_lease_option,
    works_locally,
    worktree_option,
)
from nyl.cli.permission_options import ApprovalChoice, DeletionChoice, approval_options, lifecycle_options

if TYPE_CHECKING:
    from nyl.cli.output import Target
    from nyl.core.exits import Exit
    from nyl.git.config import Identity


@click.command("reconcile")
@selection_options
@units_option
@source_option
@worktree_option
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
@quiet_unit_output_option
@local_option
@output_option
@report_option
@progress_option
def command(
    environments: tuple[str, ...],
    labels: tuple[Mapping[str, str], ...],
    groups: tuple[str, ...],
    units: tuple[str, ...],
    source: str | None,
    worktree: bool,
    concurrency: int | None,
    fail_fast: bool,
    approval: ApprovalChoice,
    reapply: bool,
    reason: str | None,
    deletions: DeletionChoice,
    author: "Identity | None",
    wait_lease: timedelta | None,
    unit_log_dir: Path | None,
    quiet_unit_output: bool,
    output: str,
    targets: "Sequence[Target]",
    progress: str,
) -> "Exit":
    """Run the units whose results are missing or out of date, in dependency order, and record what happened.

    Exits 0 when everything is current, 2 when work remains, 3 when a unit failed, 4 when one is uncertain.
    """
    wanted = selection(environments, labels, groups, required=True)
    check_source_options(wanted, source, worktree)
    _check_reapply(units, reapply=reapply, reason=reason)
    _check_deletions(units, deletions)
    from nyl.cli.github_run import own_push_notice
    from nyl.cli.invocation import View
    from nyl.cli.output import Form, emit
    from nyl.cli.surroundings import surroundings
    from nyl.cli.unit_operations import run_unit_operation
    from nyl.engine.reconcile import reconcile
    from nyl.engine.requests import ReconcileRequest
    from nyl.engine.results import Report, ReportKind
    from nyl.report.progress import ProgressMode

    request = ReconcileRequest(
        wanted,
        units,
        source,
        worktree,
        concurrency,
        fail_fast,
        author,
        wait_lease,
        unit_log_dir,
        approve=approval.units,
        approve_all=approval.everything,
        approved_by=approval.by,
        approval_source=approval.source,
        reapply=reapply,
        reason=reason,
        allow_teardown=deletions.teardown,
        allow_dependents=deletions.dependents,
        allow_incomplete=deletions.incomplete,
        leaving=deletions.only,
        local=works_locally(),
    )
    view = View(Form(output), targets, ProgressMode(progress), unit_output=not quiet_unit_output)
    notice = own_push_notice(surroundings())
    if notice is not None:
        return emit(Report(ReportKind.RECONCILE, diagnostics=(notice,)), view.form, targets)
    return run_unit_operation(reconcile, request, ReportKind.RECONCILE, view)


def _check_deletions(units: tuple[str, ...], deletions: DeletionChoice) -> None:
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
