"""`nyl schema`: the JSON Schema of a resource kind or of a report, for editors and for readers of reports."""

import click


@click.command("schema")
@click.argument("kind", required=False)
def command(kind: str | None) -> int:
    """Print the JSON Schema of KIND, such as Environment, Command or PlanReport.

    Without KIND: one schema that fits every resource.
    """
    from nyl.cli.streams import kept_stdout, write_out
    from nyl.engine.results import ReportKind
    from nyl.project.schema_catalog import schema_of
    from nyl.report.documents import json_text
    from nyl.report.schema_files import report_schema
    from nyl.units.registry import DriverRegistry

    report = next((each for each in ReportKind if each.value == kind), None)
    with kept_stdout():
        schema = report_schema(report) if report else schema_of(kind, DriverRegistry())
    write_out(json_text(schema))
    return 0
