"""`nyl hooks install`: lets Git check the projects of what is pushed."""

from typing import TYPE_CHECKING

import click

from nyl.cli.options import output_option

if TYPE_CHECKING:
    from nyl.core.exits import Exit


@click.command("install")
@click.option("--force", is_flag=True, help="Install also into a folder of hooks that other repositories use.")
@output_option
def command(force: bool, output: str) -> "Exit":
    """Install the pre-push hook where Git runs it, also with core.hooksPath and in linked working trees.

    A hook that is there already goes on to run, before the check of nyl.
    """
    from nyl.cli.hooks.reporting import report_hooks, state_of
    from nyl.git.client_hooks.installation import install

    return report_hooks("install", output, lambda repository: state_of(install(repository, shared=force)))
