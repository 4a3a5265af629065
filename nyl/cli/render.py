"""`nyl render`: prints the objects of one Release."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from nyl.cli.options import output_option, report_option
from nyl.cli.release_options import release_options, release_request, text_view

if TYPE_CHECKING:
    from nyl.cli.output import Target
    from nyl.core.exits import Exit


@click.command("render")
@release_options
@output_option
@report_option
def command(output: str, targets: "Sequence[Target]", **asked: Any) -> "Exit":
    """Print the objects of the Release in FILE as YAML, with the Namespaces that it owns.

    With --target they are what the target publishes, unless inputs are overridden. Without one `values` is empty, and
    inputs have their defaults.
    """
    request = release_request(**asked)
    from nyl.cli.invocation import run_leased
    from nyl.engine.release_operations import RENDER, render

    return run_leased(lambda workspace: render(workspace, request), text_view(output, targets), RENDER)
