"""Spec of nyl state forget, move, delete and init --fresh on whole projects."""

import shutil

from tests.support.git_processes import GitRecorder
from tests.support.world import World

NAME = "refs/heads/nyl/dev"


def test_a_forgotten_unit_leaves_no_file_and_keeps_its_resources(reconciled: World) -> None:
    reconciled.unit("kept", deletionPolicy="Retain").commit()
    reconciled.reconcile()
    refused = reconciled.nyl("state", "forget", "-e", "dev", "--unit", "kept", exits=1)
    assert "error NYL-STATE-IN-USE (kept)" in refused.stderr
    reconciled.remove("units/kept.yaml").commit()
    reconciled.reconcile()
    recorder = GitRecorder.install(reconciled.tmp / "recorder")
    around = recorder.environ(reconciled.environ["PATH"])
    ended = reconciled.nyl("state", "forget", "-e", "dev", "--unit", "kept", environ=around)
    assert ended.stdout.startswith("state-forget dev: done\n  desired: ")
    assert "warning NYL-UNIT-RELEASED (kept)" in ended.stderr
    assert recorder.round_trips() == ["push", "fetch", "push"]
    shown = reconciled.nyl("state", "show", "-e", "dev").stdout
    assert "units/kept.yaml" not in shown
    assert reconciled.message("desired").startswith("nyl: state forget dev (1 forgotten)")
    reconciled.nyl("state", "check", "-e", "dev")


def test_a_state_with_incarnations_is_not_deleted(reconciled: World) -> None:
    before = reconciled.refs()
    refused = reconciled.nyl("state", "delete", "-e", "dev", exits=1)
    assert "error NYL-STATE-IN-USE" in refused.stderr
    assert "2 incarnation(s): database, migrate" in refused.stderr
    assert "nyl teardown -e dev --all" in refused.stderr
    assert reconciled.refs() == before


def test_a_deleted_state_can_begin_anew(pair: World) -> None:
    ended = pair.nyl("state", "delete", "-e", "dev")
    assert ended.stdout.startswith("state-delete dev: done\n")
    assert "NYL-STATE-MISSING" in pair.nyl("plan", "-e", "dev", exits=1).stderr
    assert "--fresh" in pair.nyl("state", "init", "-e", "dev", exits=1).stderr
    pair.nyl("state", "init", "-e", "dev", "--fresh")
    assert pair.reconcile().verdicts() == {"database": "executed", "migrate": "executed"}


def test_a_whole_environment_can_be_torn_down_and_its_state_deleted(reconciled: World) -> None:
    ended = reconciled.nyl("state", "delete", "-e", "dev", "--teardown")
    assert ended.stdout.startswith("state-delete dev: done\n")
    assert "NYL-STATE-MISSING" in reconciled.nyl("plan", "-e", "dev", exits=1).stderr


def moved(world: World) -> str:
    """Another repository, where `dev` is to keep its state from now on; the project is committed."""
    other = world.tmp / "state.git"
    world.git("init", "-q", "--bare", other, cwd=world.tmp)
    world.write("repositories/state.yaml", _repository(f"file://{other}"))
    world.environment("dev", values={"size": "small"}, state={"repositoryRef": {"name": "state"}})
    world.commit("Keep state elsewhere")
    return f"file://{other}"


def _repository(url: str) -> str:
    return f"apiVersion: gitops.nyl/v1\nkind: GitRepository\nmetadata: {{name: state}}\nspec: {{repoURL: '{url}'}}\n"


def test_a_moved_state_goes_on_at_its_new_place_with_its_history(reconciled: World) -> None:
    old = reconciled.git("rev-parse", "HEAD")
    tips = (reconciled.state("desired"), reconciled.state("observed"))
    moved(reconciled)
    ended = reconciled.nyl("state", "move", "-e", "dev", "--from", f"file://{reconciled.origin}")
    assert ended.stdout.startswith("state-move dev: done\n")
    assert reconciled.reconcile().verdicts() == {"database": "current", "migrate": "current"}
    assert reconciled.ran() == []
    reconciled.nyl("state", "check", "-e", "dev")
    other = reconciled.tmp / "state.git"
    for ref, tip in zip(("desired", "observed"), tips, strict=True):
        assert reconciled.git("rev-parse", f"{NAME}/{ref}^", cwd=other) == tip
    reconciled.git("checkout", "-q", old)
    stopped = reconciled.nyl("reconcile", "-e", "dev", exits=1)
    assert "error NYL-STATE-MOVED" in stopped.stderr
    assert str(other) in stopped.stderr


def test_a_move_that_was_interrupted_goes_on(reconciled: World) -> None:
    moved(reconciled)
    source, other = reconciled.origin, reconciled.tmp / "state.git"
    hook = source / "hooks/update"
    hook.write_text('#!/bin/sh\ncase "$1" in refs/heads/nyl/*) exit 1;; esac\n')
    hook.chmod(0o755)
    reconciled.nyl("state", "move", "-e", "dev", "--from", f"file://{source}", exits=1)
    arrived = reconciled.git("rev-parse", f"{NAME}/desired", cwd=other)
    hook.unlink()
    reconciled.nyl("state", "move", "-e", "dev", "--from", f"file://{source}")
    assert reconciled.git("rev-parse", f"{NAME}/desired", cwd=other) == arrived
    assert not [ref for ref in reconciled.refs() if ref.endswith("/lease")]


def test_a_state_moves_to_a_mirror_that_has_it_already_up_to_date_or_not(reconciled: World) -> None:
    moved(reconciled)
    other = reconciled.tmp / "state.git"
    shutil.rmtree(other)
    shutil.copytree(reconciled.origin, other)
    command = ("state", "move", "-e", "dev", "--from", f"file://{reconciled.origin}")
    reconciled.git("worktree", "add", "-q", str(reconciled.tmp / "old"), "HEAD~1")
    reconciled.nyl("hold", "-e", "dev", "--unit", "migrate", cwd=reconciled.tmp / "old")
    tips = (reconciled.state("desired"), reconciled.state("observed"))
    reconciled.nyl(*command)
    for ref, tip in zip(("desired", "observed"), tips, strict=True):
        assert reconciled.git("rev-parse", f"{NAME}/{ref}^", cwd=other) == tip
    reconciled.nyl("state", "check", "-e", "dev")
    assert reconciled.reconcile(exits=(0, 2)).verdicts() == {"database": "current", "migrate": "held"}
    assert "NYL-STATE-MOVED" in reconciled.nyl("plan", "-e", "dev", cwd=reconciled.tmp / "old", exits=1).stderr
    assert "NYL-STATE-MOVED" in reconciled.nyl(*command, exits=1).stderr


def test_a_copy_of_a_state_at_which_somebody_worked_is_not_overwritten(reconciled: World) -> None:
    moved(reconciled)
    other = reconciled.tmp / "state.git"
    shutil.rmtree(other)
    shutil.copytree(reconciled.origin, other)
    reconciled.nyl("hold", "-e", "dev", "--unit", "database")
    held = reconciled.git("rev-parse", f"{NAME}/desired", cwd=other)
    reconciled.git("worktree", "add", "-q", str(reconciled.tmp / "old"), "HEAD~1")
    reconciled.nyl("hold", "-e", "dev", "--unit", "migrate", cwd=reconciled.tmp / "old")
    before = reconciled.refs()
    told = reconciled.nyl("state", "move", "-e", "dev", "--from", f"file://{reconciled.origin}", exits=1).stderr
    assert "error NYL-STATE-EXISTS" in told
    assert (reconciled.git("rev-parse", f"{NAME}/desired", cwd=other), reconciled.refs()) == (held, before)


def test_a_url_that_holds_no_state_is_refused(reconciled: World) -> None:
    moved(reconciled)
    empty = reconciled.tmp / "empty.git"
    shutil.copytree(reconciled.tmp / "state.git", empty)
    refused = reconciled.nyl("state", "move", "-e", "dev", "--from", f"file://{empty}", exits=1)
    assert "error NYL-STATE-MISSING" in refused.stderr
