"""Units that a project still declares, and that no installed driver has: they did not leave their environment."""

from collections.abc import Callable, Iterable

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError, Problems
from nyl.engine.preparation import PreparedEnvironment
from nyl.state.documents import DesiredUnit, UnitIdentity
from nyl.units.driver import Driver
from nyl.units.undriven import INSTALL_DRIVER, undriven


def check_drivers(
    prepared: PreparedEnvironment,
    recorded: Iterable[DesiredUnit],
    driver_of: Callable[[UnitIdentity], Driver | None],
) -> None:
    """Refuses to take a unit for removed whose declaration nobody can read. Raises NYL-KIND-UNKNOWN for each."""
    problems = Problems()
    for document in recorded:
        unit = document.unit
        if unit.name in prepared.units or driver_of(unit) is not None:
            continue
        for each in prepared.rendered.project.nobodys(unit.name):
            same = (each.api_version, each.kind) == (unit.api_version, unit.kind)
            if same and prepared.environment.selects(each.labels):
                problems.add(
                    NylError(
                        Code.KIND_UNKNOWN,
                        f"{each.location}: unit {unit.name} of {prepared.name} is declared, but "
                        f"{undriven(unit.kind, unit.api_version)}.",
                        f"{INSTALL_DRIVER}; to let the unit go, remove its declaration",
                        environment=prepared.name,
                        unit=unit.name,
                        location=each.location,
                    )
                )
    problems.raise_any()
