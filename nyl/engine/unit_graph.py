"""The units of an environment and what they depend on, as `nyl get graph` draws them. Reads no state."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from nyl.engine.administration import environment_named
from nyl.engine.graph import dependency_order
from nyl.engine.references import Reference, find_references
from nyl.engine.workspace import Workspace
from nyl.project.units import RenderedUnit


@dataclass(frozen=True)
class Edge:
    """That `consumer` depends on `producer`; `label` names the outputs and artifacts, '' for an ordering alone."""

    producer: str
    consumer: str
    label: str = ""


@dataclass(frozen=True)
class UnitGraph:
    """Units of other environments are `environment/unit`. Producers come before their consumers."""

    environment: str
    nodes: tuple[str, ...]
    edges: tuple[Edge, ...]


def unit_graph(workspace: Workspace, name: str) -> UnitGraph:
    """The graph of an environment as the working tree declares it.

    Raises what rendering raises, and NYL-REFERENCE-INVALID for a malformed reference. Cycles are drawn, not refused.
    """
    environment = environment_named(workspace, name)
    units = workspace.worktree.render(environment).units
    edges = tuple(edge for unit in units.values() for edge in _edges(workspace, name, unit))
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


def _edges(workspace: Workspace, environment: str, unit: RenderedUnit) -> Iterator[Edge]:
    driver = workspace.driver_of(unit)
    labels: dict[str, list[str]] = {}
    for reference in find_references(unit, driver.reference_fields):
        labels.setdefault(str(reference.producer.seen_from(environment)), []).append(_label(reference))
    for address in unit.depends_on:
        labels.setdefault(str(address.seen_from(environment)), [])
    for producer, read in sorted(labels.items()):
        yield Edge(producer, unit.name, ", ".join(sorted(set(read))))


def _label(reference: Reference) -> str:
    return reference.output or f"{reference.artifact}{reference.artifact_pointer}"
