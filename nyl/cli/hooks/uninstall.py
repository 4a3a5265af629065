"""`nyl hooks uninstall`: takes the pre-push hook away."""

from typing import TYPE_CHECKING

import click

from nyl.cli.options import output_option

if TYPE_CHECKING:
    from nyl.core.exits import Exit


@click.command("uninstall")
@output_option
def command(output: str) -> "Exit":
    """Take the pre-push hook away, and put back the hook that was there before."""
    from nyl.cli.hooks.reporting import report_hooks, state_of
    from nyl.git.client_hooks.installation import status, uninstall

    return report_hooks(
        "uninstall",
        output,
        lambda repository: {"removed": list(map(str, uninstall(repository))), **state_of(status(repository))},
    )
