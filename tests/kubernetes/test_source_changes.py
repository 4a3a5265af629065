"""What counts as a change of the source that trees are rendered from."""

import pytest

from nyl.git.status import Changed, ChangeKind
from nyl.kubernetes.source_changes import source_changes

NEW, OLD, GONE = Changed(ChangeKind.UNTRACKED), Changed(ChangeKind.MODIFIED), Changed(ChangeKind.DELETED)
INDEX = "out/prod/_nyl/index.json"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, []),
        ({"b.yaml": NEW, "a.yaml": OLD, "c.yaml": GONE}, ["a.yaml", "b.yaml", "c.yaml"]),
        ({"build/images.json": NEW}, []),
        ({"build/images.json": OLD}, ["build/images.json"]),
        ({INDEX: NEW, "out/prod/web/a.yaml": NEW}, []),
        ({INDEX: NEW, "out/prod/web/a.yaml": OLD, "out/notes": NEW}, ["out/notes", "out/prod/web/a.yaml"]),
        ({INDEX: OLD, "out/prod/web/a.yaml": NEW}, [INDEX, "out/prod/web/a.yaml"]),
        ({"out/prod/web/a.yaml": NEW}, ["out/prod/web/a.yaml"]),
    ],
)
def test_all_but_untracked_carry_files_and_trees_is_source(changes: dict[str, Changed], expected: list[str]) -> None:
    assert source_changes(changes, {"build/images.json"}, "") == expected
