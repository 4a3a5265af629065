"""Asking a driver to act on one unit: whatever it does, an outcome comes of it, and no secret leaves with it.

None of these raises what a driver raises. Where the context has no deadline yet, it gets one from the unit's timeout;
warnings are in `context.warnings`, with environment and unit named.
"""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar, cast

from nyl.units.answers import (
    NoAnswer,
    judge_execution,
    judge_inspection,
    judge_native,
    judge_plan,
    judge_teardown,
    judge_verification,
    masked,
    writable,
)
from nyl.units.context import UnitContext
from nyl.units.driver import (
    Capability,
    Driver,
    Inspects,
    Plans,
    ReceiptFacts,
    ResolvedUnit,
    RunsNatively,
    TeardownOrder,
    TearsDown,
    Verifies,
)
from nyl.units.outcomes import (
    Failed,
    FailureCategory,
    InspectOutcome,
    NativeOutcome,
    Outcome,
    PlanOutcome,
    TeardownOutcome,
    Uncertain,
    Unknown,
    VerifyOutcome,
)

_Answer = TypeVar("_Answer", Outcome, TeardownOutcome, VerifyOutcome, InspectOutcome, PlanOutcome, NativeOutcome)

_CANCELLED = "the run was cancelled before the unit started"


def execute(driver: Driver, unit: ResolvedUnit, context: UnitContext) -> Outcome:
    """Executes a unit and tells how it ended.

    A driver that raises, or gives back anything but an outcome made of plain data, leaves the unit uncertain. Outputs
    are held against the declaration: sensitive ones are checked and dropped, undeclared ones are dropped with a
    warning, and those that do not fit make the unit failed (category `outputs`).
    """
    if context.cancellation.cancelled:
        return Failed(FailureCategory.START, True, _CANCELLED)

    def act() -> Outcome:
        return judge_execution(driver, unit, context, driver.execute(unit, context))

    return _ask(unit, context, act, Uncertain)


def tear_down(
    driver: Driver, unit: ResolvedUnit, context: UnitContext, receipt: ReceiptFacts, order: TeardownOrder
) -> TeardownOutcome:
    """Tears a unit down and tells how it ended.

    A driver that raises, or gives back anything but an outcome made of plain data that is free of secrets, leaves the
    teardown uncertain. One that has no teardown fails before any effect.
    """
    if context.cancellation.cancelled:
        return Failed(FailureCategory.START, True, _CANCELLED)
    if not _can(driver, "teardown"):
        return Failed(FailureCategory.DRIVER_ERROR, False, f"the driver of {unit.kind} cannot tear down")
    able = cast(TearsDown, driver)

    def act() -> TeardownOutcome:
        return judge_teardown(unit, context, able.teardown(unit, context, receipt, order))

    return _ask(unit, context, act, Uncertain)


def plan(driver: Driver, unit: ResolvedUnit, context: UnitContext, receipt: ReceiptFacts) -> PlanOutcome:
    """Asks what executing a unit would change.

    A driver that raises, or gives back anything but a text with a well-formed digest, fails (category `driver-error`).
    """
    return _plan(driver, unit, context, "plan", lambda able: able.plan(unit, context, receipt))


def plan_teardown(driver: Driver, unit: ResolvedUnit, context: UnitContext, receipt: ReceiptFacts) -> PlanOutcome:
    """Asks what tearing a unit down would change. Fails as `plan` does."""
    return _plan(driver, unit, context, "plan_teardown", lambda able: able.plan_teardown(unit, context, receipt))


def verify(driver: Driver, unit: ResolvedUnit, context: UnitContext, receipt: ReceiptFacts) -> VerifyOutcome:
    """Asks whether what a receipt describes still holds.

    A driver that raises, or gives back anything but an outcome, fails (category `driver-error`).
    """
    if context.cancellation.cancelled:
        return Failed(FailureCategory.START, True, _CANCELLED)
    if not _can(driver, "verify"):
        return _driver_error(f"the driver of {unit.kind} cannot verify")
    able = cast(Verifies, driver)

    def act() -> VerifyOutcome:
        return judge_verification(unit, context, able.verify(unit, context, receipt))

    return _ask(unit, context, act, _driver_error)


def inspect(driver: Driver, unit: ResolvedUnit, context: UnitContext, receipt: ReceiptFacts) -> InspectOutcome:
    """Asks whether the effects of an uncertain execution are there.

    Outputs are held against the declaration as after an execution. Whatever goes wrong, a driver that raises included,
    is Unknown.
    """
    if context.cancellation.cancelled:
        return Unknown(_CANCELLED)
    if not _can(driver, "inspect"):
        return Unknown(f"the driver of {unit.kind} cannot inspect")
    able = cast(Inspects, driver)

    def act() -> InspectOutcome:
        return judge_inspection(unit, context, able.inspect(unit, context, receipt))

    return _ask(unit, context, act, Unknown)


def runs_natively(driver: Driver, spec: Mapping[str, Any]) -> bool:
    """Whether `nyl exec` can work on units with this spec: their change is reviewed before they execute again."""
    able = {Capability.PLAN, Capability.DIGEST} <= driver.capabilities(spec)
    return able and _can(driver, "native")


def native(
    driver: Driver, unit: ResolvedUnit, context: UnitContext, receipt: ReceiptFacts, arguments: Sequence[str]
) -> NativeOutcome:
    """Lets a driver that `runs_natively` prepare its tool.

    One that raises, or gives back anything but a command of texts, fails (category `driver-error`).
    """
    if context.cancellation.cancelled:
        return Failed(FailureCategory.START, True, _CANCELLED)
    able = cast(RunsNatively, driver)
    return _ask(
        unit, context, lambda: judge_native(unit, able.native(unit, context, receipt, arguments)), _driver_error
    )


def _plan(
    driver: Driver, unit: ResolvedUnit, context: UnitContext, method: str, ask: Callable[[Plans], PlanOutcome]
) -> PlanOutcome:
    if context.cancellation.cancelled:
        return Failed(FailureCategory.START, True, _CANCELLED)
    if not _can(driver, method):
        return _driver_error(f"the driver of {unit.kind} cannot plan")
    able = cast(Plans, driver)
    return _ask(unit, context, lambda: judge_plan(unit, ask(able)), _driver_error)


def _driver_error(message: str) -> Failed:
    return Failed(FailureCategory.DRIVER_ERROR, True, message)


def _can(driver: Driver, method: str) -> bool:
    return callable(getattr(driver, method, None))


def _ask(
    unit: ResolvedUnit, context: UnitContext, act: Callable[[], _Answer], otherwise: Callable[[str], _Answer]
) -> _Answer:
    """The driver's answer, or what its going wrong means."""
    if context.deadline is None:
        context.deadline = time.monotonic() + unit.timeout.total_seconds()
    try:
        answer = act()
    except NoAnswer as problem:
        answer = otherwise(str(problem))
    except BaseException as error:  # such as asyncio.CancelledError, which would end the thread that units run in
        if isinstance(error, KeyboardInterrupt) and threading.current_thread() is threading.main_thread():
            raise
        answer = otherwise(f"the driver of {unit.kind} raised {type(error).__name__}: {error}".removesuffix(": "))
    context.warnings[:] = [
        replace(
            each,
            environment=unit.environment,
            unit=unit.name,
            message=writable(each.message),
            fix=context.masker.mask(writable(each.fix)),
        )
        for each in context.warnings
    ]
    return masked(answer, context.masker)
