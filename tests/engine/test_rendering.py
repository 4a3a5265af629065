"""Render sessions: which tree they see, and whether it is that of a commit."""

from pathlib import Path

import pytest

from nyl.engine.rendering import commit_session, open_carry_files, worktree_session
from nyl.kubernetes.session import RenderOptions, RenderSession
from tests.engine.projects import workspace as open_workspace
from tests.support.kubernetes_project import PROJECT
from tests.support.world import World

CARRY = "  releaseInputs: {platform/web: {x: {fromPublication: {path: s.json, carryFileFromWorktree: out/s.json}}}}\n"


def world(tmp_path: Path, folder: str = "") -> World:
    made = World(tmp_path, remote=False, folder=folder)
    for name, text in PROJECT.items():
        made.write(name, text)
    made.write("target.yaml", str(PROJECT["target.yaml"]) + CARRY)
    made.commit()
    return made


def session(of: World) -> RenderSession:
    opened = open_workspace(of)
    return worktree_session(opened, RenderOptions(), open_carry_files(opened))


def test_a_clean_working_tree_is_its_commit(tmp_path: Path) -> None:
    of = world(tmp_path)
    assert session(of).commit == of.git("rev-parse", "HEAD")


@pytest.mark.parametrize("path", ["applications/platform/web.yaml", "new.txt", "nyl.toml"])
def test_a_change_makes_it_no_commit(tmp_path: Path, path: str) -> None:
    of = world(tmp_path).write(path, "# changed\n")
    assert session(of).commit is None


def test_an_untracked_carry_file_is_no_change(tmp_path: Path) -> None:
    of = world(tmp_path).write("out/s.json", "{}")
    assert session(of).commit == of.git("rev-parse", "HEAD")
    assert session(of.write("out/other.json", "{}")).commit is None


def test_changes_outside_of_the_project_folder_count_and_are_seen(tmp_path: Path) -> None:
    of = world(tmp_path, "deploy")
    (of.root / "shared.yaml").write_text("x")
    found = session(of)
    assert found.commit is None
    entry = found.tree.entry("shared.yaml")
    assert entry is not None
    assert found.tree.read_many(["shared.yaml"]) == {"shared.yaml": b"x"}


def test_a_commit_is_rendered_as_it_was(tmp_path: Path) -> None:
    of = world(tmp_path)
    commit = of.git("rev-parse", "HEAD")
    of.write("group.yaml", "changed: true\n")
    opened = open_workspace(of)
    found = commit_session(opened, commit, RenderOptions(), open_carry_files(opened))
    assert found.commit == commit
    assert set(found.declarations.groups) == {"platform"}
