"""Commands that print what is known and change nothing."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from nyl.cli.invocation import View, run_operation
from nyl.cli.output import Form
from nyl.core.exits import Exit
from nyl.engine.results import Report, ReportKind
from nyl.engine.workspace import Workspace
from nyl.report.listings import listing_text, plain_data

_Found = TypeVar("_Found")


def list_items(what: str, output: str, find: Callable[[Workspace], Sequence[Any]]) -> Exit:
    """Prints the dataclass instances that `find` gives, as a table or as `details.<what>` of an OperationReport."""
    return show(
        f"get-{what}", output, find, lambda items: {what: items}, lambda items: listing_text(items, f"no {what}")
    )


def show(
    operation: str,
    output: str,
    find: Callable[[Workspace], _Found],
    as_details: Callable[[_Found], dict[str, Any]],
    as_text: Callable[[_Found], str],
) -> Exit:
    """Prints what `find` gives, as text or as the `details` of an OperationReport. Its errors become the report."""
    texts: list[str] = []

    def act(workspace: Workspace) -> Report:
        found = find(workspace)
        texts.append(as_text(found))
        return Report(ReportKind.OPERATION, operation=operation, details=plain_data(as_details(found)))

    view = View(Form(output), as_text=lambda _report: "".join(texts))
    return run_operation(act, ReportKind.OPERATION, view, operation)
