"""The units of an environment and what they depend on, as `nyl get graph` draws them. Reads no state."""

from collections.abc import Mapping

from nyl.engine.administration import environment_named
from nyl.engine.graph import dependency_order
from nyl.engine.references import find_references
from nyl.engine.unit_edges import UnitGraph, unit_edges
from nyl.engine.workspace import Workspace


def unit_graph(workspace: Workspace, name: str) -> UnitGraph:
    """The graph of an environment as the working tree declares it.

    Raises what rendering raises, and NYL-REFERENCE-INVALID for a malformed reference. Cycles are drawn, not refused.
    """
    environment = environment_named(workspace, name)
    units = workspace.worktree.render(environment).units
    edges = tuple(
        edge
        for unit in units.values()
        for edge in unit_edges(
            name, unit.name, find_references(unit, workspace.driver_of(unit).reference_fields), unit.depends_on
        )
    )
    needs: Mapping[str, set[str]] = {
        unit: {edge.producer for edge in edges if edge.consumer == unit}
        for unit in dict.fromkeys([*units, *(edge.producer for edge in edges)])
    }
    return UnitGraph(name, _ordered(needs), edges)


def _ordered(needs: Mapping[str, set[str]]) -> tuple[str, ...]:
    from graphlib import CycleError

    try:
        return dependency_order(needs)
    except CycleError:
        return tuple(sorted(needs))
