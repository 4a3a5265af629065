import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.git.checkouts import CheckoutSlot
from tests.git.building import Scene
from tests.support.processes import run_git


class Checkouts:
    """A scene with two commits and a slot."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        scene.write("run.sh", "#!/bin/sh\n", 0o755)
        scene.write("a/one", "1\n")
        scene.write("a/b/two", "2\n")
        (scene.work / "link").symlink_to("a/one")
        self.old = scene.commit("Old")
        scene.write("a/one", "changed\n")
        scene.write("new", "new\n")
        scene.git("rm", "-q", "-r", "a/b")
        self.new = scene.commit("New")
        self.repository = scene.open()
        self.slot = CheckoutSlot(scene.folder / "slot", self.repository, scene.environ)
        self.tree = self.slot.reset(self.old)
        self.fresh = _picture(self.tree)
        scene.calls.commands.clear()

    def is_fresh(self) -> bool:
        return _picture(self.slot.reset(self.old)) == self.fresh

    @property
    def processes(self) -> int:
        return len(self.scene.calls.commands)


@pytest.fixture
def checkouts(scene: Scene) -> Checkouts:
    return Checkouts(scene)


def _picture(folder: Path) -> dict[str, object]:
    return {str(each.relative_to(folder)): _look(each) for each in folder.rglob("*")}


def _look(path: Path) -> object:
    mode = path.lstat().st_mode
    if path.is_symlink():
        return mode, path.readlink()
    return (mode, path.read_bytes()) if path.is_file() else (mode, None)


def test_a_checkout_holds_the_commit_and_nothing_else(checkouts: Checkouts) -> None:
    assert sorted(checkouts.fresh) == ["README.md", "a", "a/b", "a/b/two", "a/one", "link", "run.sh"]
    assert os.access(checkouts.tree / "run.sh", os.X_OK)
    assert (checkouts.tree / "link").readlink() == Path("a/one")


def test_an_unchanged_checkout_starts_no_process(checkouts: Checkouts) -> None:
    assert checkouts.is_fresh()
    assert checkouts.processes == 0


def test_added_files_go_without_a_process(checkouts: Checkouts) -> None:
    (checkouts.tree / "x" / "y").mkdir(parents=True)
    (checkouts.tree / "x" / "y" / "z").write_text("z")
    (checkouts.tree / ".gitignore").write_text("*.log\n")
    (checkouts.tree / "ignored.log").write_text("log")
    run_git("init", "-q", "nested", cwd=checkouts.tree, environ=checkouts.scene.environ)
    assert checkouts.is_fresh()
    assert checkouts.processes == 0


def _rewrite(tree: Path) -> None:
    (tree / "a" / "one").write_text("9\n")


def _rewrite_in_place_with_old_times(tree: Path) -> None:
    before = (tree / "a" / "one").stat()
    (tree / "a" / "one").write_text("9\n")
    os.utime(tree / "a" / "one", ns=(before.st_atime_ns, before.st_mtime_ns))


def _replace_link(tree: Path) -> None:
    (tree / "link").unlink()
    (tree / "link").mkdir()


def _replace_folder(tree: Path) -> None:
    shutil.rmtree(tree / "a")
    (tree / "a").symlink_to("/tmp")


def _take_permissions(tree: Path) -> None:
    (tree / "run.sh").chmod(0o600)
    (tree / "a").chmod(0o500)
    (tree / "deep").mkdir()
    (tree / "deep" / "file").write_text("x")
    (tree / "deep").chmod(0)


def _hard_link(tree: Path) -> None:
    (tree / "new").write_text("9\n")
    (tree / "a" / "one").unlink()
    os.link(tree / "new", tree / "a" / "one")


def _delete_everything(tree: Path) -> None:
    shutil.rmtree(tree)


def _move_away(tree: Path) -> None:
    tree.rename(tree.parent / "elsewhere")
    tree.symlink_to("elsewhere")


_DAMAGE = [
    _rewrite,
    _rewrite_in_place_with_old_times,
    _replace_link,
    _replace_folder,
    _take_permissions,
    _hard_link,
    _delete_everything,
    _move_away,
]


@pytest.mark.parametrize("damage", _DAMAGE)
def test_whatever_a_unit_did_is_undone_with_one_process(checkouts: Checkouts, damage: Callable[[Path], None]) -> None:
    damage(checkouts.tree)
    assert checkouts.is_fresh()
    assert checkouts.processes == 1


@pytest.mark.parametrize("damage", _DAMAGE)
def test_damage_is_also_seen_without_notifications(checkouts: Checkouts, damage: Callable[[Path], None]) -> None:
    checkouts.slot._end_watch()
    checkouts.slot._can_watch = False
    damage(checkouts.tree)
    assert checkouts.is_fresh()


def test_changes_right_after_a_reset_are_seen_again_and_again(checkouts: Checkouts) -> None:
    checkouts.slot._end_watch()
    checkouts.slot._can_watch = False
    for number in range(10):
        (checkouts.tree / "a" / "one").write_text(f"{number}\n")
        assert checkouts.is_fresh() or number == 1


def test_another_commit_costs_one_process_and_undoes_changes(checkouts: Checkouts) -> None:
    (checkouts.tree / "README.md").write_text("edited\n")
    (checkouts.tree / "untracked").write_text("x")
    (checkouts.tree / "a" / "b" / "untracked").write_text("x")
    tree = checkouts.slot.reset(checkouts.new)
    assert checkouts.processes == 1
    assert sorted(_picture(tree)) == ["README.md", "a", "a/one", "link", "new", "run.sh"]
    assert (tree / "README.md").read_text() == "hello\n"
    assert (tree / "a" / "one").read_text() == "changed\n"
    assert checkouts.is_fresh()


def test_a_restricted_checkout_holds_only_its_paths(checkouts: Checkouts) -> None:
    tree = checkouts.slot.reset(checkouts.old, ("a/b", "run.sh"))
    assert sorted(_picture(tree)) == ["a", "a/b", "a/b/two", "run.sh"]
    (tree / "a/b/two").unlink()
    (tree / "x").write_text("x")
    assert sorted(_picture(checkouts.slot.reset(checkouts.old, ("a/b", "run.sh")))) == ["a", "a/b", "a/b/two", "run.sh"]
    assert _picture(checkouts.slot.reset(checkouts.old, ())) == {}
    assert checkouts.is_fresh()


@pytest.mark.parametrize("paths", [("*",), (":(top)a",), ("nothing",), ("a/b", "a/c")])
def test_paths_are_literal_and_must_exist(checkouts: Checkouts, paths: tuple[str, ...]) -> None:
    with pytest.raises(NylError) as caught:
        checkouts.slot.reset(checkouts.old, paths)
    assert caught.value.diagnostic.code is Code.SOURCE_MISSING
    assert paths[-1] in caught.value.diagnostic.message
    assert checkouts.is_fresh()


def test_a_missing_commit_is_named(checkouts: Checkouts) -> None:
    with pytest.raises(NylError, match="1" * 40) as caught:
        checkouts.slot.reset("1" * 40)
    assert caught.value.diagnostic.code is Code.SOURCE_MISSING


def test_settings_and_filters_of_the_user_alter_no_byte(scene: Scene) -> None:
    scene.write("dos", b"a\r\nb\n")
    scene.write("asset.bin", b"data\n")
    scene.write(".gitattributes", "*.bin filter=shout\n")
    commit = scene.commit()
    attributes = scene.folder / "attributes"
    attributes.write_text("* text=auto eol=crlf\n")
    for name, value in (
        ("core.autocrlf", "true"),
        ("core.attributesFile", str(attributes)),
        ("filter.shout.smudge", "tr a-z A-Z"),
        ("filter.shout.required", "true"),
    ):
        scene.git("config", "--global", name, value)
    tree = CheckoutSlot(scene.folder / "slot", scene.open(), scene.environ).reset(commit)
    assert (tree / "dos").read_bytes() == b"a\r\nb\n"
    assert (tree / "asset.bin").read_bytes() == b"data\n"


def test_the_repository_is_not_touched(checkouts: Checkouts) -> None:
    git_dir = checkouts.scene.work / ".git"
    before = {path: path.read_bytes() for path in git_dir.rglob("*") if path.is_file()}
    _rewrite(checkouts.tree)
    checkouts.is_fresh()
    checkouts.slot.reset(checkouts.new)
    assert {path: path.read_bytes() for path in git_dir.rglob("*") if path.is_file()} == before
    assert not (checkouts.tree / ".git").exists()


def test_a_closed_slot_leaves_nothing_and_can_be_used_again(checkouts: Checkouts) -> None:
    (checkouts.tree / "a").chmod(0)
    checkouts.slot.close()
    assert not (checkouts.scene.folder / "slot").exists()
    assert checkouts.is_fresh()


def test_submodules_are_empty_folders(scene: Scene) -> None:
    scene.git("update-index", "--add", "--cacheinfo", f"160000,{scene.first},module")
    scene.git("commit", "-q", "-m", "Module")
    slot = CheckoutSlot(scene.folder / "slot", scene.open(), scene.environ)
    commit = scene.git("rev-parse", "HEAD")
    tree = slot.reset(commit)
    (tree / "module" / "x").write_text("x")
    assert sorted(_picture(slot.reset(commit))) == ["README.md", "module"]
    (tree / "module").rmdir()
    assert sorted(_picture(slot.reset(commit))) == ["README.md", "module"]


def test_sha256_commits_are_checked_out(tmp_path: Path) -> None:
    scene = Scene(tmp_path, "sha256")
    tree = CheckoutSlot(tmp_path / "slot", scene.open(), scene.environ).reset(scene.first)
    assert (tree / "README.md").read_text() == "hello\n"


@pytest.mark.parametrize("paths", [None, ("a",)])
def test_a_partial_clone_lends_what_it_left_at_its_remote(checkouts: Checkouts, paths: tuple[str, ...] | None) -> None:
    repository = checkouts.scene.open(checkouts.scene.partial_clone())
    slot = CheckoutSlot(checkouts.scene.folder / "borrower", repository, checkouts.scene.environ)
    found = _picture(slot.reset(checkouts.old, paths))
    assert found == {path: look for path, look in checkouts.fresh.items() if paths is None or path.startswith("a")}


def test_a_partial_clone_says_when_its_remote_is_gone(checkouts: Checkouts) -> None:
    repository = checkouts.scene.open(checkouts.scene.partial_clone())
    shutil.rmtree(checkouts.scene.origin)
    slot = CheckoutSlot(checkouts.scene.folder / "borrower", repository, checkouts.scene.environ)
    with pytest.raises(NylError) as caught:
        slot.reset(checkouts.old)
    assert caught.value.diagnostic.code is Code.REMOTE_UNAVAILABLE
