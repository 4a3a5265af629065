"""`nyl render-tree`: writes the tree of a target into a folder."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nyl.cli.options import output_option, report_option, single_option
from nyl.cli.tree_options import TreeChoice, force_option, tree_options

if TYPE_CHECKING:
    from nyl.cli.output import Target
    from nyl.core.exits import Exit


@click.command("render-tree")
@tree_options
@single_option("--output-dir", required=True, type=click.Path(path_type=Path), metavar="DIR", help="Where to write it.")
@click.option("--check", "check_only", is_flag=True, help="Write nothing; exit 2 when something would change.")
@force_option
@output_option
@report_option
def command(
    tree: TreeChoice,
    output_dir: Path,
    check_only: bool,
    force: bool,
    output: str,
    targets: "Sequence[Target]",
) -> "Exit":
    """Write every manifest of a target below its prefix in a folder: only what changed, and nothing unowned.

    Files that were edited outside nyl are refused by name.
    """
    from nyl.cli.invocation import View, run_leased
    from nyl.cli.output import Form
    from nyl.engine.tree_operations import render_tree
    from nyl.engine.tree_reports import RENDER
    from nyl.engine.tree_requests import RenderTreeRequest
    from nyl.report.trees import update_text

    request = RenderTreeRequest(tree.target, tree.options, output_dir, check_only, force)
    view = View(Form(output), targets, as_text=update_text)
    return run_leased(lambda workspace: render_tree(workspace, request), view, RENDER)
