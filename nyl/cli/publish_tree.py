"""`nyl publish-tree`: commits the tree of a target to the branch that it is published to."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from nyl.cli.options import author_option, output_option, report_option
from nyl.cli.tree_options import force_option, no_cache_option, refresh_option, target_option

if TYPE_CHECKING:
    from nyl.cli.output import Target
    from nyl.core.exits import Exit
    from nyl.git.config import Identity


@click.command("publish-tree")
@target_option
@refresh_option
@no_cache_option
@force_option
@author_option
@output_option
@report_option
def command(
    target: str | None,
    refresh: bool,
    no_cache: bool,
    force: bool,
    author: "Identity | None",
    output: str,
    targets: "Sequence[Target]",
) -> "Exit":
    """Render the tree of HEAD and publish it as one commit on the branch of the target.

    Needs a working tree without changes, carry files aside. An unchanged tree makes no commit, and where another
    writer moves the branch meanwhile, nothing is published.
    """
    from nyl.cli.invocation import View, run_leased
    from nyl.cli.output import Form
    from nyl.engine.tree_operations import publish_tree
    from nyl.engine.tree_reports import PUBLISH
    from nyl.engine.tree_requests import PublishTreeRequest
    from nyl.kubernetes.session import RenderOptions
    from nyl.report.trees import update_text

    options = RenderOptions(refresh=refresh, no_cache=no_cache)
    request = PublishTreeRequest(target, options, force, author)
    view = View(Form(output), targets, as_text=update_text)
    return run_leased(lambda workspace: publish_tree(workspace, request), view, PUBLISH)
