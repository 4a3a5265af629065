"""`nyl diff`: how a cluster differs from one Release."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from nyl.cli.options import output_option, report_option
from nyl.cli.release_options import release_options, release_request, text_view

if TYPE_CHECKING:
    from nyl.cli.output import Target
    from nyl.core.exits import Exit


@click.command("diff")
@release_options
@click.option("--detailed-exitcode", is_flag=True, help="Exit 2 when there are differences.")
@output_option
@report_option
def command(detailed_exitcode: bool, output: str, targets: "Sequence[Target]", **asked: Any) -> "Exit":
    """Show what applying the Release in FILE would change, with `kubectl diff --server-side`.

    The cluster is the context that the Cluster of --target names in `live`, else the current one.
    """
    request = release_request(**asked)
    from nyl.cli.invocation import run_leased
    from nyl.engine.release_operations import diff
    from nyl.kubernetes.kubectl import KubectlVerb

    view = text_view(output, targets)
    return run_leased(
        lambda workspace: diff(workspace, request, detailed_exitcode=detailed_exitcode),
        view,
        KubectlVerb.DIFF,
    )
