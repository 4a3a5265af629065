"""Whether a driver keeps its promises: for authors of drivers, and for nyl's own.

assert driver_problems(MyDriver(), [{"size": 1}]) == ()
assert execution_problems(MyDriver(), unit, tmp_path) == ()
assert aftercare_problems(MyDriver(), unit, tmp_path) == ()
"""

import copy
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, cast

from nyl.core.pointers import get
from nyl.core.schemas import Validator
from nyl.units.driver import (
    Capability,
    Driver,
    Inspects,
    Plans,
    ReceiptFacts,
    RecoveryPolicy,
    ResolvedUnit,
    TeardownOrder,
    TearsDown,
    Verifies,
)
from nyl.units.execution import execute, inspect, tear_down, verify
from nyl.units.inputs import Inputs
from nyl.units.outcomes import (
    AwaitingApproval,
    Failed,
    NotApplied,
    Outcome,
    Removed,
    Succeeded,
    TeardownOutcome,
    Uncertain,
    Unknown,
    Verified,
    Waiting,
)
from nyl.units.planning_conformance import planning_problems, teardown_planning_problems
from nyl.units.protocol import protocol_problems
from nyl.units.trials import Trial

_METHODS: Mapping[Capability, tuple[str, ...]] = {
    Capability.PLAN: ("plan", "plan_teardown"),
    Capability.TEARDOWN: ("teardown", "teardown_recovery"),
    Capability.VERIFY: ("verify",),
    Capability.INSPECT: ("inspect",),
}


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
    if driver.capabilities(spec) != capabilities:
        problems.append("has other capabilities each time it is asked")
    if Capability.DIGEST in capabilities and Capability.PLAN not in capabilities:
        problems.append("reports change digests, but cannot plan")
    problems += _missing_methods(driver, capabilities)
    policy = driver.recovery(spec)
    if not isinstance(policy, RecoveryPolicy):
        problems.append(f"has recovery policy {policy!r}, where a RecoveryPolicy is expected")
    if policy is RecoveryPolicy.INSPECT and Capability.INSPECT not in capabilities:
        problems.append("recovers by inspecting, but cannot inspect")
    if Capability.TEARDOWN in capabilities and callable(getattr(driver, "teardown_recovery", None)):
        problems += _teardown_policy_problems(cast(TearsDown, driver).teardown_recovery(spec))
    problems += _input_problems(spec, driver.inputs(spec), driver.inputs(spec))
    if spec != before:
        problems.append("changes the spec that it is given")
    return problems


def _missing_methods(driver: Driver, capabilities: Iterable[Capability]) -> list[str]:
    needed = [(each, name) for each in _METHODS for name in _METHODS[each] if each in capabilities]
    return [
        f"has capability {capability}, but no method {name}"
        for capability, name in needed
        if not callable(getattr(driver, name, None))
    ]


def _teardown_policy_problems(policy: object) -> list[str]:
    if policy in (RecoveryPolicy.CONVERGE, RecoveryPolicy.MANUAL):
        return []
    return [f"has teardown recovery policy {policy!r}, where converge or manual is expected"]


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
    trial = Trial(checkout, checkouts or {})
    _, problems = _executed(driver, unit, trial)
    cancelled = trial.cancelled(lambda context: driver.execute(unit, context), (Succeeded, Failed, Uncertain))
    return (*problems, *cancelled)


def aftercare_problems(
    driver: Driver, unit: ResolvedUnit, checkout: Path, checkouts: Mapping[str, Path] | None = None
) -> tuple[str, ...]:
    """What goes wrong when a unit is planned, executed, inspected, verified and torn down, as far as the driver can.

    A plan should change no file of the checkout and say the same again; a kind that reports digests should do nothing
    where another change was approved. The unit must succeed, so an inspection should find it applied with the same
    outputs, and a verification clean. A teardown may wait; then it is asked once more. One that converges is asked
    again after the removal. Each is also asked after its run was cancelled.
    """
    trial = Trial(checkout, checkouts or {})
    capabilities = driver.capabilities(unit.spec)
    plans = Capability.PLAN in capabilities
    problems = planning_problems(cast(Plans, driver), unit, trial) if plans else []
    outcome, more = _executed(driver, unit, trial)
    problems += more
    if not isinstance(outcome, Succeeded):
        return tuple(problems)
    receipt = ReceiptFacts(outcome.outputs, outcome.artifacts)
    if Capability.INSPECT in capabilities:
        problems += _inspection_problems(cast(Inspects, driver), unit, trial, outcome)
    if Capability.VERIFY in capabilities:
        problems += _verification_problems(cast(Verifies, driver), unit, trial, receipt)
    if plans and Capability.TEARDOWN in capabilities:
        problems += teardown_planning_problems(cast(Plans, driver), unit, trial, receipt)
    if Capability.TEARDOWN in capabilities:
        problems += _teardown_problems(cast(TearsDown, driver), unit, trial, receipt)
    return tuple(problems)


def _executed(driver: Driver, unit: ResolvedUnit, trial: Trial) -> tuple[Outcome, list[str]]:
    outcome, problems = trial.run(lambda context: execute(driver, unit, context))
    match outcome:
        case Failed():
            problems.append(f"failed: {outcome.message}")
        case Uncertain():
            problems.append(f"is uncertain: {outcome.reason}")
        case AwaitingApproval():
            problems.append("waits for an approval although nothing in particular was approved")
    return outcome, problems


def _inspection_problems(driver: Inspects, unit: ResolvedUnit, trial: Trial, applied: Succeeded) -> list[str]:
    nothing = ReceiptFacts()
    found, problems = trial.run(lambda context: inspect(driver, unit, context, nothing))
    match found:
        case Succeeded() if found.outputs != applied.outputs:
            problems.append(f"finds outputs {dict(found.outputs)} where it gave {dict(applied.outputs)}")
        case NotApplied():
            problems.append("finds that nothing was applied right after it succeeded")
        case Unknown():
            problems.append(f"cannot tell whether it was applied: {found.reason}")
    problems += trial.cancelled(
        lambda context: driver.inspect(unit, context, nothing),
        (Succeeded, NotApplied, Unknown),
        " during inspect",
    )
    return problems


def _verification_problems(driver: Verifies, unit: ResolvedUnit, trial: Trial, receipt: ReceiptFacts) -> list[str]:
    found, problems = trial.run(lambda context: verify(driver, unit, context, receipt))
    match found:
        case Verified(drifted=True):
            problems.append(f"finds drift right after it succeeded: {found.detail}")
        case Failed():
            problems.append(f"failed to verify: {found.message}")
    problems += trial.cancelled(
        lambda context: driver.verify(unit, context, receipt), (Verified, Failed), " during verify"
    )
    return problems


def _teardown_problems(driver: TearsDown, unit: ResolvedUnit, trial: Trial, receipt: ReceiptFacts) -> list[str]:
    fresh = TeardownOrder()
    problems = trial.cancelled(
        lambda context: driver.teardown(unit, context, receipt, fresh),
        (Removed, Waiting, Failed, Uncertain),
        " during teardown",
    )
    ended, again = _torn_down(driver, unit, trial, receipt, fresh)
    problems += again
    if isinstance(ended, Waiting):
        problems += _torn_down(driver, unit, trial, receipt, TeardownOrder(ended.progress))[1]
    elif isinstance(ended, Removed) and driver.teardown_recovery(unit.spec) is RecoveryPolicy.CONVERGE:
        repeated, _ = _torn_down(driver, unit, trial, receipt, fresh)
        if not isinstance(repeated, Removed):
            problems.append(f"converges, but a second teardown gives {repeated!r}")
    return problems


def _torn_down(
    driver: TearsDown, unit: ResolvedUnit, trial: Trial, receipt: ReceiptFacts, order: TeardownOrder
) -> tuple[TeardownOutcome, list[str]]:
    ended, problems = trial.run(lambda context: tear_down(driver, unit, context, receipt, order))
    match ended:
        case Failed():
            problems.append(f"failed to tear down: {ended.message}")
        case Uncertain():
            problems.append(f"tears down uncertainly: {ended.reason}")
    return ended, problems
