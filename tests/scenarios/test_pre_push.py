"""Pushes by a real `git push`, with the hook that `nyl hooks install` puts there."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.git_processes import GitRecorder
from tests.support.hostile import HostileGit, contents
from tests.support.world import World

NOBODY = {"dependsOn": ["nobody"]}


def push(
    world: World, *refspecs: str, cwd: Path | None = None, environ: Mapping[str, str] | None = None
) -> tuple[bool, str]:
    """Whether a push went through, and what it said."""
    command = ["git", "push", "origin", *refspecs]
    variables = world.environ | dict(environ or {})
    done = subprocess.run(
        command, cwd=cwd or world.root, env=variables, capture_output=True, text=True, timeout=60, check=False
    )
    return done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def hooked(world: World) -> World:
    """The pair, pushed, with the hook."""
    world.pair().commit()
    world.nyl("hooks", "install")
    return world


def test_the_pushed_commit_decides_and_not_the_working_tree(hooked: World) -> None:
    hooked.unit("migrate", **NOBODY).commit(push=False)
    hooked.pair()
    went, said = push(hooked, "HEAD:main")
    assert not went
    assert "NYL-DEPENDENCY-UNKNOWN" in said
    assert "git push --no-verify" in said
    tip = hooked.commit(push=False)
    hooked.write("units/migrate.yaml", "{{ broken")
    went, said = push(hooked, "HEAD:main")
    assert went, said
    assert f"nyl: checked the project at {tip[:12]} for refs/heads/main: valid" in said


def test_the_refs_of_nyl_are_pushed_by_nyl_alone(hooked: World) -> None:
    hooked.nyl("state", "init", "-e", "dev")
    before = hooked.refs()
    for refspec in (
        "+HEAD:refs/heads/nyl/dev/observed",
        ":refs/heads/nyl/dev/desired",
        "HEAD:refs/nyl/dev/lease",
        "--mirror",
    ):
        went, said = push(hooked, refspec)
        assert (went, "NYL_ALLOW_STATE_PUSH=1" in said) == (False, True), refspec
    assert hooked.refs() == before
    assert push(hooked, "HEAD:refs/nyl/dev/scratch", environ={"NYL_ALLOW_STATE_PUSH": "1"})[0]


@pytest.mark.parametrize(
    ("folder", "object_format", "layout"),
    [("", "sha1", "plain"), ("deploy", "sha256", "plain"), ("deploy", "sha1", "linked"), ("", "sha1", "bare")],
)
def test_wherever_it_is_pushed_from_nothing_but_the_push_happens(
    tmp_path: Path, folder: str, object_format: str, layout: str
) -> None:
    world = World(tmp_path, folder=folder, object_format=object_format).pair()
    world.commit()
    place = _laid(world, layout)
    world.nyl("hooks", "install", cwd=place / folder)
    (place / folder / "units" / "migrate.yaml").write_text("kind: Command\napiVersion: units.gitops.nyl/v1\n")
    for arguments in (["add", "-A"], ["commit", "-q", "-m", "Break"]):
        world.git(*arguments, cwd=place)
    before = contents(world.tmp)
    went, said = push(world, "HEAD:refs/heads/side", cwd=place / folder)
    assert (went, "NYL-RESOURCE-INVALID" in said) == (False, True), said
    after = contents(world.tmp)
    assert {name for name in before | after if before.get(name) != after.get(name) and "/.nyl/" not in name} == set()


def _laid(world: World, layout: str) -> Path:
    place = world.tmp / "linked"
    if layout == "plain":
        return world.root
    if layout == "bare":
        bare = world.clone("bare.git", "--bare")
        world.git("worktree", "add", "-q", "-b", "side", place, cwd=bare)
    else:
        world.git("worktree", "add", "-q", "-b", "side", place)
    return place


@pytest.mark.parametrize(("code", "goes"), [(0, True), (7, False)])
def test_an_earlier_hook_is_told_everything_and_has_the_first_word(world: World, code: int, goes: bool) -> None:
    world.pair().commit()
    heard = world.tmp / "heard"
    hook = world.root / ".git" / "hooks" / "pre-push"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\n{{ echo \"$@\"; cat; }} > '{heard}'\nexit {code}\n")
    hook.chmod(0o755)
    world.nyl("hooks", "install")
    tip = world.commit(push=False)
    went, said = push(world, "HEAD:refs/heads/one", "HEAD:refs/heads/two")
    assert (went, "nyl: checked" in said) == (goes, goes)
    lines = heard.read_text().splitlines()
    assert lines[0] == f"origin {world.origin}"
    assert {line.split()[1] for line in lines[1:]} == {tip}
    assert len(lines) == 3


def test_hooks_that_run_each_other_end(hooked: World) -> None:
    hook = hooked.root / ".git" / "hooks" / "pre-push"
    hook.with_name("pre-push.before-nyl").symlink_to("pre-push")
    tip = hooked.unit("more").commit(push=False)
    went, said = push(hooked, "HEAD:main")
    assert (went, said.count(f"at {tip[:12]} for refs/heads/main: valid")) == (True, 2)


def test_a_push_without_nyl_is_not_left_unchecked(hooked: World) -> None:
    hook = hooked.root / ".git" / "hooks" / "pre-push"
    hook.write_text(hook.read_text().replace("python=/", "python=/nowhere/"))
    hooked.commit(push=False)
    alone = {"PATH": "/usr/bin:/bin"}
    went, said = push(hooked, "HEAD:main", environ=alone)
    assert (went, "no nyl on PATH" in said, "--no-verify" in said) == (False, True, True)
    assert push(hooked, "--no-verify", "HEAD:main", environ=alone)[0]
    hooked.commit(push=False)
    assert push(hooked, "HEAD:main")[0]


def test_it_runs_once_and_talks_to_no_remote(hooked: World) -> None:
    recorder = GitRecorder.install(hooked.tmp / "recorder")
    hooked.unit("more").commit(push=False)
    went, said = push(hooked, "HEAD:main", environ=recorder.environ(hooked.environ["PATH"]))
    assert (went, said.count("nyl: ")) == (True, 1)
    assert recorder.round_trips() == ["push"]
    assert len(recorder.calls()) <= 5


def call(world: World, told: str, *, environ: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """The hook, called as Git calls it."""
    return subprocess.run(
        [world.root / ".git" / "hooks" / "pre-push", "origin", str(world.origin)],
        cwd=world.root,
        env=world.environ | dict(environ or {}),
        input=told,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


@pytest.mark.parametrize(
    ("told", "code", "said"),
    [
        ("", 0, "nyl: checked no project, as nothing is pushed\n"),
        (f"(delete) {'0' * 40} refs/heads/x {'1' * 40}\n", 0, "nyl: checked no project, as the push only deletes\n"),
        (f"HEAD~1 {'1' * 40} refs/heads/x\n", 1, "error NYL-PUSH-INPUT\n"),
    ],
)
def test_what_needs_no_project_loads_none(hooked: World, told: str, code: int, said: str) -> None:
    hooked.write("nyl.toml", "[broken")
    done = call(hooked, told, environ={"PYTHONPROFILEIMPORTTIME": "1"})
    spoken = [line for line in done.stderr.splitlines(keepends=True) if not line.startswith("import time:")]
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert (done.returncode, spoken[0]) == (code, said)
    assert not imported & {"yaml", "jinja2", "jsonschema", "rich", "requests", "nyl.engine.project_check"}


def test_what_was_checked_before_costs_no_parser(hooked: World) -> None:
    hooked.unit("more").commit(push=False)
    told = f"HEAD {hooked.git('rev-parse', 'HEAD')} refs/heads/main {hooked.git('rev-parse', 'HEAD~1')}\n"
    assert call(hooked, told).returncode == 0
    again = call(hooked, told, environ={"PYTHONPROFILEIMPORTTIME": "1"})
    imported = {line.rpartition("|")[2].strip() for line in again.stderr.splitlines()}
    assert again.stderr.endswith("valid\n")
    assert not imported & {"yaml", "jinja2", "jsonschema", "rich", "requests", "nyl.engine.results"}


def test_a_hostile_configuration_delays_and_changes_nothing(hooked: World) -> None:
    tip = hooked.unit("more").commit(push=False)
    line = f"refs/heads/main {tip} refs/heads/main {hooked.git('rev-parse', 'HEAD~1')}\n"
    hostile = HostileGit.configure(hooked.environ, hooked.tmp / "hostile")
    done = call(hooked, line)
    assert (done.returncode, "valid" in done.stderr) == (0, True), done.stderr
    assert hostile.caught() == []


@pytest.mark.parametrize(("blocks", "leaves", "goes"), [(False, True, True), (True, True, False), (True, False, True)])
def test_plans_are_shown_and_block_only_where_units_leave_and_that_is_asked_for(
    hooked: World, blocks: bool, leaves: bool, goes: bool
) -> None:
    hooked.initialise().reconcile()
    hooked.write("nyl.toml", f"[hooks]\nplan = ['dev']\nblock_on_leaving = {str(blocks).lower()}\n")
    if leaves:
        hooked.remove("units/migrate.yaml")
    hooked.unit("extra").commit(push=False)
    went, said = push(hooked, "HEAD:main")
    assert went is goes
    assert [line.split()[1:3] for line in said.splitlines() if line.startswith("extra")] == [["Command", "execute"]]
    assert ("dev/migrate would leave" in said) is (not goes)


def test_an_unknown_environment_keeps_no_other_from_blocking(hooked: World) -> None:
    hooked.initialise().reconcile()
    hooked.write("nyl.toml", "[hooks]\nplan = ['gone', 'dev']\nblock_on_leaving = true\n")
    hooked.remove("units/migrate.yaml").commit(push=False)
    went, said = push(hooked, "HEAD:main")
    assert (went, "dev/migrate would leave" in said, "There is no Environment gone" in said) == (False, True, True)


def test_a_plan_that_cannot_be_made_blocks_nothing(hooked: World) -> None:
    hooked.write("nyl.toml", "[hooks]\nplan = ['dev', 'prod']\nblock_on_leaving = true\n").commit(push=False)
    went, said = push(hooked, "HEAD:main")
    assert (went, "warning NYL-ENVIRONMENT-UNKNOWN" in said) == (True, True)
