"""Putting the pre-push hook where Git runs it, beside whatever is there already."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from nyl.core.clock import SystemClock
from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.git.client_hooks.installation import HookState, install, status, uninstall
from nyl.git.repository import Repository
from tests.git.building import Scene
from tests.support.hostile import contents
from tests.support.processes import run_git

OTHER = b"#!/bin/sh\necho other\n"


def repository(scene: Scene, folder: Path | None = None) -> Repository:
    return Repository.discover(folder or scene.work, scene.environ, SystemClock())


def set_path(scene: Scene, value: str, scope: str = "--local") -> None:
    run_git("config", scope, "core.hooksPath", value, cwd=scene.work, environ=scene.environ)


@pytest.mark.parametrize(
    ("scope", "path", "place"),
    [
        (None, "", ".git/hooks"),
        ("--local", ".githooks", ".githooks"),
        ("--global", ".githooks", ".githooks"),
        ("--local", ".git/more-hooks", ".git/more-hooks"),
    ],
)
def test_it_lands_where_git_runs_it_and_leaves_nothing_behind(
    scene: Scene, scope: str | None, path: str, place: str
) -> None:
    if scope:
        set_path(scene, path, scope)
    before = contents(scene.work)
    hook = scene.work / place / "pre-push"
    installed = install(repository(scene), shared=False)
    assert (installed.hook, installed.state, os.access(hook, os.X_OK)) == (hook, HookState.INSTALLED, True)
    written = (hook.read_bytes(), hook.stat().st_mtime_ns)
    assert install(repository(scene), shared=False) == installed
    assert (hook.read_bytes(), hook.stat().st_mtime_ns) == written
    assert uninstall(repository(scene)) == (hook,)
    assert uninstall(repository(scene)) == ()
    assert contents(scene.work) == before
    assert status(repository(scene)).state is HookState.ABSENT


def test_linked_worktrees_share_it(scene: Scene) -> None:
    linked = scene.folder / "linked"
    run_git("worktree", "add", "-q", linked, cwd=scene.work, environ=scene.environ)
    install(repository(scene, linked), shared=False)
    assert status(repository(scene)).hook == scene.work / ".git" / "hooks" / "pre-push"
    assert status(repository(scene)).state is HookState.INSTALLED


def _file(hook: Path) -> None:
    hook.write_bytes(OTHER)
    hook.chmod(0o755)


def _sleeping(hook: Path) -> None:
    hook.write_bytes(OTHER)
    hook.chmod(0o644)


def _link(hook: Path) -> None:
    (hook.parent / "program").write_bytes(OTHER)
    hook.symlink_to("program")


@pytest.mark.parametrize("lay", [_file, _sleeping, _link])
def test_an_earlier_hook_comes_back_as_it_was(scene: Scene, lay: Callable[[Path], None]) -> None:
    hook = scene.work / ".git" / "hooks" / "pre-push"
    hook.parent.mkdir(exist_ok=True)
    lay(hook)
    before = (hook.read_bytes(), hook.lstat().st_mode, hook.is_symlink())
    assert status(repository(scene)).state is HookState.FOREIGN
    for _ in range(2):
        assert install(repository(scene), shared=False).before == hook.with_name("pre-push.before-nyl")
    uninstall(repository(scene))
    assert (hook.read_bytes(), hook.lstat().st_mode, hook.is_symlink()) == before
    assert not hook.with_name("pre-push.before-nyl").exists()


def _husky(scene: Scene) -> str:
    (scene.work / ".husky" / "_").mkdir(parents=True)
    _file(scene.work / ".husky" / "_" / "pre-push")
    return ".husky/_"


def _old_husky(scene: Scene) -> str:
    (scene.work / ".husky" / "_").mkdir(parents=True)
    (scene.work / ".husky" / "_" / "husky.sh").write_bytes(OTHER)
    return ".husky"


def _shared(scene: Scene) -> str:
    return str(scene.folder / "company-hooks")


def _off(scene: Scene) -> str:
    return "/dev/null"


def _empty(scene: Scene) -> str:
    return ""


@pytest.mark.parametrize(
    ("lay", "fix"),
    [
        (_husky, '/.husky/pre-push: nyl hooks pre-push "$@"'),
        (_old_husky, '/.husky/pre-push: nyl hooks pre-push "$@"'),
        (_shared, '/company-hooks/pre-push: nyl hooks pre-push "$@"'),
        (_off, "git config core.hooksPath .git/hooks"),
        (_empty, "git config core.hooksPath .git/hooks"),
    ],
)
def test_where_it_would_not_last_or_reach_others_it_is_refused_with_what_to_add(
    scene: Scene, lay: Callable[[Scene], str], fix: str
) -> None:
    set_path(scene, lay(scene))
    before = contents(scene.folder)
    with pytest.raises(NylError) as caught:
        install(repository(scene), shared=False)
    assert caught.value.diagnostic.code is Code.HOOK_REFUSED
    assert fix in caught.value.diagnostic.fix
    assert contents(scene.folder) == before


def test_a_line_that_was_added_by_hand_counts(scene: Scene) -> None:
    set_path(scene, _husky(scene))
    (scene.work / ".husky" / "pre-push").write_text('nyl hooks pre-push "$@"\n')
    assert status(repository(scene)).state is HookState.CALLED


def test_a_shared_folder_is_taken_when_that_is_asked_for(scene: Scene) -> None:
    set_path(scene, _shared(scene), "--global")
    assert install(repository(scene), shared=True).hook == scene.folder / "company-hooks" / "pre-push"


def test_a_hook_that_another_setting_hides_is_told_and_taken_away(scene: Scene) -> None:
    hidden = install(repository(scene), shared=False).hook
    set_path(scene, ".githooks")
    found = status(repository(scene))
    assert (found.state, found.misplaced) == (HookState.ABSENT, hidden)
    assert uninstall(repository(scene)) == (hidden,)


def test_a_hook_that_pre_commit_took_over_stays_and_goes_as_one_that_is_called(scene: Scene) -> None:
    hook = scene.work / ".git" / "hooks" / "pre-push"
    hook.parent.mkdir(exist_ok=True)
    _file(hook)
    install(repository(scene), shared=False)
    hook.rename(hook.with_name("pre-push.legacy"))
    _file(hook)
    before = contents(scene.work)
    assert install(repository(scene), shared=False).state is HookState.CALLED
    assert contents(scene.work) == before
    assert uninstall(repository(scene)) == (hook.with_name("pre-push.legacy"),)
    assert hook.with_name("pre-push.legacy").read_bytes() == hook.read_bytes() == OTHER


def test_a_hook_that_cannot_be_run_is_made_to_run(scene: Scene) -> None:
    hook = install(repository(scene), shared=False).hook
    hook.chmod(0o644)
    assert status(repository(scene)).state is not HookState.INSTALLED
    assert install(repository(scene), shared=False).state is HookState.INSTALLED


def test_two_earlier_hooks_are_too_many(scene: Scene) -> None:
    hook = scene.work / ".git" / "hooks" / "pre-push"
    hook.parent.mkdir(exist_ok=True)
    for each in (hook, hook.with_name("pre-push.before-nyl")):
        _file(each)
    with pytest.raises(NylError) as caught:
        install(repository(scene), shared=False)
    assert caught.value.diagnostic.code is Code.HOOK_REFUSED
    assert hook.read_bytes() == OTHER
    assert stat.S_IMODE(hook.stat().st_mode) == 0o755
