"""What a driver's answer counts for: only plain data gets past here, and no secret does."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from nyl.core.canonical import is_digest
from nyl.core.masking import Masker
from nyl.core.strict_json import is_deeper
from nyl.units.context import UnitContext
from nyl.units.driver import Driver, RecoveryPolicy, ResolvedUnit
from nyl.units.outcomes import (
    AwaitingApproval,
    Failed,
    FailureCategory,
    InspectOutcome,
    NativeCommand,
    NativeOutcome,
    NotApplied,
    Outcome,
    Planned,
    PlanOutcome,
    Removed,
    Succeeded,
    TeardownOutcome,
    Uncertain,
    Unknown,
    Verified,
    VerifyOutcome,
    Waiting,
)
from nyl.units.outputs import DEEPEST, CheckedOutputs, OutputsInvalid, check_outputs

_Answer = TypeVar("_Answer")

_TEXTS: Mapping[type, tuple[str, ...]] = {
    Succeeded: ("versions",),
    Failed: ("message",),
    Uncertain: ("reason",),
    Removed: ("incomplete", "confirmed"),
    Waiting: ("reason",),
    Planned: ("text",),
    Verified: ("detail", "health"),
    Unknown: ("reason",),
}


class NoAnswer(Exception):
    """An answer that no driver may give. The text is a sentence about the driver."""


def judge_execution(driver: Driver, unit: ResolvedUnit, context: UnitContext, answer: object) -> Outcome:
    """The outcome of an execution. Outputs are held against their declaration. Raises NoAnswer."""
    if isinstance(answer, Failed):
        return _failure(unit, answer)
    if isinstance(answer, Uncertain):
        return answer
    if isinstance(answer, AwaitingApproval):
        return _wait(unit, context, answer)
    if not isinstance(answer, Succeeded):
        raise _no_outcome(unit, answer)
    try:
        return _success(unit, context, answer)
    except OutputsInvalid as problem:
        if context.cancellation.cancelled:
            return Uncertain(f"the run was cancelled while the unit ran, and {problem}")
        converges = driver.recovery(unit.spec) is RecoveryPolicy.CONVERGE
        return Failed(FailureCategory.OUTPUTS, converges, str(problem))


def judge_teardown(unit: ResolvedUnit, context: UnitContext, answer: object) -> TeardownOutcome:
    """The outcome of a teardown. Raises NoAnswer."""
    if isinstance(answer, Waiting):
        return replace(answer, progress=_safe(unit, context, "progress", answer.progress))
    if isinstance(answer, AwaitingApproval):
        return _wait(unit, context, answer)
    if isinstance(answer, Failed):
        return _failure(unit, answer)
    if isinstance(answer, Removed | Uncertain):
        return answer
    raise _no_outcome(unit, answer)


def judge_plan(unit: ResolvedUnit, answer: object) -> PlanOutcome:
    """The outcome of a plan of an execution or a teardown. Raises NoAnswer."""
    if isinstance(answer, Failed):
        return _failure(unit, answer)
    if not isinstance(answer, Planned):
        raise _no_outcome(unit, answer)
    if not isinstance(answer.text, str):
        raise NoAnswer(f"the driver of {unit.kind} planned {answer.text!r}, which is no text")
    _check_digest(unit, answer.digest)
    return answer


def judge_verification(unit: ResolvedUnit, context: UnitContext, answer: object) -> VerifyOutcome:
    """The outcome of a verification. Raises NoAnswer."""
    if isinstance(answer, Failed):
        return _failure(unit, answer)
    if not isinstance(answer, Verified):
        raise _no_outcome(unit, answer)
    if not isinstance(answer.health, str | None):
        raise NoAnswer(f"the driver of {unit.kind} gave health {answer.health!r}, which is no text")
    attestations = _safe(unit, context, "attestations", answer.attestations)
    return replace(answer, drifted=bool(answer.drifted), attestations=attestations)


def judge_inspection(unit: ResolvedUnit, context: UnitContext, answer: object) -> InspectOutcome:
    """The outcome of an inspection. Outputs are held against their declaration. Raises NoAnswer."""
    if isinstance(answer, NotApplied | Unknown):
        return answer
    if not isinstance(answer, Succeeded):
        raise _no_outcome(unit, answer)
    try:
        return _success(unit, context, answer)
    except OutputsInvalid as problem:
        return Unknown(f"it was applied, but {problem}")


def judge_native(unit: ResolvedUnit, answer: object) -> NativeOutcome:
    """A tool that was prepared. Raises NoAnswer."""
    if isinstance(answer, Failed):
        return _failure(unit, answer)
    if not isinstance(answer, NativeCommand):
        raise _no_outcome(unit, answer)
    argv, variables = tuple(answer.argv), dict(answer.variables)
    if not argv or not all(isinstance(each, str) for each in (*argv, *variables, *variables.values())):
        raise NoAnswer(f"the driver of {unit.kind} gave a command that is not made of texts")
    return NativeCommand(argv, variables, answer.cwd, dict(answer.keeps))


def masked(answer: _Answer, masker: Masker) -> _Answer:
    """The outcome with every secret hidden in what it says."""
    outcome: Any = answer
    said = {name: _hidden(getattr(outcome, name), masker) for name in _TEXTS.get(type(outcome), ())}
    said |= {name: "it did not say why" for name in ("message", "reason") if said.get(name, "") is None}
    changed: _Answer = replace(outcome, **said)
    return changed


def _hidden(said: object, masker: Masker) -> object:
    if isinstance(said, Mapping):
        return {tool: masker.mask(writable(version)) for tool, version in said.items()}
    return None if said is None else masker.mask(writable(said))


def writable(said: object) -> str:
    """What a driver said as a text that can be written; names of files may hold bytes that are none."""
    return str(said).encode(errors="backslashreplace").decode()


def _failure(unit: ResolvedUnit, answer: Failed) -> Failed:
    if answer.category not in tuple(FailureCategory) or not isinstance(answer.retryable, bool):
        raise NoAnswer(
            f"the driver of {unit.kind} failed with category {answer.category!r} and retryable {answer.retryable!r}, "
            f"where one of {', '.join(FailureCategory)} and true or false are expected: {answer.message}"
        )
    return replace(answer, category=FailureCategory(answer.category))


def _success(unit: ResolvedUnit, context: UnitContext, answer: Succeeded) -> Succeeded:
    plain = Succeeded(_plain(answer.outputs), _plain(answer.artifacts), _plain(answer.versions))
    checked = check_outputs(unit.outputs, plain.outputs)
    context.masker.add_value(list(checked.sensitive.values()))
    _refuse_secrets(context, checked, plain.artifacts)
    for name in checked.undeclared:
        context.warn(
            f"The unit wrote output {name!r}, which it does not declare; it was ignored.",
            f"declare {name!r} under spec.outputs, or stop writing it",
        )
    return Succeeded(checked.stored, plain.artifacts, plain.versions)


def _refuse_secrets(context: UnitContext, checked: CheckedOutputs, artifacts: Mapping[str, Any]) -> None:
    for what, values in (("output", checked.stored), ("artifact", artifacts)):
        for name, value in values.items():
            if context.masker.reveals(value):
                raise OutputsInvalid(
                    f"{what} {name} contains the value of a secret or of a sensitive output, which is never stored"
                )


def _wait(unit: ResolvedUnit, context: UnitContext, answer: AwaitingApproval) -> AwaitingApproval:
    _check_digest(unit, answer.digest)
    if answer.digest == context.approved_digest:
        raise NoAnswer(f"the driver of {unit.kind} waits for an approval of the change that was approved")
    return answer


def _check_digest(unit: ResolvedUnit, digest: object) -> None:
    if not is_digest(digest):
        raise NoAnswer(f"the driver of {unit.kind} gave change digest {digest!r}, which is no sha256 digest")


def _safe(unit: ResolvedUnit, context: UnitContext, what: str, value: Mapping[str, Any]) -> dict[str, Any]:
    plain = _plain(value)
    if context.masker.reveals(plain):
        raise NoAnswer(f"the driver of {unit.kind} gave {what} with the value of a secret, which is never stored")
    return plain


def _plain(value: Mapping[str, Any]) -> dict[str, Any]:
    """The value as JSON would give it back, so that no object of a driver gets further. Raises ValueError."""
    text = json.dumps(dict(value), allow_nan=False, ensure_ascii=False)
    data: dict[str, Any] = json.loads(text.encode())
    if is_deeper(data, DEEPEST):
        raise ValueError(f"the data that it gave is nested on more than {DEEPEST} levels")
    return data


def _no_outcome(unit: ResolvedUnit, answer: object) -> NoAnswer:
    return NoAnswer(f"the driver of {unit.kind} gave no outcome but {type(answer).__name__}")
