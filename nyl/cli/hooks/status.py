"""`nyl hooks status`: shows whether pushes are checked."""

from typing import TYPE_CHECKING

import click

from nyl.cli.options import output_option

if TYPE_CHECKING:
    from nyl.core.exits import Exit


@click.command("status")
@output_option
def command(output: str) -> "Exit":
    """Show which pre-push hook Git runs here, and whether it checks pushes.

    Its state is installed, called (by another hook), other-hook or absent.
    """
    from nyl.cli.hooks.reporting import report_hooks, state_of
    from nyl.git.client_hooks.installation import status

    return report_hooks("status", output, lambda repository: state_of(status(repository)))
