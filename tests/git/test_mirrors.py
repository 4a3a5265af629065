"""Repositories that nyl fetches other repositories into."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from nyl.git.mirrors import mirror
from nyl.git.remotes import Remote
from tests.git.building import Scene


def fetched(scene: Scene, cache: Path, url: str) -> Remote:
    remote = mirror(scene.open(), cache, url)
    assert remote.fetch("refs/heads/main")["refs/heads/main"] == scene.first
    return remote


def test_a_url_has_one_bare_repository_and_another_url_another(scene: Scene, tmp_path: Path) -> None:
    cache, urls = tmp_path / "cache", (str(scene.origin), f"file://{scene.origin}")
    first, again, other = (fetched(scene, cache, url) for url in (urls[0], urls[0], urls[1]))
    assert first.repository.git_dir == again.repository.git_dir != other.repository.git_dir
    assert first.repository.root is None
    assert first.repository.git_dir.is_relative_to(cache)


def test_many_may_make_and_use_one_at_once(scene: Scene, tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: fetched(scene, tmp_path / "cache", str(scene.origin)), range(4)))
    assert len({each.repository.git_dir for each in found}) == 1


def test_the_projects_repository_stays_as_it_is(scene: Scene, tmp_path: Path) -> None:
    before = scene.git("for-each-ref")
    fetched(scene, tmp_path / "cache", f"file://{scene.origin}")
    assert scene.git("for-each-ref") == before
