"""Graphs of units and their references, as text that Mermaid and Graphviz draw."""

from collections.abc import Mapping
from types import MappingProxyType

from nyl.core.dataclass import dataclass
from nyl.engine.unit_edges import UnitGraph
from nyl.report.plaintext import one_line


@dataclass(frozen=True)
class Mark:
    """How a unit stands out in a Mermaid picture: the name of a class, and its style."""

    name: str
    style: str


_NO_MARKS: Mapping[str, Mark] = MappingProxyType({})


def mermaid_text(graph: UnitGraph, marks: Mapping[str, Mark] = _NO_MARKS) -> str:
    """A Mermaid flowchart with an arrow from each producer to its consumers; dotted where only the order counts."""
    ids = {name: f"n{number}" for number, name in enumerate(graph.nodes)}
    shapes = [f'    {ids[name]}["{_mermaid(name)}"]{_class(marks.get(name))}' for name in graph.nodes]
    arrows = [f"    {ids[each.producer]} {_arrow(each.label)} {ids[each.consumer]}" for each in graph.edges]
    used = dict.fromkeys(marks[name] for name in graph.nodes if name in marks)
    classes = [f"    classDef {each.name} {each.style}" for each in used]
    return "\n".join(["flowchart LR", *shapes, *arrows, *classes, ""])


def dot_text(graph: UnitGraph) -> str:
    """A Graphviz digraph of the same picture."""
    shapes = [f"  {_dot(name)};" for name in graph.nodes]
    arrows = [f"  {_dot(each.producer)} -> {_dot(each.consumer)}{_attributes(each.label)};" for each in graph.edges]
    return "\n".join(["digraph nyl {", "  rankdir=LR;", "  node [shape=box];", *shapes, *arrows, "}", ""])


def _class(mark: Mark | None) -> str:
    return f":::{mark.name}" if mark else ""


def _arrow(label: str) -> str:
    return f'-->|"{_mermaid(label)}"|' if label else "-.->"


def _attributes(label: str) -> str:
    return f" [label={_dot(label)}]" if label else " [style=dashed]"


def _mermaid(text: str) -> str:
    """Characters that Mermaid would read as its own are written as its entities."""
    return "".join(char if char.isalnum() or char in " -_./" else f"#{ord(char)};" for char in one_line(text))


def _dot(text: str) -> str:
    return '"' + one_line(text).replace("\\", "\\\\").replace('"', '\\"') + '"'
