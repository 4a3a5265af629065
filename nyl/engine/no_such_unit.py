"""The error for a unit that the state of an environment does not have."""

from collections.abc import Iterable

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.core.suggestions import did_you_mean


def no_such_unit(environment: str, unit: str, known: Iterable[str], otherwise: str | None = None) -> NylError:
    """NYL-UNIT-UNKNOWN. `otherwise` is the way out where none of the `known` units has a name like it."""
    listed = f"choose one that `nyl status -e {environment}` lists"
    return NylError(
        Code.UNIT_UNKNOWN,
        f"The state of {environment} has no unit {unit}.",
        did_you_mean(unit, known, otherwise or listed),
        environment=environment,
        unit=unit,
    )
