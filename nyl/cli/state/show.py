"""`nyl state show`: the documents of a state as they are stored."""

from typing import TYPE_CHECKING

import click

from nyl.cli.options import environment_option, local_option, revision_option, stored_output_option

if TYPE_CHECKING:
    from nyl.core.exits import Exit


@click.command("show")
@environment_option
@revision_option
@local_option
@stored_output_option
def command(environment: str, revision: str | None, output: str) -> "Exit":
    """Print every document of ENV's state as it is stored, by its path."""
    from nyl.cli.printing import print_documents
    from nyl.engine.administration import stored_documents

    return print_documents("state-show", output, lambda workspace: stored_documents(workspace, environment, revision))
