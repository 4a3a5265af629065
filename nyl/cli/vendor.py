"""`nyl vendor`: keeps what comes from elsewhere in the project."""

from typing import TYPE_CHECKING

import click

from nyl.cli.options import output_option

if TYPE_CHECKING:
    from nyl.core.exits import Exit
    from nyl.engine.results import Report


@click.command("vendor")
@click.option("--check", "check_only", is_flag=True, help="Fetch and write nothing; exit 2 when something is missing.")
@click.option("--prune", is_flag=True, help="Remove what no target needs.")
@click.option("--refresh", is_flag=True, help="Fetch everything once more.")
@output_option
def command(check_only: bool, prune: bool, refresh: bool, output: str) -> "Exit":
    """Capture charts, remote manifests and files of other repositories that the targets are rendered from.

    They go to the folder that [vendor] of nyl.toml names. What was captured before is taken over.
    """
    from nyl.cli.invocation import View, run_leased
    from nyl.cli.output import Form
    from nyl.engine.vendoring import OPERATION, VendorRequest, vendor

    if check_only and refresh:
        raise click.UsageError("--check fetches nothing, so it cannot be given with --refresh.")
    request = VendorRequest(check_only, prune, refresh)
    view = View(Form(output), as_text=_text)
    return run_leased(lambda workspace: vendor(workspace, request), view, OPERATION)


def _text(report: "Report") -> str:
    from nyl.core.exits import Exit
    from nyl.kubernetes.expansion.artifacts import title_of

    if report.exit is Exit.ERROR or "captured" not in report.details:
        return ""
    lines = [f"{what:8}{title_of(key)}\n" for what in ("added", "changed", "removed") for key in report.details[what]]
    if lines:
        return "".join(lines)
    folder, count = report.details["folder"], report.details["captured"]
    if not count:
        return "nothing comes from elsewhere\n"
    return f"{folder} holds all that comes from elsewhere ({count} captured)\n"
