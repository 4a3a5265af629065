"""Order and cycles of names that depend on each other."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from nyl.engine.graph import cycle_of, cycles_of, dependency_order, dependents_of

_NAMES = st.sampled_from("abcdef")
_GRAPHS = st.dictionaries(_NAMES, st.frozensets(_NAMES, max_size=3), max_size=6)


def test_producers_come_first_and_names_break_ties() -> None:
    graph = {"web": {"db", "net"}, "db": {"net"}, "net": set(), "audit": set()}
    assert dependency_order(graph) == ("audit", "net", "db", "web")


def test_names_outside_the_graph_are_no_part_of_the_order() -> None:
    assert dependency_order({"b": {"elsewhere"}, "a": {"b"}}) == ("b", "a")


def test_a_cycle_is_a_path_along_producers_back_to_its_start() -> None:
    cycle = cycle_of({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": set()})
    assert cycle[0] == cycle[-1]
    assert " → ".join(cycle) in {"a → b → c → a", "b → c → a → b", "c → a → b → c"}


def test_what_needs_itself_is_a_cycle() -> None:
    assert cycle_of({"a": {"a"}}) == ("a", "a")


def test_cycles_without_a_common_name_are_all_found() -> None:
    found = cycles_of({"a": {"b"}, "b": {"a", "c"}, "c": {"c"}, "d": {"a"}})
    assert sorted(sorted(set(each)) for each in found) == [["a", "b"], ["c"]]


def test_dependents_are_the_graph_the_other_way_round() -> None:
    assert dependents_of({"web": {"db"}, "db": {"net"}}) == {"web": set(), "db": {"web"}, "net": {"db"}}


@given(_GRAPHS)
def test_either_there_is_an_order_or_a_cycle(graph: dict[str, frozenset[str]]) -> None:
    cycle = cycle_of(graph)
    if cycle:
        assert cycle[0] == cycle[-1]
        assert all(need in graph[name] for name, need in pairwise(cycle))
        return
    order = dependency_order(graph)
    assert sorted(order) == sorted(graph)
    assert all(order.index(need) < order.index(name) for name in graph for need in graph[name] if need in graph)


@given(_GRAPHS)
def test_the_order_does_not_depend_on_how_the_graph_is_written(graph: dict[str, frozenset[str]]) -> None:
    backwards = dict(reversed(graph.items()))
    assert bool(cycle_of(graph)) == bool(cycle_of(backwards))
    if not cycle_of(graph):
        assert dependency_order(graph) == dependency_order(backwards)
