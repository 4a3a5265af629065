"""What units depend on, as pictures show it: names, and edges from producers to consumers."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from nyl.core.dataclass import dataclass

if TYPE_CHECKING:
    from nyl.engine.references import Reference
    from nyl.project.units import UnitAddress


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


def unit_edges(
    environment: str, unit: str, references: "Iterable[Reference]", depends_on: "Iterable[UnitAddress]"
) -> Iterator[Edge]:
    """One edge from each producer of a unit, by name."""
    labels: dict[str, list[str]] = {}
    for reference in references:
        labels.setdefault(str(reference.producer.seen_from(environment)), []).append(_label(reference))
    for address in depends_on:
        labels.setdefault(str(address.seen_from(environment)), [])
    for producer, read in sorted(labels.items()):
        yield Edge(producer, unit, ", ".join(sorted(set(read))))


def _label(reference: "Reference") -> str:
    return reference.output or f"{reference.artifact}{reference.artifact_pointer}"
