import errno
import os
from pathlib import Path
from typing import NoReturn

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.git.config import Identity
from nyl.git.process import Gateway
from nyl.git.repository import Repository
from tests.git.building import Scene
from tests.support.hostile import Decoy


def test_a_repository_is_found_from_a_folder_inside(scene: Scene) -> None:
    (scene.work / "a" / "b").mkdir(parents=True)
    repository = scene.open(scene.work / "a" / "b")
    assert (repository.root, repository.git_dir) == (scene.work, scene.work / ".git")
    assert len(scene.calls.commands) == 1


def test_a_bare_repository_has_no_root(scene: Scene) -> None:
    repository = scene.open(scene.origin)
    assert repository.root is None
    assert repository.git_dir == scene.origin
    assert repository.resolve("main") == scene.first


def test_a_linked_worktree_shares_the_common_folder(scene: Scene) -> None:
    scene.git("worktree", "add", "-q", "--detach", str(scene.folder / "linked"))
    repository = scene.open(scene.folder / "linked")
    assert repository.root == scene.folder / "linked"
    assert repository.common_dir == scene.work / ".git"
    assert repository.git_dir != repository.common_dir


def test_outside_of_a_repository_is_refused(scene: Scene, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    for place in (empty, tmp_path / "nowhere"):
        with pytest.raises(NylError) as caught:
            scene.open(place)
        assert caught.value.diagnostic.code is Code.PROJECT_MISSING


def test_a_damaged_repository_is_not_taken_for_none(scene: Scene) -> None:
    (scene.work / ".git" / "HEAD").write_text("nonsense\n")
    with pytest.raises(NylError) as caught:
        scene.open()
    assert caught.value.diagnostic.code is Code.GIT_UNAVAILABLE


def test_a_missing_git_is_said(scene: Scene, tmp_path: Path) -> None:
    with pytest.raises(NylError) as caught:
        scene.open(extra={"PATH": str(tmp_path / "nowhere")})
    assert caught.value.diagnostic.code is Code.GIT_UNAVAILABLE


def test_a_system_that_starts_no_git_is_not_taken_for_one_without(tmp_path: Path) -> None:
    def refuse(*_: object) -> NoReturn:
        raise OSError(errno.EMFILE, "Too many open files")

    with pytest.raises(NylError) as caught:
        Gateway({}, frozenset(), start_git=refuse).start(["status"], tmp_path)
    assert caught.value.diagnostic.code is Code.GIT_FAILED
    assert "ulimit" in caught.value.diagnostic.fix


def test_an_old_git_is_said(scene: Scene, tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.mkdir()
    (old / "git").write_text('#!/bin/sh\nfor each; do [ "$each" = rev-parse ] || echo "$each"; done\n')
    (old / "git").chmod(0o755)
    with pytest.raises(NylError, match="too old"):
        scene.open(extra={"PATH": f"{old}:{os.defpath}"})


def test_a_repository_of_another_owner_is_trusted_for_this_process_only(scene: Scene) -> None:
    before = Path(scene.environ["GIT_CONFIG_GLOBAL"]).read_bytes()
    for each in (scene.work, scene.work / ".git"):
        _give_away(each)
    repository = scene.open()
    assert repository.resolve("HEAD") == scene.first
    assert Path(scene.environ["GIT_CONFIG_GLOBAL"]).read_bytes() == before


def _give_away(folder: Path) -> None:
    if os.geteuid() == 0:
        os.chown(folder, 12345, 12345)


def test_a_hooks_environment_does_not_mislead(scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    decoy = Decoy.lay(tmp_path / "decoy", scene.environ)
    before = decoy.bytes()
    # GitPython starts from the process's own environment, so the leak must be there, too.
    for name, value in decoy.environ().items():
        monkeypatch.setenv(name, value)
    repository = scene.open(extra=decoy.environ())
    assert repository.root == scene.work
    assert repository.resolve("HEAD") == scene.first
    repository.checked("update-ref", "refs/nyl/x", scene.first)
    assert decoy.bytes() == before


@pytest.mark.parametrize("revision", ["", "-x", "--all", "no such", "a..b", "HEAD\0", "@{-9}", "HEAD:README.md", "*"])
def test_odd_revisions_name_nothing(scene: Scene, revision: str) -> None:
    assert scene.open().resolve(revision) is None


@pytest.mark.parametrize("revision", ["HEAD", "main", "refs/heads/main", "main~0"])
def test_revisions_name_commits(scene: Scene, revision: str) -> None:
    assert scene.open().resolve(revision) == scene.first


def test_a_failure_names_command_exit_and_text_without_credentials(scene: Scene) -> None:
    with pytest.raises(NylError) as caught:
        scene.open().checked("rev-parse", "--verify", "https://me:secret@example.com/x")
    assert caught.value.diagnostic.code is Code.GIT_FAILED
    assert "exit 128" in caught.value.diagnostic.message
    assert "secret" not in str(caught.value)


def test_a_command_that_hangs_is_stopped_with_its_children(scene: Scene) -> None:
    result = scene.open().git("-c", "alias.wait=!sleep 60", "wait", timeout=0.3)
    assert result.code != 0
    assert "did not end" in result.stderr


def test_the_identity_is_the_configured_one(scene: Scene) -> None:
    leaking = {"GIT_AUTHOR_NAME": "Other", "GIT_AUTHOR_EMAIL": "other@example.com"}
    assert scene.open(extra=leaking).identity() == Identity("Alice Example", "alice@example.com")


def test_an_identity_is_never_guessed(scene: Scene) -> None:
    scene.git("config", "user.email", "")
    assert scene.open().identity() is None


def test_settings_are_read_with_one_command(scene: Scene) -> None:
    repository = scene.open()
    scene.calls.commands.clear()
    assert repository.remote_url("origin") == str(scene.origin)
    assert repository.config("USER.name") == "Alice Example"
    assert repository.config("no.such") is None
    assert len(scene.calls.commands) == 1


def test_sha256_repositories_are_known(tmp_path: Path) -> None:
    repository: Repository = Scene(tmp_path, "sha256").open()
    assert repository.object_format == "sha256"
    assert len(repository.null_oid) == 64
