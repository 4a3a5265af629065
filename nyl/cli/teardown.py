"""`nyl teardown`: tears recorded units down."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nyl.cli.options import (
    allow_dependents_option,
    allow_incomplete_option,
    author_option,
    concurrency_option,
    environment_option,
    reason_option,
    single_option,
    text_value,
    unit_log_dir_option,
    wait_lease_option,
)
from nyl.cli.permission_options import approval_options
from nyl.cli.view_options import view_options

if TYPE_CHECKING:
    from nyl.cli.invocation import View
    from nyl.core.exits import Exit
    from nyl.engine.requests import ApprovalChoice
    from nyl.git.config import Identity


@click.command("teardown")
@environment_option
@click.option(
    "--unit", "units", multiple=True, type=text_value, metavar="UNIT", help="A unit to tear down; repeatable."
)
@click.option("--all", "everything", is_flag=True, help="Tear down every unit, and hold those of the ownership set.")
@click.option("--hold", is_flag=True, help="Hold the units, so that no run creates them again.")
@single_option("--source", metavar="REVISION", help="Use this revision's files instead of those each unit records.")
@click.option("--confirm-removed", is_flag=True, help="What the teardown of these units waits for is gone.")
@allow_dependents_option
@allow_incomplete_option
@reason_option
@concurrency_option("run")
@click.option(
    "--fail-fast",
    is_flag=True,
    help="Start no further teardown after the first that fails, is uncertain, or waits for an approval.",
)
@approval_options
@author_option
@wait_lease_option
@unit_log_dir_option
@view_options
def command(
    environment: str,
    units: tuple[str, ...],
    everything: bool,
    hold: bool,
    source: str | None,
    confirm_removed: bool,
    allow_dependents: bool,
    allow_incomplete: bool,
    reason: str | None,
    concurrency: int | None,
    fail_fast: bool,
    approval: "ApprovalChoice",
    author: "Identity | None",
    wait_lease: timedelta | None,
    unit_log_dir: Path | None,
    view: "View",
) -> "Exit":
    """Tear down units of an environment as its state knows them, consumers first.

    Exits 0 when they are gone or held, 2 when one waits, 3 when a teardown failed, 4 when one is uncertain.
    """
    if bool(units) == everything:
        raise click.UsageError("Name the units with --unit UNIT, or tear down all of them with --all.")
    from nyl.cli.unit_operations import run_unit_operation
    from nyl.engine.requests import TeardownRequest
    from nyl.engine.results import ReportKind
    from nyl.engine.teardown import tear_down

    request = TeardownRequest(
        environment,
        units,
        everything=everything,
        hold=hold,
        reason=reason,
        source=source,
        confirm_removed=confirm_removed,
        allow_dependents=allow_dependents,
        allow_incomplete=allow_incomplete,
        concurrency=concurrency,
        fail_fast=fail_fast,
        author=author,
        wait_lease=wait_lease,
        unit_log_dir=unit_log_dir,
        approval=approval,
    )
    return run_unit_operation(tear_down, request, ReportKind.TEARDOWN, replace(view, environment=environment))
