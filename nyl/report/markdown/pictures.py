"""A collapsed picture of an environment's units and what becomes of them, in Mermaid, which GitHub draws."""

from nyl.core.counts import counted
from nyl.engine.results import Finding, Result, UnitReport
from nyl.engine.unit_edges import UnitGraph
from nyl.report.graphs import Mark, mermaid_text
from nyl.report.markdown.budget import Block, Part, Rank
from nyl.report.markdown.escape import fence
from nyl.report.markdown.listings import folded
from nyl.report.markdown.outcomes import RUNNING, Outcome

MOST_UNITS = 60
"""Units of a picture; larger ones are hard to read."""

_RUNS = Mark("runs", "fill:#dafbe1,stroke:#1a7f37,color:#1f2328")
_WAITS = Mark("waits", "fill:#fff8c5,stroke:#9a6700,color:#1f2328")
_FAILS = Mark("fails", "fill:#ffebe9,stroke:#cf222e,color:#1f2328")
_LEAVES = Mark("leaves", "fill:#ffebe9,stroke:#cf222e,color:#1f2328,stroke-dasharray:4")
_FAILING = frozenset({Result.FAILED, Result.UNCERTAIN, Finding.ERROR, Result.DRIFTED})
_LEGEND = "green: runs, yellow: waits, red: failed or leaves"


def picture_block(outcome: Outcome) -> Block | None:
    """The units of an environment, or where those are too many the ones that change; None where nothing changes."""
    graph = outcome.section.graph
    if graph is None or not outcome.changed:
        return None
    names = {each.unit for each in outcome.changed}
    drawn = graph if len(graph.nodes) <= MOST_UNITS else _part(graph, names)
    if len(drawn.nodes) > MOST_UNITS or not drawn.edges:
        return None
    marks = {each.unit: _mark(each) for each in outcome.changed} | {each.unit: _LEAVES for each in outcome.leaving}
    what = "" if drawn is graph else f" of the {counted(len(drawn.nodes), 'unit')} that change"
    text = folded(f"Picture{what} ({_LEGEND})", fence(mermaid_text(drawn, marks), "mermaid"))
    return Block(Rank.PICTURE, lambda: text, Part.PICTURE)


def _part(graph: UnitGraph, names: set[str]) -> UnitGraph:
    edges = tuple(each for each in graph.edges if {each.producer, each.consumer} <= names)
    return UnitGraph(graph.environment, tuple(each for each in graph.nodes if each in names), edges)


def _mark(unit: UnitReport) -> Mark:
    if unit.verdict in _FAILING:
        return _FAILS
    return _RUNS if unit.verdict in RUNNING else _WAITS
