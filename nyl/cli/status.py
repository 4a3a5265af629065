"""`nyl status`: where environments and their units stand. Runs nothing and writes nothing."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from nyl.cli.options import local_option, output_option, report_option, revision_option
from nyl.cli.selection_options import selection_options

if TYPE_CHECKING:
    from nyl.cli.output import Target
    from nyl.core.exits import Exit
    from nyl.engine.requests import Selection


@click.command("status")
@selection_options(required=False)
@revision_option
@local_option
@output_option
@report_option
def command(
    selected: "Selection",
    revision: str | None,
    output: str,
    targets: "Sequence[Target]",
) -> "Exit":
    """Show where environments and their units stand.

    Without -e, -l or -g: one line for each environment of the project.

    Exits 0 when everything is current, 2 when work remains, 3 when a unit failed, 4 when one is uncertain.
    """
    if revision is not None and len(selected.names) != 1:
        raise click.UsageError("--revision takes exactly one environment, named with -e.")
    from nyl.cli.invocation import View, run_operation
    from nyl.cli.output import Form
    from nyl.engine.requests import StatusRequest
    from nyl.engine.results import ReportKind
    from nyl.engine.status import status
    from nyl.report.text import overview_text, report_text

    request = StatusRequest(selected, revision)
    view = View(Form(output), targets, as_text=overview_text if selected.is_empty else report_text)
    return run_operation(lambda workspace: status(workspace, request), ReportKind.STATUS, view)
