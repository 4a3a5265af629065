"""Refs that were moved here, on top of what was seen of their remote."""

from pathlib import Path

import pytest

from nyl.git.checked_out import checked_out
from nyl.git.local_copy import LocalCopy
from nyl.git.mirrors import kept_mirror, mirror
from nyl.git.offline import Offline
from nyl.git.ref_files import refs_below, refs_named
from nyl.git.remotes import Remote
from nyl.git.repository import Repository
from nyl.git.updates import RefStatus, RefUpdate
from tests.git.building import STATE, Scene, write_commit

OTHER = "refs/heads/nyl/dev/observed"


def copy(repository: Repository, seen: dict[str, str]) -> LocalCopy:
    return LocalCopy(repository, "origin", (STATE, OTHER), lambda: seen)


def chain(scene: Scene, count: int) -> list[str]:
    """Commits on main, each the parent of the next, the first one included."""
    commits = [scene.first]
    for number in range(count):
        scene.write("count", str(number))
        commits.append(scene.commit(f"Number {number}"))
    return commits


def test_refs_that_are_not_here_show_what_was_seen(scene: Scene) -> None:
    repository = scene.open()
    store = copy(repository, {STATE: scene.first})
    assert store.fetch(STATE, OTHER) == {STATE: scene.first}
    assert refs_named(repository, (STATE,)) == {}


def test_a_push_moves_a_ref_from_what_it_showed(scene: Scene) -> None:
    repository = scene.open()
    store = copy(repository, {STATE: scene.first})
    store.fetch(STATE, OTHER)
    _, second = chain(scene, 1)
    assert not store.push([RefUpdate(STATE, second, second)]).accepted
    assert store.push([RefUpdate(STATE, second, scene.first)]).accepted
    assert refs_named(repository, (STATE,)) == {STATE: second} == store.fetch(STATE)


def test_refs_that_are_behind_show_what_was_seen(scene: Scene) -> None:
    first, second = chain(scene, 1)
    scene.git("update-ref", STATE, first)
    store = copy(scene.open(), {STATE: second, OTHER: second})
    assert store.list(STATE, OTHER) == {STATE: second, OTHER: second}


def test_refs_that_belong_together_show_one_side(scene: Scene) -> None:
    first, second, third = chain(scene, 2)
    scene.git("update-ref", STATE, first)
    scene.git("update-ref", OTHER, third)
    store = copy(scene.open(), {STATE: second, OTHER: second})
    assert store.list(STATE, OTHER) == {STATE: first, OTHER: third}


@pytest.mark.parametrize("packed", [False, True])
def test_refs_are_found_whether_packed_or_not(scene: Scene, packed: bool) -> None:
    scene.git("update-ref", STATE, scene.first)
    if packed:
        scene.git("pack-refs", "--all")
    repository = scene.open()
    assert refs_named(repository, (STATE, OTHER)) == {STATE: scene.first}
    assert refs_below(repository, "refs/heads/nyl") == {"dev/desired": scene.first}
    assert refs_below(repository, "refs/heads/ny") == {}


def test_a_branch_of_any_working_tree_counts_as_checked_out(scene: Scene, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    scene.git("worktree", "add", "-q", "-b", "nyl/dev/desired", str(linked))
    assert checked_out(scene.open()) == {"refs/heads/main": scene.work, STATE: linked}
    scene.git("switch", "-q", "--detach", cwd=linked)
    assert checked_out(scene.open()) == {"refs/heads/main": scene.work}


def test_a_branch_that_is_checked_out_is_not_moved(scene: Scene) -> None:
    repository = scene.open()
    store = copy(repository, {})
    result = store.push([RefUpdate("refs/heads/main", write_commit(repository), scene.first)])
    assert result.statuses == {"refs/heads/main": RefStatus.REFUSED}
    assert str(scene.work) in result.reasons["refs/heads/main"]


def test_a_kept_mirror_begins_with_what_the_cache_has_and_needs_no_remote(scene: Scene, tmp_path: Path) -> None:
    cache, url = tmp_path / "cache", str(scene.origin)
    mirror(scene.open(), cache, url).fetch("refs/heads/main")
    scene.origin.rename(tmp_path / "away.git")
    kept = kept_mirror(scene.open(), cache, url)
    assert kept.repository.resolve(scene.first) == scene.first
    assert not kept.repository.git_dir.is_relative_to(cache)
    assert mirror(scene.open(), cache, url).repository.git_dir == kept.repository.git_dir


def test_branches_are_known_without_asking_the_remote(scene: Scene, tmp_path: Path) -> None:
    scene.git("push", "-q", "origin", "main:trunk")
    scene.git("fetch", "-q")
    scene.git("remote", "set-head", "origin", "trunk")
    scene.write("more", "")
    newer = scene.commit("More")
    scene.origin.rename(tmp_path / "away.git")
    known = Offline(Remote(scene.open(), "origin"), is_mirror=False)
    assert known.list("refs/heads/main", "refs/heads/trunk") == {
        "refs/heads/main": newer,
        "refs/heads/trunk": scene.first,
    }
    assert set(known.tips(["refs/heads/main"])) == {newer, scene.first}
    assert known.remote_default() == "refs/heads/trunk"
