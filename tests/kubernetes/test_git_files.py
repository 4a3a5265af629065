"""Trees of locked commits, from real repositories."""

import shutil
from pathlib import Path

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.kubernetes.git_files import GitFiles
from tests.git.building import Scene

LOCK = "staging platform/web/tier"


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    found = Scene(tmp_path)
    found.write("staging/sizing.json", '{"web": {"tier": "large"}}')
    return found


def files(scene: Scene, *, offline: bool = False) -> GitFiles:
    return GitFiles(scene.open(), scene.folder / "cache", offline=offline)


def test_a_locked_commit_is_fetched_by_its_id_and_its_revision_never_resolved(scene: Scene) -> None:
    locked = scene.commit()
    scene.write("staging/sizing.json", "{}")
    scene.commit("Move on")
    scene.git("push", "-q", "origin", "main")
    opened = files(scene)
    tree = opened.tree(f"file://{scene.origin}", locked, LOCK)
    assert tree.read_many(["staging/sizing.json"]) == {"staging/sizing.json": b'{"web": {"tier": "large"}}'}
    assert not [each for each in scene.calls.commands if "refs/heads/main" in " ".join(each)]
    opened.close()


def test_a_commit_that_is_here_is_read_without_its_repository(scene: Scene) -> None:
    locked = scene.commit()
    scene.git("push", "-q", "origin", "main")
    url = f"file://{scene.origin}"
    files(scene).tree(url, locked, LOCK)
    shutil.rmtree(scene.origin)
    for offline in (False, True):
        assert "staging/sizing.json" in files(scene, offline=offline).tree(url, locked, LOCK).entries


def test_offline_a_missing_commit_names_the_lock(scene: Scene) -> None:
    with pytest.raises(NylError) as caught:
        files(scene, offline=True).tree(f"file://{scene.origin}", "a" * 40, LOCK)
    found = caught.value.diagnostic
    assert found.code is Code.SOURCE_MISSING
    assert LOCK in found.message
    assert "--offline" in found.fix


def test_a_commit_that_is_nowhere_names_the_lock(scene: Scene) -> None:
    with pytest.raises(NylError) as caught:
        files(scene).tree(f"file://{scene.origin}", "a" * 40, LOCK)
    assert caught.value.diagnostic.code is Code.SOURCE_MISSING
    assert LOCK in caught.value.diagnostic.message


def test_a_repository_that_does_not_answer_is_told(scene: Scene) -> None:
    with pytest.raises(NylError) as caught:
        files(scene).tree(f"file://{scene.folder}/gone.git", "a" * 40, LOCK)
    assert caught.value.diagnostic.code is Code.REMOTE_UNAVAILABLE
