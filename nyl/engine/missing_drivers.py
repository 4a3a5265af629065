"""Units that a project still declares, and that nothing installed reads: they did not leave their environment."""

from collections.abc import Collection

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError, Problems
from nyl.engine.hidden_files import hidden_units
from nyl.engine.preparation import PreparedEnvironment
from nyl.engine.workspace import Workspace
from nyl.project.records import is_reserved
from nyl.project.unknown_kinds import unknown_group
from nyl.state.documents import DesiredUnit
from nyl.units.undriven import INSTALL_DRIVER, undriven


def check_drivers(prepared: PreparedEnvironment, recorded: Collection[DesiredUnit], workspace: Workspace) -> None:
    """Refuses to take a unit for removed whose declaration nobody can read: its driver is not installed, the
    declaration names an API group of nyl that there is not, or Git LFS may keep it elsewhere.

    Raises NYL-KIND-UNKNOWN or NYL-SOURCE-INPUT for each.
    """
    problems = Problems()
    for document in recorded:
        unit = document.unit
        if unit.name in prepared.units:
            continue
        undriven_kind = (unit.api_version, unit.kind) if workspace.recorded_driver(unit) is None else None
        for each in prepared.rendered.project.nobodys(unit.name):
            is_misdeclared = is_reserved(each.api_version)
            is_meant = is_misdeclared or (each.api_version, each.kind) == undriven_kind
            if is_meant and prepared.environment.selects(each.labels):
                remedy = unknown_group(each.kind, each.api_version) if is_misdeclared else INSTALL_DRIVER
                problems.add(
                    NylError(
                        Code.KIND_UNKNOWN,
                        f"{each.location}: unit {unit.name} of {prepared.name} is declared, but "
                        f"{undriven(each.kind, each.api_version)}.",
                        f"{remedy}; to let the unit go, remove its declaration",
                        environment=prepared.name,
                        unit=unit.name,
                        location=each.location,
                    )
                )
    for hidden in hidden_units(prepared, recorded, workspace.objects):
        problems.add(hidden)
    problems.raise_any()
