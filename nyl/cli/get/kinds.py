"""`nyl get kinds`: the unit kinds that are installed."""

from typing import TYPE_CHECKING

import click

from nyl.cli.options import output_option

if TYPE_CHECKING:
    from nyl.core.exits import Exit


@click.command("kinds")
@output_option
def command(output: str) -> "Exit":
    """List the unit kinds that are installed, and the packages that bring them. Needs no project."""
    from nyl.cli.output import Form, emit
    from nyl.cli.streams import kept_stdout
    from nyl.engine.results import Report, ReportKind
    from nyl.report.listings import listing_text, plain_data
    from nyl.units.registry import DriverRegistry

    with kept_stdout():
        kinds = DriverRegistry().all_kinds()
    report = Report(ReportKind.OPERATION, operation="get-kinds", details={"kinds": plain_data(kinds)})
    return emit(report, Form(output), as_text=lambda _report: listing_text(kinds, "no kinds"))
