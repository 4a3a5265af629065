from nyl.engine.unit_edges import Edge, UnitGraph
from nyl.report.graphs import dot_text, mermaid_text

NODES = ("database", "migrate", "infra/network")
GRAPH = UnitGraph("dev", NODES, (Edge("database", "migrate", "host"), Edge("infra/network", "database")))


def test_mermaid_draws_references_solid_and_mere_order_dotted() -> None:
    assert mermaid_text(GRAPH) == (
        "flowchart LR\n"
        '    n0["database"]\n'
        '    n1["migrate"]\n'
        '    n2["infra/network"]\n'
        '    n0 -->|"host"| n1\n'
        "    n2 -.-> n0\n"
    )


def test_dot_draws_the_same() -> None:
    assert '  "database" -> "migrate" [label="host"];\n' in dot_text(GRAPH)
    assert '  "infra/network" -> "database" [style=dashed];\n' in dot_text(GRAPH)


def test_hostile_labels_stay_text() -> None:
    graph = UnitGraph("dev", NODES, (Edge("database", "migrate", '"]; end\n"'),))
    assert "#34;#93;#59; end#92;n#34;" in mermaid_text(graph)
    assert '[label="\\"]; end\\\\n\\""]' in dot_text(graph)
