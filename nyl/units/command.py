"""The Command driver: a unit whose effects a program of the project brings about."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from signal import Signals
from typing import Any

from nyl.core.durations import format_duration
from nyl.project.records import UNITS
from nyl.units.driver import (
    Capability,
    ExecutionContext,
    Failed,
    FailureCategory,
    InputFiles,
    Inputs,
    Outcome,
    RecoveryPolicy,
    ResolvedUnit,
    Succeeded,
    ToolResult,
    Uncertain,
)
from nyl.units.outputs import OutputsInvalid, read_outputs

_ARGV: Mapping[str, Any] = {
    "type": "array",
    "minItems": 1,
    "prefixItems": [{"type": "string", "minLength": 1}],
    "items": {"type": "string"},
}


@dataclass(frozen=True)
class StepFiles:
    """The files by which a step of a Command and nyl pass data to each other."""

    inputs: Path
    outputs: Path

    def variables(self, environment: str, unit: str) -> dict[str, str]:
        """What a step gets beside the admitted variables."""
        return {
            "NYL_INPUTS": str(self.inputs),
            "NYL_OUTPUTS": str(self.outputs),
            "NYL_UNIT": unit,
            "NYL_ENVIRONMENT": environment,
        }


def prepare_step(temporary: Path, values: Mapping[str, Any]) -> StepFiles:
    """Writes the resolved values where a step finds them. The outputs file does not exist yet."""
    files = StepFiles(temporary / "inputs.json", temporary / "outputs.json")
    files.outputs.unlink(missing_ok=True)
    descriptor = os.open(files.inputs, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(descriptor, "w", encoding="utf-8") as file:  # noqa: PTH123 - a descriptor, not a path
        file.write(json.dumps(values, ensure_ascii=False) + "\n")
    return files


class CommandDriver:
    """Kind Command of units.gitops.nyl/v1."""

    api_version = UNITS
    kind = "Command"
    behavior_version = 1
    default_timeout = timedelta(minutes=30)
    reference_fields: tuple[str, ...] = ("/values",)
    neutral_fields: tuple[str, ...] = ("idempotent",)

    def schema(self) -> Mapping[str, Any]:
        """JSON Schema of the kind's own spec fields."""
        return {
            "type": "object",
            "properties": {
                "command": {**_ARGV, "description": "The program and its arguments; never a shell line."},
                "files": {
                    "type": "array",
                    "items": {"type": "string", "minLength": 1},
                    "description": "Globs of the files whose bytes enter the execution key.",
                },
                "values": {"type": "object", "description": "What the program finds in the file NYL_INPUTS names."},
                "fingerprint": {**_ARGV, "description": "A program whose output enters the execution key."},
                "idempotent": {"type": "boolean", "description": "Whether running it again is always safe."},
            },
            "required": ["command"],
        }

    def capabilities(self, spec: Mapping[str, Any]) -> frozenset[Capability]:
        """A Command can only be executed."""
        return frozenset()

    def recovery(self, spec: Mapping[str, Any]) -> RecoveryPolicy:
        """Running again settles an uncertain idempotent Command; any other waits for an operator."""
        return RecoveryPolicy.CONVERGE if spec.get("idempotent") else RecoveryPolicy.MANUAL

    def inputs(self, spec: Mapping[str, Any]) -> Inputs:
        """The declared files of S, and the fingerprint program."""
        globs = tuple(spec.get("files", ()))
        fingerprint = spec.get("fingerprint")
        return Inputs(
            files=(InputFiles(globs),) if globs else (),
            fingerprint=tuple(fingerprint) if fingerprint else None,
        )

    def execute(self, unit: ResolvedUnit, context: ExecutionContext) -> Outcome:
        """Runs the command and reads the outputs file it wrote."""
        files = prepare_step(context.temporary, unit.spec.get("values", {}))
        command: Sequence[str] = unit.spec["command"]
        result = context.run(command, variables=files.variables(unit.environment, unit.name))
        retryable = bool(unit.spec.get("idempotent"))
        ended_badly = _judge(command[0], result, unit.timeout, retryable)
        if ended_badly is not None:
            return ended_badly
        try:
            return Succeeded(read_outputs(files.outputs) or {})
        except OutputsInvalid as problem:
            if result.cancelled:
                return Uncertain(f"the run was cancelled while {command[0]} ran, and {problem}")
            return Failed(FailureCategory.OUTPUTS, retryable, f"{command[0]} ended with exit code 0, but {problem}")


def _judge(program: str, result: ToolResult, timeout: timedelta, retryable: bool) -> Outcome | None:
    """The outcome of a command that did not succeed; None when its outputs decide."""
    if result.start_error is not None:
        # Nothing ran, so nothing can have had an effect.
        return Failed(FailureCategory.START, True, f"{program} could not be started: {result.start_error}")
    if result.timed_out:
        return Uncertain(f"{program} passed its timeout of {format_duration(timeout)}")
    if result.cancelled and result.exit_code != 0:
        return Uncertain(f"the run was cancelled while {program} ran")
    if result.signal is not None:
        return Uncertain(f"{program} was killed by {_signal_name(result.signal)}")
    if result.exit_code is None:
        return Uncertain(f"the exit status of {program} was lost")
    if result.exit_code != 0:
        return Failed(FailureCategory.EXECUTION, retryable, f"{program} ended with exit code {result.exit_code}")
    return None


def _signal_name(number: int) -> str:
    return Signals(number).name if number in {each.value for each in Signals} else f"signal {number}"
