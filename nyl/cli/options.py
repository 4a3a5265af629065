"""Options that several commands share, and the types of their values."""

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from nyl.cli.output import Target
    from nyl.git.config import Identity

_Function = TypeVar("_Function", bound=Callable[..., Any])


def text_value(text: str) -> str:
    """A text that the state can hold. Raises a usage error for bytes that are no UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise click.BadParameter("it is not valid UTF-8, so that it could not be recorded.") from error
    return text


def duration_value(text: str) -> timedelta:
    """A duration such as `90s` or `1h30m`. Raises a usage error for anything else."""
    from nyl.core.durations import parse_duration

    try:
        return parse_duration(text)
    except ValueError as error:
        raise click.BadParameter(f"{error}.") from error


def author_value(text: str) -> "Identity":
    """An author as Git writes one, `Name <email>`. Raises a usage error for anything else."""
    from nyl.git.config import Identity

    try:
        return Identity.parse(text_value(text))
    except ValueError as error:
        raise click.BadParameter(f"{error}.") from error


def labels_value(text: str) -> dict[str, str]:
    """The labels of `key=value[,key=value…]`. Raises a usage error for anything else."""
    found: dict[str, str] = {}
    for pair in text.split(","):
        key, equals, wanted = (part.strip() for part in pair.partition("="))
        if not (key and equals) or wanted.startswith("="):
            raise click.BadParameter(f"{pair!r} is not of the form key=value.")
        if found.setdefault(key, wanted) != wanted:
            raise click.BadParameter(f"the label {key} cannot be both {found[key]} and {wanted}.")
    return found


def target_value(text: str) -> "Target":
    """The file of `json:PATH`, `markdown:PATH` or `summary:PATH`. Raises a usage error for anything else."""
    from nyl.cli.output import Target, TargetForm

    form, _, path = text.partition(":")
    if form not in list(TargetForm) or not path:
        raise click.BadParameter(f"{text!r} is not of the form json:PATH, markdown:PATH or summary:PATH.")
    return Target(Path(path), TargetForm(form))


def names_value(text: str) -> tuple[str, ...]:
    """The names of `alice,bob`. Raises a usage error for an empty one."""
    names = tuple(part.strip() for part in text.split(",")) if text_value(text) else ()
    if not all(names):
        raise click.BadParameter(f"{text!r} has an empty name.")
    return names


class SingleOption(click.Option):
    """An option with one value. A usage error for several, of which click would take the last one."""

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Lets the parser keep every value that is given."""
        self.multiple = True
        super().add_to_parser(parser, ctx)
        self.multiple = False

    def handle_parse_result(
        self, ctx: click.Context, opts: Mapping[str, Any], args: list[str]
    ) -> tuple[Any, list[str]]:
        """Takes the one value. Raises a usage error when there are others."""
        given = opts.get(self.name or "")
        if isinstance(given, list):
            if len(set(given)) > 1 and not ctx.resilient_parsing:
                told = " and ".join(dict.fromkeys(given))
                raise click.BadParameter(f"it names {told}, and this command takes one.", ctx, self)
            opts = {**opts, self.name or "": given[-1]}
        return super().handle_parse_result(ctx, opts, args)


single_option = partial(click.option, cls=SingleOption)
"""Declares an option with one value, as click.option does."""


environment_option = single_option("-e", "--environment", required=True, metavar="ENV", help="The environment.")
environments_option = click.option(
    "-e",
    "--environment",
    "environments",
    multiple=True,
    metavar="ENV",
    help="Only this environment; repeatable.  [default: all]",
)
revision_option = single_option(
    "--revision", metavar="COMMIT", help="Read state as of this commit of a state ref.  [default: the newest]"
)
allow_stale_option = click.option(
    "--allow-stale", is_flag=True, help="Print the last recorded value with a warning where it does not resolve now."
)
author_option = single_option(
    "--author",
    type=author_value,
    metavar="'NAME <EMAIL>'",
    help="The author of the commits that nyl makes.  [default: Git's own identity]",
)
label_option = click.option(
    "-l",
    "--label",
    "labels",
    type=labels_value,
    multiple=True,
    metavar="KEY=VALUE",
    help="A label of the new resource; repeatable.",
)
units_option = click.option(
    "--unit",
    "units",
    multiple=True,
    type=text_value,
    metavar="UNIT",
    help="Only this unit; repeatable. With several environments: ENV/UNIT.  [default: all]",
)
named_units_option = click.option(
    "--unit", "units", multiple=True, required=True, type=text_value, metavar="UNIT", help="The unit; repeatable."
)
wait_lease_option = single_option(
    "--wait-lease",
    type=duration_value,
    metavar="DURATION",
    help="Wait this long for another run's lease, such as 90s or 10m.  [default: not at all]",
)
reason_option = single_option("--reason", type=text_value, metavar="TEXT", help="Why, for the record.")
report_option = click.option(
    "--report",
    "targets",
    type=target_value,
    multiple=True,
    metavar="FORM:PATH",
    help="Write the report to a file as well: json:PATH, markdown:PATH for a comment, summary:PATH for a job summary; "
    "repeatable.",
)


def concurrency_option(doing: str) -> Callable[[_Function], _Function]:
    """`--concurrency`; `doing` says what so many units do at once, such as `run`."""
    return single_option(
        "--concurrency",
        type=click.IntRange(min=1),
        metavar="N",
        help=f"How many units {doing} at once.  [default: what nyl.toml says, else 4]",
    )


unit_log_dir_option = single_option(
    "--unit-log-dir",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Append what units print to DIR/<environment>/<unit>.log.  [default: kept nowhere]",
)
allow_dependents_option = click.option(
    "--allow-dependents", is_flag=True, help="Tear a unit down although tombstones or other environments use it."
)
allow_incomplete_option = click.option(
    "--allow-incomplete", is_flag=True, help="Accept a teardown that may leave something behind."
)


def with_options(function: _Function, options: Sequence[Callable[[_Function], _Function]]) -> _Function:
    """A command with options, which `--help` lists in this order."""
    for decorate in reversed(options):
        function = decorate(function)
    return function


_LOCAL = "nyl.local"


def _note_local(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    context.meta[_LOCAL] = value


local_option = click.option(
    "--local",
    is_flag=True,
    expose_value=False,
    callback=_note_local,
    help="Work on the local copy of the state, without asking any remote.",
)
"""Not given to the command: `works_locally` tells, also what opens the workspace."""


def works_locally() -> bool:
    """Whether the command that is being carried out was given --local."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(_LOCAL))


def _form_option(forms: Sequence[str], help: str) -> Callable[[_Function], _Function]:
    """`-o`, given to the command as `output`; the first form is the default."""
    choice = click.Choice(forms)
    return single_option("-o", "--output", type=choice, default=forms[0], show_default=True, help=help)


output_option = _form_option(["text", "json"], "What stdout holds.")
stored_output_option = _form_option(["yaml", "json"], "How documents are written.")


def merged_labels(label_sets: tuple[Mapping[str, str], ...]) -> dict[str, str]:
    """The labels of several options as one. Raises a usage error for contradicting ones."""
    merged: dict[str, str] = {}
    for key, value in (pair for each in label_sets for pair in each.items()):
        if merged.setdefault(key, value) != value:
            raise click.UsageError(f"The label {key} cannot be both {merged[key]} and {value}.")
    return merged
