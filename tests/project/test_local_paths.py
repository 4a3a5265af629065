"""The local path rule."""

import pytest

from nyl.core.diagnostics import Location, NylError
from nyl.project.local_paths import local_path


@pytest.mark.parametrize(
    ("path", "folder", "found"),
    [
        ("a/b.yaml", "", "a/b.yaml"),
        ("./a/b", "deploy", "deploy/a/b"),
        ("/a/b/", "deploy", "a/b"),
        ("../charts/web", "deploy/x", "deploy/charts/web"),
        ("./", "deploy", "deploy"),
        ("/", "deploy", ""),
        ("a//./b", "", "a/b"),
    ],
)
def test_paths_are_relative_to_the_project_or_with_a_slash_to_the_repository(
    path: str, folder: str, found: str
) -> None:
    assert local_path(path, folder) == found


@pytest.mark.parametrize("path", ["../../x", "a/../../../x", "/../x", "a\0b", "a\\b", ".git/config", "/x/.GIT/y"])
def test_a_path_that_leaves_the_repository_is_refused_with_its_place(path: str) -> None:
    with pytest.raises(NylError) as caught:
        local_path(path, "deploy", Location("web.yaml", 4))
    assert caught.value.diagnostic.code.value == "NYL-PATH-REFUSED"
    assert "web.yaml:4" in caught.value.diagnostic.message
