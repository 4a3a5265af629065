"""Executing one unit: whatever its driver does, an outcome comes of it, and no secret leaves with it."""

import json
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from nyl.units.context import UnitContext
from nyl.units.driver import (
    Driver,
    Failed,
    FailureCategory,
    Outcome,
    RecoveryPolicy,
    ResolvedUnit,
    Succeeded,
    Uncertain,
)
from nyl.units.outputs import CheckedOutputs, OutputsInvalid, check_outputs


def execute(driver: Driver, unit: ResolvedUnit, context: UnitContext) -> Outcome:
    """Executes a unit and tells how it ended. Raises nothing that a driver raises.

    A driver that raises, or gives back anything but an outcome made of plain data, leaves the unit uncertain. Outputs
    are held against the declaration: sensitive ones are checked and dropped, undeclared ones are dropped with a
    warning, and those that do not fit make the unit failed (category `outputs`). Warnings are in `context.warnings`,
    with environment and unit named.
    """
    if context.cancellation.cancelled:
        return Failed(FailureCategory.START, True, "the run was cancelled before the unit started")
    if context.deadline is None:
        context.deadline = time.monotonic() + unit.timeout.total_seconds()
    try:
        outcome = _judge(driver, unit, context, driver.execute(unit, context))
    except (Exception, SystemExit) as error:
        outcome = Uncertain(f"the driver of {unit.kind} raised {type(error).__name__}: {error}".removesuffix(": "))
    context.warnings[:] = [replace(each, environment=unit.environment, unit=unit.name) for each in context.warnings]
    return _masked(outcome, context)


def _judge(driver: Driver, unit: ResolvedUnit, context: UnitContext, outcome: object) -> Outcome:
    if isinstance(outcome, Failed | Uncertain):
        return outcome
    if not isinstance(outcome, Succeeded):
        return Uncertain(f"the driver of {unit.kind} gave no outcome but {type(outcome).__name__}")
    plain = Succeeded(_plain(outcome.outputs), _plain(outcome.artifacts), _plain(outcome.versions))
    try:
        checked = check_outputs(unit.outputs, plain.outputs)
        context.masker.add_value(list(checked.sensitive.values()))
        _refuse_secrets(context, checked, plain.artifacts)
    except OutputsInvalid as problem:
        if context.cancellation.cancelled:
            return Uncertain(f"the run was cancelled while the unit ran, and {problem}")
        converges = driver.recovery(unit.spec) is RecoveryPolicy.CONVERGE
        return Failed(FailureCategory.OUTPUTS, converges, str(problem))
    _warn_undeclared(context, checked.undeclared)
    return Succeeded(checked.stored, plain.artifacts, plain.versions)


def _plain(value: Mapping[str, Any]) -> dict[str, Any]:
    """The value as JSON would give it back, so that no object of a driver gets further."""
    data: dict[str, Any] = json.loads(json.dumps(dict(value), allow_nan=False))
    return data


def _refuse_secrets(context: UnitContext, checked: CheckedOutputs, artifacts: Mapping[str, Any]) -> None:
    for what, values in (("output", checked.stored), ("artifact", artifacts)):
        for name, value in values.items():
            if context.masker.reveals(value):
                raise OutputsInvalid(
                    f"{what} {name} contains the value of a secret or of a sensitive output, which is never stored"
                )


def _warn_undeclared(context: UnitContext, names: tuple[str, ...]) -> None:
    for name in names:
        context.warn(
            f"The unit wrote output {name!r}, which it does not declare; it was ignored.",
            f"declare {name!r} under spec.outputs, or stop writing it",
        )


def _masked(outcome: Outcome, context: UnitContext) -> Outcome:
    match outcome:
        case Failed():
            return replace(outcome, message=context.masker.mask(outcome.message))
        case Uncertain():
            return replace(outcome, reason=context.masker.mask(outcome.reason))
        case Succeeded():
            versions = {tool: context.masker.mask(str(version)) for tool, version in outcome.versions.items()}
            return replace(outcome, versions=versions)
