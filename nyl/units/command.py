"""The Command driver: a unit whose effects programs of the project bring about, look after and remove."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from nyl.project.records import UNITS
from nyl.units.driver import Capability, ExecutionContext, ReceiptFacts, RecoveryPolicy, ResolvedUnit, TeardownOrder
from nyl.units.inputs import InputFiles, Inputs
from nyl.units.outcomes import (
    Failed,
    FailureCategory,
    InspectOutcome,
    NotApplied,
    Outcome,
    PlanOutcome,
    Removed,
    Succeeded,
    TeardownOutcome,
    Uncertain,
    Unknown,
    Verified,
    VerifyOutcome,
)
from nyl.units.outputs import OutputsInvalid, read_outputs
from nyl.units.planning import plan_removal, plan_step, unless_approved
from nyl.units.steps import ARGV, ended_badly, interrupted, interruption, run_step

_DRIFTED = 2
"""Exit code of a `verify` step that found drift."""

_NOT_APPLIED = 3
"""Exit code of an `inspect` step that found no effects."""

_STEPS = (Capability.PLAN, Capability.VERIFY, Capability.INSPECT, Capability.TEARDOWN)

_TEARDOWN: Mapping[str, Any] = {
    **ARGV,
    "type": ["array", "object"],
    "properties": {"command": ARGV, "idempotent": {"type": "boolean"}},
    "required": ["command"],
    "additionalProperties": False,
    "description": "A program that removes what the command brought about, or one with `idempotent: true`.",
}


class CommandDriver:
    """Kind Command of units.gitops.nyl/v1."""

    api_version = UNITS
    kind = "Command"
    behavior_version = 1
    default_timeout = timedelta(minutes=30)
    reference_fields: tuple[str, ...] = ("/values",)
    neutral_fields: tuple[str, ...] = ("idempotent", "verify", "inspect", "teardown", "plan")

    def schema(self) -> Mapping[str, Any]:
        """JSON Schema of the kind's own spec fields."""
        return {
            "type": "object",
            "properties": {
                "command": {**ARGV, "description": "The program and its arguments; never a shell line."},
                "files": {
                    "type": "array",
                    "items": {"type": "string", "minLength": 1},
                    "description": "Globs of the files whose bytes enter the execution key.",
                },
                "values": {"type": "object", "description": "What the program finds in the file NYL_INPUTS names."},
                "fingerprint": {**ARGV, "description": "A program whose output enters the execution key."},
                "idempotent": {"type": "boolean", "description": "Whether running it again is always safe."},
                "verify": {
                    **ARGV,
                    "description": "A program that ends with exit code 2 when what the receipt describes has drifted.",
                },
                "inspect": {
                    **ARGV,
                    "description": "A program that says whether an uncertain execution was applied: exit code 0 "
                    "with an outputs file, or 3 when it was not.",
                },
                "teardown": _TEARDOWN,
                "plan": {
                    **ARGV,
                    "description": "A program without effects that prints what running the command would change.",
                },
            },
            "required": ["command"],
        }

    def capabilities(self, spec: Mapping[str, Any]) -> frozenset[Capability]:
        """A Command can do what it has a step for; what its plan step prints has a digest."""
        found = {each for each in _STEPS if each in spec}
        return frozenset(found | {Capability.DIGEST} if Capability.PLAN in found else found)

    def recovery(self, spec: Mapping[str, Any]) -> RecoveryPolicy:
        """Running again settles an uncertain idempotent Command, an inspection others; all else waits for somebody."""
        if spec.get("idempotent"):
            return RecoveryPolicy.CONVERGE
        return RecoveryPolicy.INSPECT if "inspect" in spec else RecoveryPolicy.MANUAL

    def teardown_recovery(self, spec: Mapping[str, Any]) -> RecoveryPolicy:
        """Running again settles an uncertain idempotent teardown; any other waits for an operator."""
        return RecoveryPolicy.CONVERGE if _teardown(spec)[1] else RecoveryPolicy.MANUAL

    def inputs(self, spec: Mapping[str, Any]) -> Inputs:
        """The declared files of S, and the fingerprint program."""
        globs = tuple(spec.get("files", ()))
        fingerprint = spec.get("fingerprint")
        return Inputs(
            files=(InputFiles(globs),) if globs else (),
            fingerprint=tuple(fingerprint) if fingerprint else None,
        )

    def plan(self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts) -> PlanOutcome:
        """Runs the plan step. What it prints is the change, whatever an earlier execution gave."""
        return plan_step(unit.spec["plan"], unit, context)

    def plan_teardown(self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts) -> PlanOutcome:
        """What the teardown step would be told to remove. Runs nothing."""
        return plan_removal(_teardown(unit.spec)[0], unit, context, receipt)

    def execute(self, unit: ResolvedUnit, context: ExecutionContext) -> Outcome:
        """Runs the command and reads the outputs file it wrote, unless another change than its own was approved."""
        unapproved = unless_approved(context, lambda: plan_step(unit.spec["plan"], unit, context))
        if unapproved is not None:
            return unapproved
        command: Sequence[str] = unit.spec["command"]
        retryable = bool(unit.spec.get("idempotent"))
        result, files = run_step(command, unit, context)
        bad = ended_badly(command[0], result, unit.timeout, retryable)
        if bad is not None:
            return bad
        try:
            return Succeeded(read_outputs(files.outputs) or {})
        except OutputsInvalid as problem:
            if result.cancelled:
                return Uncertain(f"the run was cancelled while {command[0]} ran, and {problem}")
            return Failed(FailureCategory.OUTPUTS, retryable, f"{command[0]} ended with exit code 0, but {problem}")

    def teardown(
        self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts, order: TeardownOrder
    ) -> TeardownOutcome:
        """Runs the teardown step, unless it is another than the approved one.

        It never waits, so the order has nothing to say to it.
        """
        step, idempotent = _teardown(unit.spec)
        unapproved = unless_approved(context, lambda: plan_removal(step, unit, context, receipt))
        if unapproved is not None:
            return unapproved
        result, _ = run_step(step, unit, context, receipt)
        return ended_badly(step[0], result, unit.timeout, idempotent) or Removed()

    def verify(self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts) -> VerifyOutcome:
        """Runs the verify step: exit code 0 is clean, 2 is drift, of which its last line tells."""
        step: Sequence[str] = unit.spec["verify"]
        result, _ = run_step(step, unit, context, receipt)
        failed = interrupted(step[0], result, unit.timeout)
        if failed is not None:
            return failed
        if result.exit_code == _DRIFTED:
            return Verified(True, result.last_line or f"{step[0]} found drift")
        if result.exit_code != 0:
            return Failed(FailureCategory.EXECUTION, True, f"{step[0]} ended with exit code {result.exit_code}")
        return Verified(False)

    def inspect(self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts) -> InspectOutcome:
        """Runs the inspect step: exit code 0 with an outputs file is applied, 3 is not applied."""
        step: Sequence[str] = unit.spec["inspect"]
        result, files = run_step(step, unit, context, receipt)
        why = interruption(step[0], result, unit.timeout)
        if why is not None:
            return Unknown(why)
        if result.exit_code == _NOT_APPLIED:
            return NotApplied()
        if result.exit_code != 0:
            return Unknown(f"{step[0]} ended with exit code {result.exit_code}")
        try:
            outputs = read_outputs(files.outputs)
        except OutputsInvalid as problem:
            return Unknown(f"{step[0]} ended with exit code 0, but {problem}")
        if outputs is None:
            return Unknown(f"{step[0]} ended with exit code 0, but wrote no outputs file")
        return Succeeded(outputs)


def _teardown(spec: Mapping[str, Any]) -> tuple[Sequence[str], bool]:
    """The teardown step and whether it is idempotent."""
    step = spec["teardown"]
    return (step["command"], bool(step.get("idempotent"))) if isinstance(step, Mapping) else (step, False)
