import pytest

from nyl.cli.action.inputs import ActionInputs, Operation
from nyl.cli.action.step_result import StepResult, step_exit, step_result
from nyl.core.exits import Exit


@pytest.mark.parametrize(
    ("exit", "would_change", "expected"),
    [
        (Exit.OK, False, StepResult.CLEAN),
        (Exit.OK, True, StepResult.CHANGES),
        (Exit.ERROR, True, StepResult.ERROR),
        (Exit.WAITING, True, StepResult.WAITING),
        (Exit.FAILED, False, StepResult.FAILED),
        (Exit.UNCERTAIN, False, StepResult.UNCERTAIN),
    ],
)
def test_the_result_follows_the_exit_code(exit: Exit, would_change: bool, expected: StepResult) -> None:
    assert step_result(exit, would_change=would_change) is expected


@pytest.mark.parametrize("operation", Operation)
@pytest.mark.parametrize("exit", Exit)
def test_the_exit_code_decides_the_step(operation: Operation, exit: Exit) -> None:
    passes = exit is Exit.OK or (exit is Exit.WAITING and operation is Operation.PLAN)
    assert step_exit(ActionInputs(operation), exit) is (Exit.OK if passes else exit)


@pytest.mark.parametrize("operation", Operation)
def test_fail_on_waiting_overrides_what_waiting_means(operation: Operation) -> None:
    assert step_exit(ActionInputs(operation, fail_on_waiting=True), Exit.WAITING) is Exit.WAITING
    assert step_exit(ActionInputs(operation, fail_on_waiting=False), Exit.WAITING) is Exit.OK
    assert step_exit(ActionInputs(operation, fail_on_waiting=False), Exit.FAILED) is Exit.FAILED
