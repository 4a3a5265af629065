from nyl.git.status import Changed, ChangeKind, worktree_changes
from tests.git.building import Scene

_DELETED = Changed(ChangeKind.DELETED)
_UNTRACKED = Changed(ChangeKind.UNTRACKED)


def test_a_clean_tree_has_no_changes_and_takes_one_process(scene: Scene) -> None:
    repository = scene.open()
    scene.calls.commands.clear()
    assert worktree_changes(repository) == {}
    assert len(scene.calls.commands) == 1


def test_each_kind_of_change_is_told(scene: Scene) -> None:
    for name in ("edited", "deleted", "mode", "renamed", "unstaged"):
        scene.write(name, name)
    scene.commit()
    scene.write("edited", "other")
    (scene.work / "deleted").unlink()
    scene.write("mode", "mode", 0o755)
    scene.git("mv", "renamed", "moved to")
    scene.git("rm", "-q", "--cached", "unstaged")
    scene.write("staged", "x")
    scene.git("add", "staged")
    scene.write("folder/ünï\n", "x")
    assert worktree_changes(scene.open()) == {
        "edited": Changed(ChangeKind.MODIFIED, "100644"),
        "deleted": _DELETED,
        "mode": Changed(ChangeKind.MODIFIED, "100755"),
        "renamed": _DELETED,
        "moved to": Changed(ChangeKind.MODIFIED, "100644"),
        "unstaged": _UNTRACKED,
        "staged": Changed(ChangeKind.MODIFIED, "100644"),
        "folder/ünï\n": _UNTRACKED,
    }


def test_only_the_folder_is_looked_at(scene: Scene) -> None:
    scene.write("in/x", "x")
    scene.write("out", "x")
    assert worktree_changes(scene.open(), "in") == {"in/x": _UNTRACKED}


def test_ignored_and_left_out_files_are_no_changes(scene: Scene) -> None:
    scene.write(".gitignore", "*.log\n")
    scene.write("in/x", "1")
    scene.write("out/y", "2")
    scene.commit()
    scene.write("in/a.log", "x")
    scene.git("sparse-checkout", "set", "in")
    assert worktree_changes(scene.open()) == {}


def test_settings_of_the_user_and_a_lock_do_not_matter(scene: Scene) -> None:
    for name, value in (("status.showUntrackedFiles", "no"), ("status.short", "true"), ("color.ui", "always")):
        scene.git("config", name, value)
    scene.write("new", "x")
    (scene.work / ".git" / "index.lock").write_text("")
    index = (scene.work / ".git" / "index").read_bytes()
    assert worktree_changes(scene.open()) == {"new": _UNTRACKED}
    assert (scene.work / ".git" / "index").read_bytes() == index


def test_an_unborn_head_has_only_new_files(scene: Scene) -> None:
    scene.git("init", "-q", str(scene.folder / "fresh"))
    (scene.folder / "fresh" / "a").write_text("x")
    assert worktree_changes(scene.open(scene.folder / "fresh")) == {"a": _UNTRACKED}


def test_conflicts_are_changes(scene: Scene) -> None:
    scene.git("checkout", "-q", "-b", "other")
    scene.write("README.md", "other\n")
    scene.commit()
    scene.git("checkout", "-q", "main")
    scene.write("README.md", "mine\n")
    scene.commit()
    scene.git("-c", "alias.try=!git merge other >/dev/null || true", "try")
    assert worktree_changes(scene.open()) == {"README.md": Changed(ChangeKind.MODIFIED, "100644")}
