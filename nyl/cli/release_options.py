"""What the commands on one Release share: their options, and printing what they give as it is."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from nyl.cli.options import single_option, with_options

if TYPE_CHECKING:
    from nyl.cli.invocation import View
    from nyl.cli.output import Target
    from nyl.engine.release_requests import ReleaseRequest
    from nyl.engine.results import Report

_Function = TypeVar("_Function", bound=Callable[..., Any])

_RELEASE = (
    click.argument("file", type=click.Path(path_type=Path), metavar="FILE"),
    single_option("--target", metavar="TARGET", help="The DeploymentTarget.  [default: none, with empty values]"),
    click.option(
        "--input",
        "inputs",
        multiple=True,
        metavar="NAME=JSON",
        help="Give an input this value instead of the bound one; strings are quoted; repeatable.",
    ),
    single_option(
        "--inputs",
        "inputs_file",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="A YAML or JSON object of such inputs; --input wins over it.",
    ),
    single_option(
        "--application-group",
        "group",
        metavar="GROUP",
        help="Apply the bindings of this group of the target.  [default: the one that has FILE]",
    ),
    click.option("--defaults-only", is_flag=True, help="Apply no bindings, but defaults and overrides alone."),
    click.option(
        "--only-kind",
        "kinds",
        multiple=True,
        metavar="KIND",
        help="Only objects of this kind, such as Deployment or deployment.apps; repeatable.",
    ),
    click.option("--offline", is_flag=True, help="Ask no repository; what was fetched before is used."),
)


def release_options(function: _Function) -> _Function:
    """The file and the options of `ReleaseRequest`, given to the command as `release_request` takes them."""
    return with_options(function, _RELEASE)


def release_request(
    file: Path,
    target: str | None,
    inputs: Sequence[str],
    inputs_file: Path | None,
    group: str | None,
    defaults_only: bool,
    kinds: Sequence[str],
    offline: bool,
) -> "ReleaseRequest":
    """What the options ask for. Raises a usage error for those that do not go together."""
    if group is not None and target is None:
        raise click.UsageError("--application-group goes with --target.")
    if group is not None and defaults_only:
        raise click.UsageError("--application-group applies bindings, and --defaults-only applies none: choose one.")
    from nyl.engine.release_requests import ReleaseRequest
    from nyl.kubernetes.session import RenderOptions

    options = RenderOptions(offline=offline)
    return ReleaseRequest(file, target, options, inputs, inputs_file, group, defaults_only, kinds)


def text_view(output: str, targets: "Sequence[Target]") -> "View":
    """Prints the text that a command gives: to a pipe as it is, to a terminal without what would steer it."""
    from nyl.cli.invocation import View
    from nyl.cli.output import Form
    from nyl.cli.streams import print_utf8, stdout_is_a_terminal
    from nyl.report.plaintext import lines

    def text(report: "Report") -> str:
        found = str(report.details.get("text", ""))
        return "".join(f"{line}\n" for line in lines(found)) if stdout_is_a_terminal() else found

    print_utf8()
    return View(Form(output), targets, as_text=text)
