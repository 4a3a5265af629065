"""Options by which an invocation permits deletions and approves changes, each family handed over as one thing."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import click

from nyl.cli.options import (
    allow_dependents_option,
    allow_incomplete_option,
    names_value,
    single_option,
    text_value,
    with_options,
)

_Result = TypeVar("_Result")


_LIFECYCLE = (
    click.option("--allow-teardown", is_flag=True, help="Tear down the units that left the ownership set."),
    allow_dependents_option,
    allow_incomplete_option,
    click.option("--leaving", is_flag=True, help="Act only on the units outside the ownership set."),
)


def lifecycle_options(function: Callable[..., _Result]) -> Callable[..., _Result]:
    """`--allow-teardown`, `--allow-dependents`, `--allow-incomplete` and `--leaving`, together as `deletions`."""

    @wraps(function)
    def gathered(
        *, allow_teardown: bool, allow_dependents: bool, allow_incomplete: bool, leaving: bool, **others: Any
    ) -> _Result:
        from nyl.engine.requests import DeletionChoice

        choice = DeletionChoice(allow_teardown, allow_dependents, allow_incomplete, leaving)
        return function(deletions=choice, **others)

    return with_options(gathered, _LIFECYCLE)


_APPROVALS = (
    click.option(
        "--approve",
        "approve",
        multiple=True,
        type=text_value,
        metavar="UNIT[=DIGEST]",
        help="Approve this unit, or just the change of it with this digest; repeatable. With several environments: "
        "ENV/UNIT[=DIGEST].",
    ),
    click.option(
        "--approve-all", is_flag=True, help="Approve every unit that waits for an approval, without a digest."
    ),
    single_option(
        "--approved-by",
        type=names_value,
        default="",
        metavar="NAME,…",
        help="Who approved, for the record.  [default: who a lookup finds, on a workstation the Git user]",
    ),
    single_option(
        "--approval-source",
        type=text_value,
        metavar="URL",
        help="Where that is on record.  [default: in CI the address of the run]",
    ),
)


def approval_options(function: Callable[..., _Result]) -> Callable[..., _Result]:
    """`--approve`, `--approve-all`, `--approved-by` and `--approval-source`, together as `approval`.

    A usage error where an identity is given and nothing is approved.
    """

    @wraps(function)
    def gathered(
        *,
        approve: tuple[str, ...],
        approve_all: bool,
        approved_by: tuple[str, ...],
        approval_source: str | None,
        **others: Any,
    ) -> _Result:
        from nyl.engine.requests import ApprovalChoice

        choice = ApprovalChoice(approve, approve_all, approved_by, approval_source)
        if (choice.by or choice.source) and not choice.any:
            raise click.UsageError(
                "--approved-by and --approval-source tell who approved: add --approve UNIT or --approve-all."
            )
        return function(approval=choice, **others)

    return with_options(gathered, _APPROVALS)
