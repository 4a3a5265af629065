"""What is asked of drivers outside of executions: one that raises gives a clear error, category driver-error."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.engine.preflight import CheckedUnit
from nyl.project.units import RenderedUnit
from nyl.units.driver import Driver, RecoveryPolicy
from nyl.units.inputs import Inputs

T = TypeVar("T")


def declared_inputs(unit: CheckedUnit) -> Inputs:
    """What a unit reads. Raises NYL-DRIVER-INVALID when its driver raises."""
    return inputs_of(unit.rendered, unit.driver)


def inputs_of(unit: RenderedUnit, driver: Driver) -> Inputs:
    """The same of a unit that was not checked yet."""
    return ask_about(unit, "what it reads", lambda: driver.inputs(unit.spec))


def recovery_policy(unit: CheckedUnit, resolved_spec: Mapping[str, Any]) -> RecoveryPolicy:
    """What to do with an uncertain execution of a unit. Raises NYL-DRIVER-INVALID when its driver raises."""
    return ask_about(unit.rendered, "how it recovers", lambda: unit.driver.recovery(resolved_spec))


def ask_about(unit: RenderedUnit, what: str, ask: Callable[[], T]) -> T:
    """What a driver answers about a unit. Raises NYL-DRIVER-INVALID when it raises anything but NylError."""
    try:
        return ask()
    except NylError:
        raise
    except Exception as error:
        raise NylError(
            Code.DRIVER_INVALID,
            f"The driver of {unit.kind} could not say of unit {unit.name} {what}: {type(error).__name__}: {error}.",
            "report this to the authors of the driver's package; `nyl get kinds` names it",
            unit=unit.name,
            location=unit.location,
        ) from error
