"""Whether a driver keeps its promises: for authors of drivers, and for nyl's own.

assert driver_problems(MyDriver(), [{"size": 1}]) == ()
assert execution_problems(MyDriver(), unit, tmp_path) == ()
assert aftercare_problems(MyDriver(), unit, tmp_path) == ()
assert interruption_problems(MyDriver(), unit, tmp_path) == ()
assert secret_problems(MyDriver(), unit, tmp_path, {"TOKEN": "not-for-everyone"}) == ()

`checkouts` are those of the unit's source fields by their pointers, and `variables` what it is admitted beside PATH,
HOME and LANG.
"""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, cast

from nyl.units.declaration_conformance import declaration_problems
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
from nyl.units.interruption_conformance import interruptions
from nyl.units.mishaps import Mishap
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
from nyl.units.secret_conformance import leaks
from nyl.units.trials import Trial


def driver_problems(driver: Driver, specs: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """What a driver says about itself that nyl cannot rely on, tried with some valid specs of its own fields.

    Together the specs should have every capability. Nothing is run.
    """
    return tuple(declaration_problems(driver, specs))


def execution_problems(
    driver: Driver,
    unit: ResolvedUnit,
    checkout: Path,
    checkouts: Mapping[str, Path] | None = None,
    variables: Mapping[str, str] | None = None,
) -> tuple[str, ...]:
    """What goes wrong when a unit that should succeed is executed, and then again after its run was cancelled."""
    trial = Trial(checkout, checkouts or {}, variables or {})
    _, problems = _executed(driver, unit, trial)
    cancelled = trial.cancelled(lambda context: driver.execute(unit, context), (Succeeded, Failed, Uncertain))
    return (*problems, *cancelled)


def aftercare_problems(
    driver: Driver,
    unit: ResolvedUnit,
    checkout: Path,
    checkouts: Mapping[str, Path] | None = None,
    variables: Mapping[str, str] | None = None,
) -> tuple[str, ...]:
    """What goes wrong when a unit is planned, executed, inspected, verified and torn down, as far as the driver can.

    A plan should change no file of the checkout and say the same again; a kind that reports digests should do nothing
    where another change was approved. The unit must succeed, so an inspection should find it applied with the same
    outputs, and a verification clean. A teardown may wait; then it is asked once more. One that converges is asked
    again after the removal. Each is also asked after its run was cancelled.
    """
    trial = Trial(checkout, checkouts or {}, variables or {})
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


def interruption_problems(
    driver: Driver,
    unit: ResolvedUnit,
    checkout: Path,
    checkouts: Mapping[str, Path] | None = None,
    variables: Mapping[str, str] | None = None,
    tried: Callable[[str, Mishap], bool] = lambda _step, _mishap: True,
) -> tuple[str, ...]:
    """What a driver claims that it cannot know when its tools are interrupted.

    Each tool of each step passes the unit's timeout, is at work when the run is cancelled, is killed, or cannot be
    started: then nothing may have succeeded, been planned, or be clean, and the recovery policy must lead out of it.
    A success that a verification bears out is accepted, as that of a tool that only cleans up.
    The unit is executed, and torn down, many times, each time in a new copy of its checkout. Where its tools are slow,
    `tried` can choose by the step, such as `execute`, and by what happens to a tool.
    """
    return tuple(interruptions(driver, unit, Trial(checkout, checkouts or {}, variables or {}), tried))


def secret_problems(
    driver: Driver,
    unit: ResolvedUnit,
    checkout: Path,
    secrets: Mapping[str, str],
    checkouts: Mapping[str, Path] | None = None,
    variables: Mapping[str, str] | None = None,
) -> tuple[str, ...]:
    """Where secrets turn up that a unit is admitted as variables, and the values of its sensitive outputs.

    The unit is asked for everything that its driver can do. It should use the secrets.
    """
    return tuple(leaks(driver, unit, Trial(checkout, checkouts or {}, variables or {}, secrets)))


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
        return problems + _wait_problems(driver, unit, trial, receipt, ended)
    if isinstance(ended, Removed) and driver.teardown_recovery(unit.spec) is RecoveryPolicy.CONVERGE:
        repeated, _ = _torn_down(driver, unit, trial, receipt, fresh)
        if not isinstance(repeated, Removed):
            problems.append(f"converges, but a second teardown gives {repeated!r}")
    return problems


def _wait_problems(
    driver: TearsDown, unit: ResolvedUnit, trial: Trial, receipt: ReceiptFacts, waiting: Waiting
) -> list[str]:
    """What goes wrong when a teardown that waits is asked again, and when an operator ends the wait."""
    ended, problems = _torn_down(driver, unit, trial, receipt, TeardownOrder(waiting.progress))
    if not isinstance(ended, Waiting):
        return problems
    words = {
        "confirm_removed": TeardownOrder(ended.progress, confirm_removed=True),
        "allow_incomplete": TeardownOrder(ended.progress, allow_incomplete=True),
    }
    for word, order in words.items():
        final, more = _torn_down(driver, unit, trial, receipt, order)
        problems += more
        if isinstance(final, Waiting):
            problems.append(f"goes on waiting although the order has {word}")
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
