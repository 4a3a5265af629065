"""What is taken over from an earlier rendering, and that it never differs from rendering anew."""

import sqlite3
from pathlib import Path

import pytest

from nyl.kubernetes.session import RenderOptions
from tests.support.kubernetes_project import PROJECT, RELEASE
from tests.support.kubernetes_session import Site

FILE = "applications/platform/web.yaml"
PARTS = "applications/platform/parts"


def part(name: str) -> str:
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\ndata: {{a: '{{{{ values.region }}}}'}}\n"


@pytest.fixture
def here(tmp_path: Path) -> Site:
    other = RELEASE.replace("name: web, namespace: web", "name: other, namespace: other")
    include = RELEASE.replace("---", "spec: {include: ['parts/*.yaml']}\n---", 1)
    files = {FILE: include, f"{PARTS}/a.yaml": part("a"), "applications/platform/other.yaml": other}
    found = Site(tmp_path, {**PROJECT, **files})
    assert rendered(found) == 2
    assert rendered(found) == 0
    return found


def rendered(site: Site) -> int:
    """How many Releases a compilation rendered, whose files are those of a compilation that takes over nothing."""
    site.told.clear()
    texts = site.texts()
    [told] = [each for each in site.told if each.startswith("rendered ")]
    assert texts == site.texts(options=RenderOptions(no_cache=True))
    return int(told.split()[1])


@pytest.mark.parametrize(
    ("changed", "again"),
    [
        ({FILE: RELEASE.replace("eu", "us")}, 1),
        ({f"{PARTS}/a.yaml": part("b")}, 1),
        ({f"{PARTS}/b.yaml": part("b")}, 1),
        ({f"{PARTS}/notes.txt": "x"}, 0),
        ({"target.yaml": str(PROJECT["target.yaml"]).replace("large: 8", "large: 9")}, 2),
        ({"cluster.yaml": str(PROJECT["cluster.yaml"]).replace("region: eu", "region: us")}, 2),
        ({"cluster.yaml": str(PROJECT["cluster.yaml"]).replace("v1.31.4", "v1.32.0")}, 2),
        ({"group.yaml": str(PROJECT["group.yaml"]).replace("{}", "{outputPath: elsewhere}")}, 0),
        ({"README.md": "x"}, 0),
    ],
)
def test_what_changed_is_rendered_again_and_nothing_else(here: Site, changed: dict[str, str], again: int) -> None:
    here.write(changed)
    assert rendered(here) == again


def test_an_included_file_that_goes_is_noticed(here: Site) -> None:
    here.write({f"{PARTS}/b.yaml": part("b")})
    assert rendered(here) == 1
    here.remove(f"{PARTS}/a.yaml")
    assert rendered(here) == 1


def test_committing_changes_nothing(here: Site) -> None:
    before = here.texts()
    here.commit()
    assert here.texts() == before


def forget(site: Site, namespace: str) -> None:
    site.cache.close()
    connection = sqlite3.connect(site.cache_folder / "cache.sqlite")
    with connection:
        connection.execute("delete from entries where namespace like ?", (f"{namespace}/%",))
    connection.close()


def test_files_that_the_cache_lost_are_rendered_again_when_they_are_asked_for(here: Site) -> None:
    tree = here.compile()
    forget(here, "release-files")
    found = tree.contents.read_many(list(tree.files))
    assert {path: content.decode() for path, content in found.items()} == here.texts()


@pytest.mark.parametrize("namespace", ["releases", "group-specs", "written-objects", "documents"])
def test_a_cache_that_lost_a_part_gives_the_same_tree(here: Site, namespace: str) -> None:
    before = here.texts()
    forget(here, namespace)
    assert here.texts() == before


def test_damaged_records_are_no_records(here: Site) -> None:
    before = here.texts()
    keys = "select namespace, key from entries where namespace like 'releases/%'"
    connection = sqlite3.connect(here.cache_folder / "cache.sqlite")
    places = connection.execute(keys).fetchall()
    connection.close()
    for value in (b"{}", b"[]", b"[[[],[],{}]]", b"no json"):
        for namespace, key in places:
            here.cache.put_many(namespace, {key: value})
        assert here.texts() == before
