"""Options that select environments, and the source that they are worked on at."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

from nyl.cli.options import labels_value, merged_labels, single_option, with_options

if TYPE_CHECKING:
    from nyl.engine.requests import Selection, SourceChoice

_Result = TypeVar("_Result")

_SELECTION = (
    click.option(
        "-e", "--environment", "environments", multiple=True, metavar="ENV", help="An environment; repeatable."
    ),
    click.option(
        "-l",
        "--selector",
        "labels",
        type=labels_value,
        multiple=True,
        metavar="KEY=VALUE",
        help="Environments with these labels; repeatable, all must match.",
    ),
    click.option("-g", "--group", "groups", multiple=True, metavar="GROUP", help="An EnvironmentGroup; repeatable."),
)
_SOURCE = (
    single_option("--source", metavar="REVISION", help="Work at this revision instead of the Environment's."),
    click.option(
        "--worktree", is_flag=True, help="Work at a snapshot of the working tree, uncommitted files included."
    ),
)


def selection_options(*, required: bool) -> Callable[[Callable[..., _Result]], Callable[..., _Result]]:
    """`-e`, `-l` and `-g`, together as `selected`. At least one of them must be given where they are `required`."""

    def decorate(function: Callable[..., _Result]) -> Callable[..., _Result]:
        @wraps(function)
        def gathered(
            *,
            environments: tuple[str, ...],
            labels: tuple[Mapping[str, str], ...],
            groups: tuple[str, ...],
            **others: Any,
        ) -> _Result:
            return function(selected=selection(environments, labels, groups, required=required), **others)

        return with_options(gathered, _SELECTION)

    return decorate


def source_options(function: Callable[..., _Result]) -> Callable[..., _Result]:
    """`--source` and `--worktree`, together as `source`. A usage error where they do not fit what is `selected`."""

    @wraps(function)
    def gathered(*, selected: "Selection", source: str | None, worktree: bool, **others: Any) -> _Result:
        from nyl.engine.requests import SourceChoice

        choice = SourceChoice(source, worktree)
        _check_source(selected, choice)
        return function(selected=selected, source=choice, **others)

    return with_options(gathered, _SOURCE)


def selection(
    environments: tuple[str, ...], label_sets: tuple[Mapping[str, str], ...], groups: tuple[str, ...], *, required: bool
) -> "Selection":
    """What the options select. Raises a usage error for contradicting labels, and for nothing if `required`."""
    from nyl.engine.requests import Selection

    wanted = merged_labels(label_sets)
    if required and not (environments or label_sets or groups):
        raise click.UsageError("Name the environments: -e ENV, -l KEY=VALUE or -g GROUP.")
    return Selection(tuple(dict.fromkeys(environments)), wanted or None, tuple(dict.fromkeys(groups)))


def _check_source(selected: "Selection", choice: "SourceChoice") -> None:
    if choice.worktree and (
        choice.override is not None or selected.labels or selected.groups or len(selected.names) != 1
    ):
        raise click.UsageError(
            "--worktree takes exactly one environment, named with -e, and conflicts with --source, -l and -g."
        )
    if choice.override is not None and len(selected.names) > 1:
        raise click.UsageError("--source takes exactly one environment.")
