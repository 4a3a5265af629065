"""`nyl get graph`: the units of an environment and their references, to draw."""

from typing import TYPE_CHECKING

import click

from nyl.cli.options import environment_option, local_option, output_option, single_option

if TYPE_CHECKING:
    from nyl.core.exits import Exit


@click.command("graph")
@environment_option
@single_option(
    "--format",
    "drawing",
    type=click.Choice(["mermaid", "dot"]),
    default="mermaid",
    show_default=True,
    help="The language of the drawing: Mermaid's, or that of Graphviz.",
)
@local_option
@output_option
def command(environment: str, drawing: str, output: str) -> "Exit":
    """Draw the units of ENV and their references."""
    from nyl.cli.queries import show
    from nyl.engine.unit_graph import unit_graph
    from nyl.report.graphs import dot_text, mermaid_text

    draw = dot_text if drawing == "dot" else mermaid_text
    return show(
        "get-graph",
        output,
        lambda workspace: unit_graph(workspace, environment),
        lambda graph: {"graph": graph},
        draw,
    )
