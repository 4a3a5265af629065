"""`nyl validate`: checks the whole project without state."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from nyl.cli.options import output_option, report_option, single_option
from nyl.cli.selection_options import selection_options

if TYPE_CHECKING:
    from nyl.cli.output import Target
    from nyl.core.exits import Exit
    from nyl.engine.requests import Selection


@click.command("validate")
@selection_options(required=False)
@single_option("--at", metavar="COMMIT", help="Check this commit instead of the working tree.")
@output_option
@report_option
def command(
    selected: "Selection",
    at: str | None,
    output: str,
    targets: "Sequence[Target]",
) -> "Exit":
    """Check schemas, templates, references and cycles of the whole project, its targets included.

    With -e, -l or -g: those environments alone, and no target. Reads no state and no network.

    Exits 0 when the project is valid, 1 with every problem otherwise.
    """
    from nyl.cli.invocation import View, run_operation
    from nyl.cli.output import Form
    from nyl.engine.requests import ValidateRequest
    from nyl.engine.results import ReportKind
    from nyl.engine.validate import validate

    request = ValidateRequest(selected, at)
    view = View(Form(output), targets)
    return run_operation(lambda workspace: validate(workspace, request), ReportKind.VALIDATE, view)
