"""Printing a value or documents alone, so that a script can use them as they are."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from nyl.cli.invocation import View, run_operation
from nyl.cli.output import Form
from nyl.cli.streams import stdout_is_a_terminal
from nyl.core.exits import Exit
from nyl.engine.results import Report, ReportKind
from nyl.report.documents import json_text, report_document
from nyl.report.plaintext import lines

if TYPE_CHECKING:
    from nyl.engine.workspace import Workspace


def print_value(operation: str, output: str, find: "Callable[[Workspace], Any]") -> Exit:
    """Prints what `find` gives: a string raw unless `output` is json, anything else as JSON.

    A terminal gets the string without characters that would steer it; a pipe gets it untouched.
    """

    def text(value: Any) -> str:
        if not isinstance(value, str) or output == Form.JSON:
            return json_text(value)
        return "".join(f"{line}\n" for line in lines(value)) if stdout_is_a_terminal() else f"{value}\n"

    return _print_text(operation, Form(output), find, text)


def _print_text(operation: str, form: Form, find: "Callable[[Workspace], Any]", as_text: Callable[[Any], str]) -> Exit:
    """Prints `as_text` of what `find` gives. Where it fails and the form is JSON, the report of the failure."""
    texts: list[str] = []

    def act(workspace: "Workspace") -> Report:
        texts.append(as_text(find(workspace)))
        return Report(ReportKind.OPERATION, operation=operation)

    def stdout(report: Report) -> str:
        failed = json_text(report_document(report)) if form is Form.JSON else ""
        return "".join(texts) or failed

    return run_operation(act, ReportKind.OPERATION, View(as_text=stdout), operation)


def print_documents(operation: str, output: str, find: "Callable[[Workspace], Mapping[str, Any]]") -> Exit:
    """Prints stored documents as YAML, or as JSON where `output` is json."""
    from nyl.core.yamlio import dump

    as_json = output == Form.JSON
    return _print_text(operation, Form.JSON if as_json else Form.TEXT, find, json_text if as_json else dump)
