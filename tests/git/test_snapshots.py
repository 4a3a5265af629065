from pathlib import Path

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.git.objects import ObjectReader
from nyl.git.snapshots import capture
from tests.git.building import Scene


def _files(scene: Scene, commit: str) -> dict[str, bytes]:
    with ObjectReader(scene.open()) as reader:
        return {path: reader.read(entry.oid) for path, entry in reader.tree(commit).items()}


def test_everything_git_sees_is_captured(scene: Scene) -> None:
    scene.write("gone", "x")
    scene.write("run.sh", "1", 0o644)
    base = scene.commit()
    (scene.work / "gone").unlink()
    scene.write("README.md", "edited\n")
    scene.write("run.sh", "1", 0o755)
    scene.write("new/file", "new")
    scene.write(".gitignore", "ignored\n")
    scene.write("ignored", "x")
    (scene.work / "link").symlink_to("/etc/passwd")
    snapshot = capture(scene.open(), base)
    assert sorted(_files(scene, snapshot.commit)) == [".gitignore", "README.md", "link", "new/file", "run.sh"]
    assert _files(scene, snapshot.commit)["link"] == b"/etc/passwd"
    with ObjectReader(scene.open()) as reader:
        assert reader.tree(snapshot.commit)["run.sh"].is_executable
    assert snapshot.files == 5


def test_the_same_files_give_the_same_commit(scene: Scene) -> None:
    scene.write("new", "1")
    first, again = capture(scene.open(), scene.first), capture(scene.open(), scene.first)
    assert (first.created, again.created) == (True, False)
    assert first.commit == again.commit
    assert scene.git("rev-parse", first.ref) == first.commit
    scene.write("new", "2")
    assert capture(scene.open(), scene.first).commit != first.commit


def test_the_base_is_a_trailer_and_no_parent(scene: Scene) -> None:
    commit = capture(scene.open(), scene.first).commit
    assert scene.git("log", "-1", "--format=%P", commit).strip() == ""
    assert f"Nyl-Worktree-Base: {scene.first}" in scene.git("log", "-1", "--format=%B", commit)


def test_index_head_and_branches_stay(scene: Scene) -> None:
    scene.write("staged", "1")
    scene.git("add", "staged")
    scene.write("staged", "2")
    index = (scene.work / ".git" / "index").read_bytes()
    snapshot = capture(scene.open(), scene.first)
    assert (scene.work / ".git" / "index").read_bytes() == index
    assert scene.git("rev-parse", "HEAD") == scene.first
    assert _files(scene, snapshot.commit)["staged"] == b"2"
    assert not list((scene.work / ".git").glob("nyl-index-*"))


def test_a_held_index_lock_does_not_matter(scene: Scene) -> None:
    (scene.work / ".git" / "index.lock").write_text("")
    assert capture(scene.open(), scene.first).files == 1


def test_an_unborn_head_has_a_snapshot_too(scene: Scene, tmp_path: Path) -> None:
    scene.git("init", "-q", str(tmp_path / "fresh"))
    (tmp_path / "fresh" / "file").write_text("x")
    snapshot = capture(scene.open(tmp_path / "fresh"), None)
    assert snapshot.base is None
    assert snapshot.files == 1


def test_the_cache_is_left_out(scene: Scene) -> None:
    scene.write(".cache/x", "x")
    snapshot = capture(scene.open(), scene.first, scene.work / ".cache")
    assert sorted(_files(scene, snapshot.commit)) == ["README.md"]


def test_tracked_files_in_the_cache_are_refused(scene: Scene) -> None:
    scene.write(".cache/x", "x")
    base = scene.commit()
    with pytest.raises(NylError, match=r"\.cache/x") as caught:
        capture(scene.open(), base, scene.work / ".cache")
    assert caught.value.diagnostic.code is Code.WORKTREE_REFUSED


def test_a_cache_elsewhere_does_not_matter(scene: Scene, tmp_path: Path) -> None:
    assert capture(scene.open(), scene.first, tmp_path / "cache").files == 1


def test_a_bare_repository_is_refused(scene: Scene) -> None:
    with pytest.raises(NylError) as caught:
        capture(scene.open(scene.origin), scene.first)
    assert caught.value.diagnostic.code is Code.WORKTREE_REFUSED


def test_a_sparse_checkout_loses_nothing(scene: Scene) -> None:
    scene.write("in/x", "1")
    scene.write("out/y", "2")
    base = scene.commit()
    scene.git("sparse-checkout", "set", "in")
    assert sorted(_files(scene, capture(scene.open(), base).commit)) == ["README.md", "in/x", "out/y"]


def test_settings_that_hinder_adding_do_not_matter(scene: Scene) -> None:
    for name, value in (("core.safecrlf", "true"), ("core.autocrlf", "input"), ("core.splitIndex", "true")):
        scene.git("config", name, value)
    scene.git("update-index", "--split-index")
    scene.write("dos", b"a\r\nb\n")
    before = sorted(each.name for each in (scene.work / ".git").iterdir())
    snapshot = capture(scene.open(), scene.first)
    assert sorted(_files(scene, snapshot.commit)) == ["README.md", "dos"]
    assert sorted(each.name for each in (scene.work / ".git").iterdir()) == before
