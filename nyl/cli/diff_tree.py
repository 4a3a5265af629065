"""`nyl diff-tree`: how the tree of a target differs from what is published, or from another source revision's."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from nyl.cli.options import output_option, report_option, single_option
from nyl.cli.tree_options import TreeChoice, tree_options

if TYPE_CHECKING:
    from nyl.cli.output import Target
    from nyl.core.exits import Exit


@click.command("diff-tree")
@tree_options
@single_option(
    "--against",
    type=click.Choice(["published", "source"]),
    default="published",
    show_default=True,
    help="What to compare with: the publication branch, or the tree of --source-ref.",
)
@single_option("--source-ref", metavar="REVISION", help="The source revision to compare with.  [default: HEAD]")
@click.option("--stats", is_flag=True, help="Print numbers instead of differences.")
@click.option("--detailed-exitcode", is_flag=True, help="Exit 2 when there are differences.")
@output_option
@report_option
def command(
    tree: TreeChoice,
    against: str,
    source_ref: str | None,
    stats: bool,
    detailed_exitcode: bool,
    output: str,
    targets: "Sequence[Target]",
) -> "Exit":
    """Compare the tree that the working tree renders with what is published.

    Prints a unified diff of every file that a publication would add, change or remove, those that were edited outside
    nyl among them.
    """
    if source_ref is not None and against != "source":
        raise click.UsageError("--source-ref goes with --against source.")
    from nyl.cli.invocation import View, run_leased
    from nyl.cli.output import Form
    from nyl.engine.tree_operations import diff_tree
    from nyl.engine.tree_reports import DIFF
    from nyl.engine.tree_requests import Against, DiffTreeRequest
    from nyl.report.trees import difference_text, statistics_text

    request = DiffTreeRequest(tree.target, tree.options, Against(against), source_ref, detailed_exitcode)
    view = View(Form(output), targets, as_text=statistics_text if stats else difference_text)
    return run_leased(lambda workspace: diff_tree(workspace, request), view, DIFF)
