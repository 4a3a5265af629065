"""What a step of the Action is, by how its command ended."""

from enum import StrEnum

from nyl.cli.action.inputs import ActionInputs, Operation
from nyl.core.exits import Exit


class StepResult(StrEnum):
    """The output `result`."""

    CLEAN = "clean"
    CHANGES = "changes"
    WAITING = "waiting"
    FAILED = "failed"
    UNCERTAIN = "uncertain"
    ERROR = "error"


_RESULTS = {
    Exit.OK: StepResult.CLEAN,
    Exit.ERROR: StepResult.ERROR,
    Exit.WAITING: StepResult.WAITING,
    Exit.FAILED: StepResult.FAILED,
    Exit.UNCERTAIN: StepResult.UNCERTAIN,
}


def step_result(exit: Exit, *, would_change: bool) -> StepResult:
    """The result that an exit code means; `would_change` tells of a plan that would do something."""
    return StepResult.CHANGES if exit is Exit.OK and would_change else _RESULTS[exit]


def step_exit(inputs: ActionInputs, exit: Exit) -> Exit:
    """What the step ends with: the command's own exit code, but 0 for work that waits where that is no failure.

    A plan with blocked units is a good plan; for every other command waiting is a failure, unless the input
    `fail-on-waiting` says otherwise.
    """
    fails = inputs.operation is not Operation.PLAN if inputs.fail_on_waiting is None else inputs.fail_on_waiting
    return Exit.OK if exit is Exit.WAITING and not fails else exit
