import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.git.handing import hand_over
from nyl.git.repository import Repository
from nyl.git.snapshots import capture
from tests.git.building import Scene


def _taker(scene: Scene, object_format: str = "sha1") -> Repository:
    folder = scene.folder / "taker.git"
    scene.git("init", "-q", "--bare", f"--object-format={object_format}", str(folder), cwd=scene.folder)
    return Repository.open_bare(folder, object_format, scene.open().gateway, scene.clock, scene.notices.append)


def test_a_snapshot_arrives_with_its_files_and_without_its_base(scene: Scene) -> None:
    scene.write("new", "not committed\n")
    giver, taker = scene.open(), _taker(scene)
    commit = capture(giver, scene.first).commit
    hand_over(commit, giver, taker)
    assert scene.git("show", f"{commit}:new", cwd=taker.git_dir) == "not committed"
    assert taker.resolve(scene.first) is None


def test_what_is_there_already_is_not_packed_again(scene: Scene) -> None:
    giver, taker = scene.open(), _taker(scene)
    commit = capture(giver, scene.first).commit
    hand_over(commit, giver, taker)
    scene.calls.commands.clear()
    hand_over(commit, giver, taker)
    hand_over(commit, giver, giver)
    assert not [each for each in scene.calls.commands if "pack-objects" in each]


def test_a_repository_with_other_object_ids_cannot_take_it(scene: Scene) -> None:
    giver = scene.open()
    commit = capture(giver, scene.first).commit
    with pytest.raises(NylError, match="sha256") as caught:
        hand_over(commit, giver, _taker(scene, "sha256"))
    assert caught.value.diagnostic.code is Code.WORKTREE_REFUSED
