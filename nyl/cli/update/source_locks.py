"""`nyl update source-locks`: moves pinned commits to the heads of their revisions."""

from typing import TYPE_CHECKING

import click

from nyl.cli.options import output_option, single_option

if TYPE_CHECKING:
    from nyl.core.exits import Exit
    from nyl.engine.results import Report


@click.command("source-locks")
@click.argument("names", nargs=-1, metavar="[OWNER]...")
@single_option("--target", metavar="TARGET", help="Only the locks of this DeploymentTarget and its ApplicationGroups.")
@click.option("--check", "check_only", is_flag=True, help="Write nothing; exit 2 when a lock would move.")
@output_option
def command(names: tuple[str, ...], target: str | None, check_only: bool, output: str) -> "Exit":
    """Move every pinned commit of the project to the head of its revision.

    With OWNER only those of the Environments, EnvironmentGroups, units, ApplicationGroups and DeploymentTargets of that
    name move. Only the bytes of the commit ids change in the files.
    """
    from nyl.cli.invocation import View, run_operation
    from nyl.cli.output import Form
    from nyl.engine.results import ReportKind
    from nyl.engine.source_locks import OPERATION, update_source_locks

    return run_operation(
        lambda workspace: update_source_locks(workspace, check_only=check_only, target=target, names=names),
        ReportKind.OPERATION,
        View(Form(output), as_text=_text),
        OPERATION,
    )


def _text(report: "Report") -> str:
    from nyl.core.exits import Exit
    from nyl.report.tables import table

    moved = report.details.get("moved")
    if report.exit is Exit.ERROR or moved is None:
        return ""
    if not report.details["locks"]:
        return "no commit is pinned\n"
    if not moved:
        return "every pinned commit is at the head of its revision\n"
    rows = [(each["place"], each["owner"], each["revision"], each["old"], each["new"]) for each in moved]
    return table(("FILE", "OWNER", "REVISION", "OLD", "NEW"), rows)
