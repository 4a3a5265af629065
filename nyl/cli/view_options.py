"""How an operation that works on units is followed, and what its report looks like."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

from nyl.cli.options import local_option, output_option, report_option, single_option, with_options

if TYPE_CHECKING:
    from nyl.cli.output import Target

_Result = TypeVar("_Result")

_VIEW = (
    click.option("--quiet-unit-output", is_flag=True, help="Do not show what units print."),
    local_option,
    output_option,
    report_option,
    single_option(
        "--progress",
        type=click.Choice(["auto", "bar", "plain", "off"]),
        default="auto",
        show_default=True,
        help="How to follow the work on stderr: redrawn, in lines, or not; auto redraws on a terminal.",
    ),
)


def view_options(function: Callable[..., _Result]) -> Callable[..., _Result]:
    """`--quiet-unit-output`, `-o`, `--report` and `--progress`, together as `view`; and `--local`."""

    @wraps(function)
    def gathered(
        *, quiet_unit_output: bool, output: str, targets: "Sequence[Target]", progress: str, **others: Any
    ) -> _Result:
        from nyl.cli.invocation import View
        from nyl.cli.output import Form
        from nyl.report.progress import ProgressMode

        view = View(Form(output), targets, ProgressMode(progress), unit_output=not quiet_unit_output)
        return function(view=view, **others)

    return with_options(gathered, _VIEW)
