"""`nyl schema`: the JSON Schema of a resource kind, for editors."""

import click


@click.command("schema")
@click.argument("kind", required=False)
def command(kind: str | None) -> int:
    """Print the JSON Schema of resource KIND, or of every resource."""
    from nyl.cli.streams import write_out
    from nyl.project.schema_catalog import resource_schema
    from nyl.report.documents import json_text

    write_out(json_text(resource_schema(kind)))
    return 0
