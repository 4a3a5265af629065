"""Carry files of a working tree."""

import os
from pathlib import Path

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.kubernetes.inputs.carrying import CarryFiles, carry_paths
from tests.git.building import Scene
from tests.kubernetes.inputs.builders import target


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


def carry(scene: Scene, path: str, folder: str = "") -> bytes | None:
    return CarryFiles(scene.open(), scene.work, folder).read(path)


@pytest.mark.parametrize(
    ("written", "folder"), [("build/images.json", ""), ("images.json", "build"), ("/build/images.json", "app")]
)
def test_an_untracked_file_is_carried(scene: Scene, written: str, folder: str) -> None:
    scene.write("build/images.json", b"{}")
    assert carry(scene, written, folder) == b"{}"


def test_an_ignored_file_is_carried(scene: Scene) -> None:
    scene.write(".gitignore", "build/\n")
    scene.write("build/images.json", b"{}")
    assert carry(scene, "build/images.json") == b"{}"


@pytest.mark.parametrize("path", ["build/images.json", "README.md/images.json"])
def test_a_run_may_have_no_carry_file(scene: Scene, path: str) -> None:
    assert carry(scene, path) is None


@pytest.mark.parametrize("is_there", [True, False])
def test_a_tracked_file_is_never_carried(scene: Scene, is_there: bool) -> None:
    written = scene.write("build/[im]*ages.json", b"{}")
    scene.commit()
    if not is_there:
        written.unlink()
    with pytest.raises(NylError) as caught:
        carry(scene, "build/[im]*ages.json")
    assert caught.value.diagnostic.code is Code.STATE_PATH
    assert "is tracked by Git" in caught.value.diagnostic.message


def test_a_name_like_a_pattern_is_a_name(scene: Scene) -> None:
    scene.write("build/a.json", b"tracked")
    scene.commit()
    scene.write("build/*.json", b"{}")
    assert carry(scene, "build/*.json") == b"{}"


def test_a_staged_file_is_tracked(scene: Scene) -> None:
    scene.write("images.json", b"{}")
    scene.git("add", "images.json")
    with pytest.raises(NylError):
        carry(scene, "images.json")


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("../x.json", Code.PATH_REFUSED),
        (".git/config", Code.PATH_REFUSED),
        ("x/.GIT/config", Code.PATH_REFUSED),
        ("behind/images.json", Code.PATH_REFUSED),
        ("link.json", Code.STATE_PATH),
        ("folder", Code.STATE_PATH),
        ("pipe", Code.STATE_PATH),
    ],
)
def test_what_is_no_regular_file_of_the_working_tree_is_refused(scene: Scene, path: str, code: Code) -> None:
    scene.write("folder/images.json", b"{}")
    (scene.work / "behind").symlink_to("folder")
    (scene.work / "link.json").symlink_to("folder/images.json")
    os.mkfifo(scene.work / "pipe")
    with pytest.raises(NylError) as caught:
        carry(scene, path)
    assert caught.value.diagnostic.code is code


def test_all_renderings_of_a_run_see_the_same_bytes(scene: Scene) -> None:
    written = scene.write("build/images.json", b"1")
    files = CarryFiles(scene.open(), scene.work, "")
    assert files.read("build/images.json") == b"1"
    written.write_bytes(b"2")
    assert files.read("./build/images.json") == b"1"


def test_the_carry_files_of_a_target_are_known_from_its_bindings() -> None:
    def publication(carried: str) -> dict[str, object]:
        return {"fromPublication": {"path": "s.json", "carryFileFromWorktree": carried}}

    bound = target(
        {
            "a/b": {"x": publication("build/x.json"), "y": publication("/y.json"), "z": publication("../../z")},
            "c/d": {"x": {"fromPublication": {"path": "s"}}, "y": {"value": 1}},
        }
    )
    assert carry_paths(bound, "app") == {"app/build/x.json", "y.json"}
