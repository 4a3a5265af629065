"""Whether a driver keeps its promises: for authors of drivers, and for nyl's own.

assert driver_problems(MyDriver(), [{"size": 1}]) == ()
assert execution_problems(MyDriver(), unit, tmp_path) == ()
"""

import copy
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from nyl.core.pointers import get
from nyl.core.schemas import Validator
from nyl.units.admission import base_variables
from nyl.units.context import UnitContext, private_folder
from nyl.units.driver import Capability, Driver, Failed, Inputs, RecoveryPolicy, ResolvedUnit, Succeeded, Uncertain
from nyl.units.execution import execute
from nyl.units.protocol import protocol_problems


def driver_problems(driver: Driver, specs: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """What a driver does that nyl cannot rely on, tried with some valid specs of its own fields. Runs nothing."""
    problems = list(protocol_problems(driver, driver.api_version))
    if problems:
        return tuple(problems)
    schema = driver.schema()
    fields = set(schema.get("properties", {}))
    problems += [f"has neutral field {name}, which its schema lacks" for name in set(driver.neutral_fields) - fields]
    for pointer in driver.reference_fields:
        if not pointer.startswith("/") or pointer.split("/")[1] not in fields:
            problems.append(f"takes references at {pointer}, which its schema lacks")
    if driver.schema() != schema:
        problems.append("gives another schema each time it is asked")
    validator = Validator(schema)
    for spec in specs:
        problems += [
            f"refuses {each.pointer or '/'} of a valid spec: {each.reason}" for each in validator.problems(spec)
        ]
        problems += _spec_problems(driver, spec)
    return tuple(problems)


def _spec_problems(driver: Driver, spec: Mapping[str, Any]) -> list[str]:
    before = copy.deepcopy(spec)
    problems = []
    capabilities = driver.capabilities(spec)
    if not all(isinstance(each, Capability) for each in capabilities):
        problems.append(f"has capabilities {capabilities!r}, where members of Capability are expected")
    policy = driver.recovery(spec)
    if not isinstance(policy, RecoveryPolicy):
        problems.append(f"has recovery policy {policy!r}, where a RecoveryPolicy is expected")
    if policy is RecoveryPolicy.INSPECT and Capability.INSPECT not in capabilities:
        problems.append("recovers by inspecting, but cannot inspect")
    problems += _input_problems(spec, driver.inputs(spec), driver.inputs(spec))
    if spec != before:
        problems.append("changes the spec that it is given")
    return problems


def _input_problems(spec: Mapping[str, Any], inputs: Inputs, again: Inputs) -> list[str]:
    if not isinstance(inputs, Inputs):
        return [f"reads {inputs!r}, where Inputs are expected"]
    problems = [] if inputs == again else ["reads something else each time it is asked"]
    pointers = {each.pointer for each in inputs.sources}
    problems += [f"names source {pointer}, which the spec lacks" for pointer in pointers if not _has(spec, pointer)]
    for files in inputs.files:
        if files.source not in pointers | {""}:
            problems.append(f"reads files of source {files.source}, which it does not name")
    return problems


def _has(spec: Mapping[str, Any], pointer: str) -> bool:
    try:
        get(spec, pointer)
    except KeyError:
        return False
    return True


def execution_problems(
    driver: Driver, unit: ResolvedUnit, checkout: Path, checkouts: Mapping[str, Path] | None = None
) -> tuple[str, ...]:
    """What goes wrong when a unit that should succeed is executed, and then again after its run was cancelled."""
    with private_folder() as temporary:
        context = UnitContext(checkout, temporary, base_variables({}), checkouts or {})
        outcome = execute(driver, unit, context)
    problems = [each.message for each in context.warnings]
    match outcome:
        case Failed():
            problems.append(f"failed: {outcome.message}")
        case Uncertain():
            problems.append(f"is uncertain: {outcome.reason}")
    return (*problems, *_cancelled_problems(driver, unit, checkout, checkouts or {}))


def _cancelled_problems(
    driver: Driver, unit: ResolvedUnit, checkout: Path, checkouts: Mapping[str, Path]
) -> tuple[str, ...]:
    with private_folder() as temporary:
        context = UnitContext(checkout, temporary, base_variables({}), checkouts)
        context.cancellation.cancel()
        try:
            outcome: object = driver.execute(unit, context)
        except Exception as error:
            return (f"raises {type(error).__name__} when its run is cancelled: {error}",)
    if isinstance(outcome, Succeeded | Failed | Uncertain):
        return ()
    return (f"gives {outcome!r} when its run is cancelled, which is no outcome",)
