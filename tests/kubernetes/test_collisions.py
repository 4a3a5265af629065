import pytest

from nyl.core.codes import Code
from nyl.kubernetes.collisions import path_collisions
from nyl.kubernetes.manifests import ObjectIdentity
from nyl.kubernetes.tree import FileFacts


def _facts(name: str, origin: str = "") -> FileFacts:
    return FileFacts("", "", ObjectIdentity("", "ConfigMap", "", name), origin)


def _collisions(*paths: str) -> list[str]:
    return [each.diagnostic.message for each in path_collisions((path, _facts(path)) for path in paths)]


@pytest.mark.parametrize(
    "paths",
    [
        ("g/web/configmap/a.yaml", "g/web/configmap/A.yaml"),
        ("g/web/configmap/a.yaml", "g/Web/configmap/b.yaml"),
        ("g/web/configmap/a.yaml", "G/web/configmap/a.yaml"),
        ("g/web/a.yaml", "g/web/a.yaml/b.yaml"),
        ("g/web/A.yaml/b.yaml", "g/web/a.yaml"),
        ("state/\u00e9.json", "state/e\u0301.json"),
        ("state/\u00c9.json", "state/e\u0301.json"),
        ("state/Stra\u00dfe.json", "state/STRASSE.json"),
        ("g/web/configmap/a.yaml", "g/web/configmap/a.yaml"),
    ],
)
def test_paths_that_some_file_system_merges_collide_once(paths: tuple[str, str]) -> None:
    assert len(_collisions(*paths)) == 1


@pytest.mark.parametrize(
    "paths",
    [
        ("g/web/configmap/a.yaml", "g/web/configmap/b.yaml"),
        ("g/web/a.yaml", "g/web/a/b.yaml"),
        ("g/a", "h/A"),
        ("g/web/x.yaml", "g/web/y.yaml", "g/api/x.yaml"),
    ],
)
def test_other_paths_do_not(paths: tuple[str, ...]) -> None:
    assert _collisions(*paths) == []


def test_folders_that_collide_are_told_once_for_all_that_is_in_them() -> None:
    found = _collisions("g/web/a/1.yaml", "g/web/b/2.yaml", "g/Web/a/1.yaml", "g/Web/c/3.yaml", "g/web/d/4.yaml")
    assert len(found) == 1
    assert "g/web and g/Web" in found[0]


def test_both_sides_are_named_with_their_places() -> None:
    files = [("a.yaml", _facts("a", "apps/a.yaml:3")), ("A.yaml", _facts("A", "apps/b.yaml:7"))]
    (problem,) = path_collisions(files)
    assert problem.diagnostic.code is Code.PATH_COLLISION
    assert "ConfigMap a (apps/a.yaml:3)" in problem.diagnostic.message
    assert "ConfigMap A (apps/b.yaml:7)" in problem.diagnostic.message
    assert str(problem.diagnostic.location) == "apps/b.yaml:7"


def test_a_state_file_collides_with_an_object() -> None:
    files = [("g/web/a.yaml", _facts("a", "a.yaml:1")), ("G/state.json", FileFacts("", ""))]
    assert "a state file" in path_collisions(files)[0].diagnostic.message
