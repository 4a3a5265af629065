"""`nyl plan`: what a reconcile would do, and why. Writes nothing and takes no lease."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from nyl.cli.options import concurrency_option, local_option, output_option, report_option, text_value, units_option
from nyl.cli.selection_options import selection_options, source_options

if TYPE_CHECKING:
    from nyl.cli.invocation import View
    from nyl.cli.output import Target
    from nyl.core.exits import Exit
    from nyl.engine.requests import Selection, SourceChoice
    from nyl.engine.results import Report
    from nyl.engine.workspace import Workspace


@click.command("plan")
@selection_options(required=True)
@units_option
@source_options
@click.option(
    "--explain",
    multiple=True,
    type=text_value,
    metavar="UNIT",
    help="Show how this unit's inputs changed; repeatable. With several environments: ENV/UNIT.",
)
@click.option("--fail-on-leaving", is_flag=True, help="Exit 1 when units leave the ownership set.")
@click.option("--detailed-exitcode", is_flag=True, help="Exit 2 also when units would execute.")
@click.option("--teardown", is_flag=True, help="Show what `nyl teardown --all` would do; needs --all.")
@click.option("--all", "everything", is_flag=True, help="With --teardown: every unit.")
@concurrency_option("are planned")
@local_option
@output_option
@report_option
def command(
    selected: "Selection",
    units: tuple[str, ...],
    source: "SourceChoice",
    explain: tuple[str, ...],
    fail_on_leaving: bool,
    detailed_exitcode: bool,
    teardown: bool,
    everything: bool,
    concurrency: int | None,
    output: str,
    targets: "Sequence[Target]",
) -> "Exit":
    """Show what a reconcile would do, and why.

    Exits 0 when nothing waits, 2 when something is blocked or waits.
    """
    if teardown != everything:
        raise click.UsageError("--teardown and --all go together: they show what `nyl teardown --all` would do.")
    if teardown and (units or source.is_given or explain or fail_on_leaving or detailed_exitcode):
        raise click.UsageError("--teardown --all looks at recorded state alone, so it takes no other option of plan.")
    from nyl.cli.github_run import checked_out_proposal, on_current_base
    from nyl.cli.invocation import View
    from nyl.cli.output import Form, TargetForm
    from nyl.engine.plan import plan
    from nyl.engine.requests import PlanRequest
    from nyl.report.explanations import explaining_only
    from nyl.report.progress import ProgressMode
    from nyl.report.text import report_text

    if teardown:
        from nyl.engine.teardown_plan import plan_teardown

        return _run(
            lambda workspace: plan_teardown(workspace, selected, concurrency),
            View(Form(output), targets),
        )
    request = PlanRequest(
        selected,
        units,
        source,
        explain=explain,
        explains_all=any(each.form is not TargetForm.JSON for each in targets),
        fail_on_leaving=fail_on_leaving,
        detailed_exitcode=detailed_exitcode,
        concurrency=concurrency,
    )

    def as_text(report: "Report") -> str:
        return report_text(explaining_only(report, explain))

    # What a snapshot captures is told however quick it is.
    progress = ProgressMode.PLAIN if source.worktree else ProgressMode.PATIENT
    view = View(Form(output), targets, progress, as_text=as_text)

    def act(workspace: "Workspace") -> "Report":
        proposal = None if source.is_given else checked_out_proposal(workspace)
        return plan(workspace, replace(request, source=replace(source, proposal=proposal)))

    return _run(on_current_base(act) if source.override is None else act, view)


def _run(act: "Callable[[Workspace], Report]", view: "View") -> "Exit":
    """Plans until it is done or a signal arrives, which ends it at once, and the tools of its units with it."""
    from nyl.cli.github_run import on_trusted_checkout
    from nyl.cli.invocation import run_operation
    from nyl.cli.signals import cancelling_signals
    from nyl.core.cancellation import CancellationToken
    from nyl.engine.results import ReportKind

    cancellation = CancellationToken()

    def interrupt(number: int) -> None:
        cancellation.cancel(number)
        raise KeyboardInterrupt

    with cancelling_signals(interrupt):
        return run_operation(on_trusted_checkout(act), ReportKind.PLAN, view, cancellation=cancellation)
