"""`nyl apply`: brings one Release into a cluster."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from nyl.cli.options import output_option, report_option
from nyl.cli.release_options import release_options, release_request, text_view

if TYPE_CHECKING:
    from nyl.cli.output import Target
    from nyl.core.exits import Exit


@click.command("apply")
@release_options
@output_option
@report_option
def command(output: str, targets: "Sequence[Target]", **asked: Any) -> "Exit":
    """Apply the Release in FILE, with `kubectl apply --server-side`. Nothing is removed from the cluster.

    The cluster is the context that the Cluster of --target names in `live`, else the current one.
    """
    request = release_request(**asked)
    from nyl.cli.invocation import run_leased
    from nyl.engine.release_operations import apply
    from nyl.kubernetes.kubectl import KubectlVerb

    view = text_view(output, targets)
    return run_leased(lambda workspace: apply(workspace, request), view, KubectlVerb.APPLY)
