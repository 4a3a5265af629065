"""Commands that print what is known and change nothing."""

from collections.abc import Callable, Sequence
from typing import Any

from nyl.cli.invocation import View, run_operation
from nyl.cli.output import Form
from nyl.core.exits import Exit
from nyl.engine.results import Report, ReportKind
from nyl.engine.workspace import Workspace
from nyl.report.listings import listing_text, plain_data


def list_items(what: str, output: str, find: Callable[[Workspace], Sequence[Any]]) -> Exit:
    """Prints dataclass instances that `find` gives, as a table or as `details.<what>` of an OperationReport."""
    return show(f"get-{what}", {what: find}, output, lambda found: listing_text(found[what], f"no {what}"))


def show(
    operation: str,
    finders: dict[str, Callable[[Workspace], Any]],
    output: str,
    as_text: Callable[[dict[str, Any]], str],
) -> Exit:
    """Prints named findings, as a text of them or as the `details` of an OperationReport."""
    found: dict[str, Any] = {}

    def act(workspace: Workspace, _listener: object) -> Report:
        found.update({name: find(workspace) for name, find in finders.items()})
        details = {name: plain_data(value) for name, value in found.items()}
        return Report(ReportKind.OPERATION, operation=operation, details=details)

    view = View(Form(output), as_text=lambda _report: as_text(found) if found else "")
    return run_operation(act, ReportKind.OPERATION, view, operation)
