from collections.abc import Callable

import pytest

from nyl.project.tree_reads import RecordingTree, TreeReads
from nyl.project.trees import WholeTree
from tests.support.kubernetes_charts import MemoryTree

FILES = {"a.yaml": "a", "charts/web/values.yaml": "x", "notes.txt": "n"}


def after(read: Callable[[WholeTree], object]) -> TreeReads:
    """What was read, as it is kept."""
    tree = RecordingTree(MemoryTree(FILES))
    read(tree)
    return TreeReads.of(tree.reads.plain)


@pytest.mark.parametrize(
    ("read", "change", "holds"),
    [
        (lambda tree: tree.entry("a.yaml"), {"a.yaml": "other"}, False),
        (lambda tree: tree.entry("a.yaml"), {"notes.txt": "other", "new.yaml": "new"}, True),
        (lambda tree: tree.entry("none.yaml"), {"none.yaml": "came"}, False),
        (lambda tree: tree.read_many(["a.yaml"]), {"a.yaml": "other"}, False),
        (lambda tree: list(tree.under("charts/web")), {"charts/web/values.yaml": "other"}, False),
        (lambda tree: list(tree.under("charts/web")), {"charts/web/templates/new.txt": "came"}, False),
        (lambda tree: next(tree.under("charts/web")), {"charts/web/templates/new.txt": "came"}, False),
        (lambda tree: list(tree.under("charts/web")), {"charts/webs/new.txt": "came"}, True),
        (lambda tree: list(tree.under("nowhere")), {"nowhere/x": "came"}, False),
        (lambda tree: tree.files((".yaml",)), {"new.yaml": "came"}, False),
        (lambda tree: tree.files((".yaml", ".json")), {"new.json": "came"}, False),
        (lambda tree: tree.files((".yaml",)), {"new.json": "came"}, True),
    ],
)
def test_reads_hold_until_something_that_was_asked_has_another_answer(
    read: Callable[[WholeTree], object], change: dict[str, str], holds: bool
) -> None:
    reads = after(read)
    assert reads.hold_in(MemoryTree(FILES))
    assert reads.hold_in(MemoryTree({**FILES, **change})) is holds


def test_a_tree_that_is_recorded_answers_as_it_does_without() -> None:
    plain = MemoryTree(FILES)
    tree = RecordingTree(plain)
    assert (tree.name, tree.project_folder) == (plain.name, plain.project_folder)
    assert tree.entry("a.yaml") == plain.entry("a.yaml")
    assert list(tree.under("charts")) == list(plain.under("charts"))
    assert tree.files((".yaml",)) == plain.files((".yaml",))
    assert tree.read_many(["a.yaml"]) == plain.read_many(["a.yaml"])
