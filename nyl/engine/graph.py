"""Order and cycles of a graph of names, such as units or environments."""

from collections.abc import Iterator, Mapping, Set
from graphlib import CycleError, TopologicalSorter


def dependency_order(dependencies: Mapping[str, Set[str]]) -> tuple[str, ...]:
    """Names after everything they depend on, level by level, ties by name. Names that are no key are left out.

    Raises graphlib.CycleError for a cycle; see `cycle_of`.
    """
    sorter = _prepared(dependencies)
    order: list[str] = []
    while sorter.is_active():
        level = sorted(sorter.get_ready())
        order.extend(level)
        sorter.done(*level)
    return tuple(order)


def cycle_of(dependencies: Mapping[str, Set[str]]) -> tuple[str, ...]:
    """One cycle as a path from a consumer along its producers back to itself; empty when there is none."""
    try:
        _prepared(dependencies)
    except CycleError as error:
        path: list[str] = error.args[1]
        return tuple(reversed(path))
    return ()


def cycles_of(dependencies: Mapping[str, Set[str]]) -> Iterator[tuple[str, ...]]:
    """Cycles as paths, none of which has a name of another; breaking them all up may show more."""
    left = dict(dependencies)
    while cycle := cycle_of(left):
        yield cycle
        left = {name: needs for name, needs in left.items() if name not in cycle}


def _prepared(dependencies: Mapping[str, Set[str]]) -> "TopologicalSorter[str]":
    sorter = TopologicalSorter({name: needs & dependencies.keys() for name, needs in dependencies.items()})
    sorter.prepare()
    return sorter


def dependents_of(dependencies: Mapping[str, Set[str]]) -> dict[str, set[str]]:
    """The graph the other way round: for every name the names that depend on it directly."""
    inverse: dict[str, set[str]] = {name: set() for name in dependencies}
    for name, needs in dependencies.items():
        for need in needs:
            inverse.setdefault(need, set()).add(name)
    return inverse
