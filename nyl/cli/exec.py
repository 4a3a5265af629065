"""`nyl exec`: runs a held unit's own tool on the unit's configuration."""

from datetime import timedelta
from typing import TYPE_CHECKING

import click

from nyl.cli.options import (
    author_option,
    environment_option,
    local_option,
    reason_option,
    single_option,
    text_value,
    wait_lease_option,
)

if TYPE_CHECKING:
    from nyl.core.exits import Exit
    from nyl.git.config import Identity


@click.command("exec", context_settings={"allow_interspersed_args": False})
@environment_option
@single_option("--unit", type=text_value, required=True, metavar="UNIT", help="The unit.")
@reason_option
@wait_lease_option
@author_option
@local_option
@click.argument("arguments", nargs=-1, required=True, metavar="-- ARGUMENTS...", type=text_value)
def command(
    environment: str,
    unit: str,
    reason: str | None,
    wait_lease: timedelta | None,
    author: "Identity | None",
    arguments: tuple[str, ...],
) -> "Exit":
    """Run the tool of a held unit of ENV, such as terraform, with ARGUMENTS on the unit's recorded configuration.

    The repair is recorded before the tool starts. After `nyl resume`, the unit executes only with an approval that
    names the digest of the change that results. What the tool prints goes to stdout, all else to stderr.
    """
    from nyl.cli.inert_output import inert_output
    from nyl.cli.invocation import View, run_leased
    from nyl.cli.streams import print_utf8, write_err
    from nyl.cli.surroundings import surroundings
    from nyl.cli.tool_output import ToolOutput
    from nyl.engine.native_work import OPERATION, NativeRequest, work_natively
    from nyl.engine.operations import Operation

    print_utf8()
    output = ToolOutput()
    request = NativeRequest(Operation(OPERATION, environment, author, wait_lease), unit, arguments, reason or "")
    with inert_output(surroundings().environ):
        return run_leased(
            lambda workspace: output.told(work_natively(workspace, request, output)),
            View(environment=environment, write=write_err),
            OPERATION,
        )
