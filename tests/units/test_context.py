"""Where declared paths lie in the checkouts of a unit."""

from pathlib import Path

import pytest

from nyl.units.context import UnitContext


@pytest.mark.parametrize(
    ("path", "source", "place"),
    [
        ("infra/db", "", "s/deploy/infra/db"),
        ("../shared", "", "s/deploy/../shared"),
        ("/infra/db", "", "s/infra/db"),
        ("/", "", "s"),
        ("tf", "/source", "other/tf"),
        ("/tf", "/source", "other/tf"),
        ("tf", "/local", "s/deploy/tf"),
        ("/tf", "/local", "s/tf"),
    ],
)
def test_a_path_begins_at_its_folder_or_with_a_slash_at_the_root(
    tmp_path: Path, path: str, source: str, place: str
) -> None:
    project, other = tmp_path / "s/deploy", tmp_path / "other"
    (tmp_path / "private").mkdir()
    checkouts = {"/source": other, "/local": project}
    roots = {"": tmp_path / "s", "/source": other, "/local": tmp_path / "s"}
    context = UnitContext(project, tmp_path / "private", {}, checkouts, roots=roots)
    assert context.located(path, source) == tmp_path / place
