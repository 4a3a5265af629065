"""Carrying out an operation that acts on units: only on a checkout that may run, until signals cancel it."""

from collections.abc import Callable
from typing import TypeVar

from nyl.cli.github_run import approver_lookup, on_trusted_checkout
from nyl.cli.invocation import View, run_operation
from nyl.cli.signals import cancelling_signals
from nyl.core.cancellation import CancellationToken
from nyl.core.exits import Exit
from nyl.engine.approvers import ApproverLookup
from nyl.engine.requests import ReconcileRequest, TeardownRequest
from nyl.engine.results import Report, ReportKind
from nyl.engine.workspace import Workspace

_Request = TypeVar("_Request", ReconcileRequest, TeardownRequest)

UnitOperation = Callable[[Workspace, _Request, ApproverLookup | None], Report]


def run_unit_operation(act: UnitOperation[_Request], request: _Request, kind: ReportKind, view: View) -> Exit:
    """Does what is requested and prints the report. In a run of GitHub Actions, GitHub tells who approved."""
    cancellation = CancellationToken()

    def carry_out(workspace: Workspace) -> Report:
        return act(workspace, request, approver_lookup(workspace, request))

    with cancelling_signals(cancellation.cancel):
        return run_operation(on_trusted_checkout(carry_out), kind, view, cancellation=cancellation)
