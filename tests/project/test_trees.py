"""Reading a project's files from commits and from working trees, on real repositories."""

from pathlib import Path

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.git.objects import ObjectReader
from nyl.project.trees import CommitTree
from tests.project.repositories import commit_all, new_repository, worktree_of

YAML = (".yaml",)


def write(root: Path, **files: str) -> None:
    for name, text in files.items():
        (root / f"{name}.yaml").write_text(text)


def test_a_clean_working_tree_has_the_identities_of_its_commit(tmp_path: Path) -> None:
    repository = new_repository(tmp_path)
    write(tmp_path, a="a", b="b")
    commit = CommitTree(ObjectReader(repository), commit_all(repository), "")
    assert worktree_of(repository).files(YAML) == commit.files(YAML)


def test_changed_untracked_and_deleted_files_are_as_on_disk(tmp_path: Path) -> None:
    repository = new_repository(tmp_path)
    write(tmp_path, same="1", changed="1", deleted="1")
    commit_all(repository)
    write(tmp_path, changed="2", new="2")
    (tmp_path / "deleted.yaml").unlink()
    tree = worktree_of(repository)
    found = tree.files(YAML)
    assert set(found) == {"same.yaml", "changed.yaml", "new.yaml"}
    assert tree.read_many(list(found)) == {"same.yaml": b"1", "changed.yaml": b"2", "new.yaml": b"2"}


def test_files_that_git_ignores_are_not_there(tmp_path: Path) -> None:
    repository = new_repository(tmp_path)
    (tmp_path / ".gitignore").write_text("ignored.yaml\n")
    write(tmp_path, ignored="1", seen="1")
    assert set(worktree_of(repository).files(YAML)) == {"seen.yaml"}


def test_a_repository_without_commits_works(tmp_path: Path) -> None:
    repository = new_repository(tmp_path)
    write(tmp_path, a="1")
    tree = worktree_of(repository)
    assert tree.read_many(list(tree.files(YAML))) == {"a.yaml": b"1"}


def test_a_sparse_checkout_misses_nothing(tmp_path: Path) -> None:
    repository = new_repository(tmp_path)
    for folder in ("in", "out"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.yaml").write_text(folder)
    commit_all(repository)
    repository.checked("sparse-checkout", "set", "in")
    assert not (tmp_path / "out").exists()
    tree = worktree_of(repository)
    assert tree.read_many(list(tree.files(YAML))) == {"in/a.yaml": b"in", "out/a.yaml": b"out"}


def test_only_the_projects_folder_is_looked_at(tmp_path: Path) -> None:
    repository = new_repository(tmp_path)
    for folder in ("project", "project-two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.yaml").write_text("1")
    commit_all(repository)
    (tmp_path / "project" / "b.yaml").write_text("1")
    (tmp_path / "project-two" / "b.yaml").write_text("1")
    assert set(worktree_of(repository, "project").files(YAML)) == {"project/a.yaml", "project/b.yaml"}


def test_symlinks_are_no_files(tmp_path: Path) -> None:
    repository = new_repository(tmp_path)
    write(tmp_path, a="1")
    (tmp_path / "committed.yaml").symlink_to("a.yaml")
    commit_all(repository)
    (tmp_path / "new.yaml").symlink_to("a.yaml")
    assert set(worktree_of(repository).files(YAML)) == {"a.yaml"}


def test_a_changed_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    repository = new_repository(tmp_path)
    write(tmp_path, a="1")
    tree = worktree_of(repository)
    (tmp_path / "a.yaml").unlink()
    with pytest.raises(NylError) as caught:
        tree.read_many(["a.yaml"])
    assert caught.value.diagnostic.code is Code.FILE_INACCESSIBLE


def test_a_file_that_the_commit_does_not_have_is_an_error(tmp_path: Path) -> None:
    repository = new_repository(tmp_path)
    write(tmp_path, a="1")
    tree = CommitTree(ObjectReader(repository), commit_all(repository), "")
    with pytest.raises(NylError) as caught:
        tree.read_many(["b.yaml"])
    assert caught.value.diagnostic.code is Code.FILE_INACCESSIBLE


def whole(root: Path) -> None:
    for name in ("project/a.yaml", "shared/b.txt", "shared/run"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text("1")
    (root / "shared" / "run").chmod(0o755)
    (root / "shared" / "link").symlink_to("b.txt")


def test_the_whole_repository_is_listed_with_modes_and_symlinks(tmp_path: Path) -> None:
    repository = new_repository(tmp_path)
    whole(tmp_path)
    commit = CommitTree(ObjectReader(repository), commit_all(repository), "project")
    modes = {path: entry.mode for path, entry in commit.under("shared")}
    assert modes == {"shared/b.txt": "100644", "shared/link": "120000", "shared/run": "100755"}
    assert [path for path, _ in commit.under("")] == ["project/a.yaml", "shared/b.txt", "shared/link", "shared/run"]
    assert commit.entry("shared") is None


def test_what_is_not_committed_is_listed_as_it_is_on_disk(tmp_path: Path) -> None:
    repository = new_repository(tmp_path)
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "gone").write_text("1")
    commit_all(repository)
    (tmp_path / "shared" / "gone").unlink()
    whole(tmp_path)
    tree = worktree_of(repository)
    modes = {path: entry.mode for path, entry in tree.under("shared")}
    assert modes == {"shared/b.txt": "100644", "shared/link": "120000", "shared/run": "100755"}
    assert tree.entry("shared/gone") is None
    entry = tree.entry("shared/b.txt")
    assert entry is not None
    assert entry.oid == tree.files((".txt",))["shared/b.txt"]


def test_a_clean_working_tree_lists_what_its_commit_does(tmp_path: Path) -> None:
    repository = new_repository(tmp_path)
    whole(tmp_path)
    commit = CommitTree(ObjectReader(repository), commit_all(repository), "")
    assert list(worktree_of(repository).under("")) == list(commit.under(""))
