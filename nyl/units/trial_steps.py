"""The things that a driver is asked to do with one unit, in the order in which they make sense."""

from collections.abc import Callable, Iterator
from typing import cast

from nyl.core.dataclass import dataclass
from nyl.units.driver import (
    Capability,
    Driver,
    Inspects,
    Plans,
    ReceiptFacts,
    ResolvedUnit,
    TeardownOrder,
    TearsDown,
    Verifies,
)
from nyl.units.mishaps import TrialContext
from nyl.units.outcomes import NotApplied, Planned, Removed, Succeeded, Verified

_NOTHING = ReceiptFacts()
_FRESH = TeardownOrder()


@dataclass(frozen=True)
class TrialStep:
    """One thing that a driver is asked to do."""

    name: str
    ask: Callable[[TrialContext], object]
    claims: tuple[type, ...]
    """What it may not answer when one of its tools was interrupted."""
    executed: bool = True
    """Whether it is asked about a unit that was executed."""
    has_effects: bool = False


def trial_steps(driver: Driver, unit: ResolvedUnit, receipt: ReceiptFacts) -> Iterator[TrialStep]:
    """Every step that the driver has for the unit. `receipt` is that of an execution of it."""
    capabilities = driver.capabilities(unit.spec)
    plans, verifies = cast(Plans, driver), cast(Verifies, driver)
    inspects, removes = cast(Inspects, driver), cast(TearsDown, driver)
    if Capability.PLAN in capabilities:
        yield TrialStep("plan", lambda context: plans.plan(unit, context, _NOTHING), (Planned,), executed=False)
    yield TrialStep(
        "execute", lambda context: driver.execute(unit, context), (Succeeded,), executed=False, has_effects=True
    )
    if Capability.INSPECT in capabilities:
        yield TrialStep("inspect", lambda context: inspects.inspect(unit, context, _NOTHING), (Succeeded, NotApplied))
    if Capability.VERIFY in capabilities:
        yield TrialStep("verify", lambda context: verifies.verify(unit, context, receipt), (Verified,))
    if Capability.TEARDOWN not in capabilities:
        return
    if Capability.PLAN in capabilities:
        yield TrialStep("plan_teardown", lambda context: plans.plan_teardown(unit, context, receipt), (Planned,))
    yield TrialStep(
        "teardown", lambda context: removes.teardown(unit, context, receipt, _FRESH), (Removed,), has_effects=True
    )
