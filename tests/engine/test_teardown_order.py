"""Page Deletion and holds, Order: consumers go first, producers follow once nothing uses them."""

from collections.abc import Mapping

import pytest

from nyl.engine.graph import dependents_of
from nyl.engine.teardown_order import recorded_needs, teardown_order, waits_for
from tests.engine.builders import desired, observed, provenance, receipt


def needs(**each: str) -> Mapping[str, frozenset[str]]:
    return {name: frozenset(words.split()) for name, words in each.items()}


def test_a_unit_depends_on_what_it_reads_on_what_its_receipt_was_made_from_and_on_what_it_names() -> None:
    spec = {"command": ["./web.sh"], "dependsOn": ["queue", {"unit": "far", "environment": "prod"}]}
    web = desired("web", spec=spec, provenance={"/values/a": provenance("db")})
    made = receipt(provenance={"/values/b": provenance("cache"), "/values/c": provenance("far", environment="prod")})
    documents = {name: desired(name) for name in ("db", "cache", "queue", "far")} | {"web": web}
    found = recorded_needs(documents, {"web": observed("web", made)})
    assert found["web"] == {"db", "cache", "queue"}


@pytest.mark.parametrize(
    ("graph", "order"),
    [
        ({"db": "", "web": "db"}, ("web", "db")),
        ({"a": "", "b": "", "c": ""}, ("a", "b", "c")),
        ({"db": "", "web": "db", "edge": "web db"}, ("edge", "web", "db")),
        ({"a": "b", "b": "a", "c": "a"}, ("c", "a", "b")),
    ],
)
def test_consumers_stand_before_their_producers(graph: Mapping[str, str], order: tuple[str, ...]) -> None:
    assert teardown_order(needs(**graph)) == order


def waiting(unit: str, graph: Mapping[str, frozenset[str]], leaving: set[str]) -> frozenset[str]:
    return waits_for(unit, graph, dependents_of(graph), leaving)


@pytest.mark.parametrize(
    ("unit", "leaving", "expected"),
    [
        ("db", {"db", "web", "edge"}, {"web"}),
        ("db", {"db", "edge"}, {"edge"}),
        ("db", {"db"}, set()),
        ("web", {"db", "web"}, set()),
        ("web", {"web", "edge"}, {"edge"}),
    ],
)
def test_a_unit_waits_for_the_leaving_units_that_depend_on_it(unit: str, leaving: set[str], expected: set[str]) -> None:
    assert waiting(unit, needs(db="", web="db", edge="web"), leaving) == expected


def test_units_whose_records_depend_on_each_other_do_not_wait_for_one_another() -> None:
    graph = needs(a="b", b="a", c="a")
    assert waiting("a", graph, {"a", "b", "c"}) == {"c"}
    assert waiting("b", graph, {"a", "b", "c"}) == set()
