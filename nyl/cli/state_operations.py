"""Carrying out an operation that changes the state of one environment and runs no unit."""

from collections.abc import Callable

from nyl.cli.invocation import View, run_leased
from nyl.cli.output import Form
from nyl.core.exits import Exit
from nyl.engine.operations import Operation
from nyl.engine.results import Report
from nyl.engine.workspace import Workspace


def run_state_operation(operation: Operation, act: Callable[[Workspace], Report], output: str) -> Exit:
    """Does it while it holds the lease, and prints its report in the form that `-o` names."""
    return run_leased(act, View(Form(output), environment=operation.environment), operation.name)
