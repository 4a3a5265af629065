"""The steps of a Command: how nyl starts them, passes data to them, and reads how they ended."""

import json
import os
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from signal import Signals
from typing import Any

from nyl.core.dataclass import dataclass
from nyl.core.durations import format_duration
from nyl.core.tool_result import ToolResult
from nyl.units.driver import ExecutionContext, ReceiptFacts, ResolvedUnit
from nyl.units.outcomes import Failed, FailureCategory, Uncertain

ARGV: Mapping[str, Any] = {
    "type": "array",
    "minItems": 1,
    "prefixItems": [{"type": "string", "minLength": 1}],
    "items": {"type": "string"},
}
"""JSON Schema of a step: a program and its arguments."""


@dataclass(frozen=True)
class StepFiles:
    """The files by which a step of a Command and nyl pass data to each other."""

    inputs: Path
    outputs: Path
    receipt: Path | None = None

    def variables(self, environment: str, unit: str) -> dict[str, str]:
        """What a step gets beside the admitted variables."""
        given = {
            "NYL_INPUTS": str(self.inputs),
            "NYL_OUTPUTS": str(self.outputs),
            "NYL_UNIT": unit,
            "NYL_ENVIRONMENT": environment,
        }
        return given if self.receipt is None else {**given, "NYL_RECEIPT": str(self.receipt)}


def prepare_step(temporary: Path, values: Mapping[str, Any], receipt: ReceiptFacts | None = None) -> StepFiles:
    """Writes the resolved values, and a receipt's outputs, where a step finds them. There is no outputs file yet."""
    told = None if receipt is None else temporary / "receipt.json"
    files = StepFiles(temporary / "inputs.json", temporary / "outputs.json", told)
    files.outputs.unlink(missing_ok=True)
    write_private_json(files.inputs, values)
    if receipt is not None and told is not None:
        write_private_json(told, receipt.outputs)
    return files


def run_step(
    argv: Sequence[str], unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts | None = None
) -> tuple[ToolResult, StepFiles]:
    """Runs a step in the checkout. Steps that look back at an execution get its receipt."""
    files = prepare_step(context.temporary, unit.spec.get("values", {}), receipt)
    return context.run(argv, variables=files.variables(unit.environment, unit.name)), files


def ended_badly(program: str, result: ToolResult, timeout: timedelta, retryable: bool) -> Failed | Uncertain | None:
    """What a step with effects comes to that did not end with exit code 0; None when it did."""
    why = interruption(program, result, timeout)
    if why is not None:
        # Where nothing ran, nothing can have had an effect.
        return Uncertain(why) if result.start_error is None else Failed(FailureCategory.START, True, why)
    if result.exit_code != 0:
        return Failed(FailureCategory.EXECUTION, retryable, f"{program} ended with exit code {result.exit_code}")
    return None


def interrupted(program: str, result: ToolResult, timeout: timedelta) -> Failed | None:
    """What a step without effects comes to whose exit code tells nothing; None when it tells something."""
    why = interruption(program, result, timeout)
    if why is None:
        return None
    return Failed(FailureCategory.EXECUTION if result.start_error is None else FailureCategory.START, True, why)


def interruption(program: str, result: ToolResult, timeout: timedelta) -> str | None:
    """Why a step's exit code tells nothing, as a clause; None when it does.

    A step that ends with exit code 0 although its run was cancelled has finished.
    """
    if result.start_error is not None:
        return f"{program} could not be started: {result.start_error}"
    if result.timed_out:
        return f"{program} passed its timeout of {format_duration(timeout)}"
    if result.cancelled and result.exit_code != 0:
        return f"the run was cancelled while {program} ran"
    if result.signal is not None:
        return f"{program} was killed by {_signal_name(result.signal)}"
    if result.exit_code is None:
        return f"the exit status of {program} was lost"
    return None


def write_private_json(path: Path, value: Mapping[str, Any]) -> None:
    """Writes an object into a file that only this user can read."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(descriptor, "w", encoding="utf-8") as file:  # noqa: PTH123 - a descriptor, not a path
        file.write(json.dumps(dict(value), ensure_ascii=False) + "\n")


def replace_private_json(path: Path, value: Mapping[str, Any], writer: str) -> None:
    """The same for a file that others may read meanwhile: they find it whole. `writer` tells those who write apart."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.{writer}")
    write_private_json(unfinished, value)
    unfinished.replace(path)


def _signal_name(number: int) -> str:
    return Signals(number).name if number in {each.value for each in Signals} else f"signal {number}"
