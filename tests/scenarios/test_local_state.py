"""Working on the local copy of a state, publishing it, and dropping it."""

import shutil
import signal
from pathlib import Path

import pytest

from tests.support import declarations
from tests.support.deaths import kill
from tests.support.world import World


@pytest.fixture
def offline(reconciled: World) -> World:
    """The reconciled pair with one more unit, which a local run executed while the remote could not be reached."""
    reconciled.unit("third", idempotent=True).commit()
    reconciled.git("fetch", "-q")
    away = reconciled.origin.rename(reconciled.tmp / "away.git")
    assert reconciled.reconcile("--local").verdicts()["third"] == "executed"
    away.rename(reconciled.origin)
    return reconciled


def local_refs(world: World) -> set[str]:
    """The refs of dev in the repository itself."""
    names = world.git("for-each-ref", "--format=%(refname)", "refs/heads/nyl/dev", "refs/nyl/dev").splitlines()
    return set(names)


def left_running(world: World, unit: str) -> str:
    """Kills a local run while a unit of it executes, breaks its lease, and gives the run."""
    gate = world.tmp / "gate"
    world.unit(unit, script=f"touch {gate}; sleep 60", idempotent=False).commit()
    process = world.start("reconcile", "-e", "dev", "--local", "--approve", unit)
    while not gate.exists():
        assert process.poll() is None
    kill(process)
    broken = world.report("lease", "break", "-e", "dev", "--local", "--reason", "killed").json["details"]["broken"]
    return str(broken).removeprefix("run ")


def test_a_local_run_needs_no_remote_and_leaves_it_alone(reconciled: World) -> None:
    reconciled.unit("third", idempotent=True).commit()
    before = reconciled.refs()
    away = reconciled.origin.rename(reconciled.tmp / "away.git")
    assert reconciled.plan("--local").verdicts()["third"] == "execute"
    assert reconciled.reconcile("--local").verdicts()["third"] == "executed"
    assert reconciled.reconcile("--local").verdicts()["third"] == "current"
    reconciled.report("status", "-e", "dev", "--local")
    reconciled.nyl("history", "-e", "dev", "--local")
    reconciled.nyl("get", "output", "database/host", "-e", "dev", "--local")
    away.rename(reconciled.origin)
    assert reconciled.refs() == before
    assert reconciled.ran() == ["third"]


def test_planning_locally_writes_nothing(reconciled: World) -> None:
    reconciled.unit("third", idempotent=True).commit()
    reconciled.plan("--local")
    assert local_refs(reconciled) == set()


def test_local_commits_say_that_they_are_local(offline: World) -> None:
    message = offline.git("log", "-1", "--format=%B", "refs/heads/nyl/dev/observed")
    assert "Nyl-Local: true" in message
    assert "Nyl-Local" not in offline.message()


ONLINE = (
    *("reconcile", "plan", "status", "history", "verify", "recover", "state delete"),
    *(f"{command} --unit third" for command in ("hold", "resume", "teardown", "state forget")),
    "recover --unit third --retry --reason checked",
)


def test_online_commands_refuse_while_local_work_is_not_published(offline: World) -> None:
    before, local = offline.refs(), offline.git("for-each-ref", "refs/heads/nyl", "refs/nyl")
    for words in ONLINE:
        refused = offline.report(*words.split(), "-e", "dev", exits=1)
        (fix,) = {each["fix"] for each in refused.diagnostics if each["code"] == "NYL-STATE-UNPUBLISHED"}
        assert "nyl state publish -e dev" in fix, words
        assert "nyl state reset -e dev --reason" in fix, words
    assert (offline.refs(), offline.git("for-each-ref", "refs/heads/nyl", "refs/nyl")) == (before, local)


def test_published_work_is_everybodys(offline: World) -> None:
    local = offline.git("rev-parse", "refs/heads/nyl/dev/observed")
    published = offline.report("state", "publish", "-e", "dev")
    assert published.json["details"]["observed"] == local == offline.state()
    assert local_refs(offline) == set()
    assert not [ref for ref in offline.refs() if ref.startswith("refs/nyl/")]
    other = offline.clone("other")
    assert offline.forget().reconcile(cwd=other).verdicts()["third"] == "current"
    assert offline.reconcile().verdicts()["third"] == "current"
    assert offline.report("state", "publish", "-e", "dev").json["details"] == {"commits": 0}


def test_work_on_a_commit_that_nobody_pushed_is_published_with_a_warning(offline: World) -> None:
    offline.unit("fourth", idempotent=True).commit(push=False)
    offline.reconcile("--local")
    assert "NYL-SOURCE-UNREACHABLE" in offline.report("state", "publish", "-e", "dev").codes


def test_a_remote_that_moved_takes_nothing_and_nothing_is_lost(offline: World) -> None:
    other = offline.clone("other")
    offline.reconcile(cwd=other)
    before, local = offline.refs(), offline.git("for-each-ref", "refs/heads/nyl", "refs/nyl")
    refused = offline.report("state", "publish", "-e", "dev", exits=1)
    assert "NYL-STATE-UNPUBLISHED" in refused.codes
    assert "nyl state reset -e dev" in refused.diagnostics[0]["fix"]
    assert offline.refs() == before
    assert offline.git("for-each-ref", "refs/heads/nyl", "refs/nyl") == local


def test_a_reset_drops_the_work_and_keeps_its_commits(offline: World) -> None:
    local = offline.git("rev-parse", "refs/heads/nyl/dev/observed")
    details = offline.report("state", "reset", "-e", "dev", "--reason", "only tried").json["details"]
    assert details["units"] == ["third"]
    assert local_refs(offline) == set()
    assert local in offline.git("rev-list", details["kept"]).split()
    assert "only tried" in offline.git("log", "-1", "--format=%B", details["kept"])
    assert offline.reconcile().verdicts()["third"] == "executed"
    assert offline.reconcile("--local").verdicts()["third"] == "current"


def test_a_branch_that_was_only_looked_at_is_no_work(reconciled: World) -> None:
    reconciled.git("fetch", "-q")
    for name in ("desired", "observed"):
        reconciled.git("branch", "-q", f"nyl/dev/{name}", f"origin/nyl/dev/{name}")
    reconciled.unit("third", idempotent=True).commit()
    assert reconciled.reconcile().verdicts()["third"] == "executed"
    reconciled.unit("fourth", idempotent=True).commit()
    assert reconciled.reconcile("--local").verdicts() == {
        "database": "current",
        "migrate": "current",
        "third": "current",
        "fourth": "executed",
    }
    reconciled.nyl("state", "publish", "-e", "dev")
    assert reconciled.reconcile().verdicts()["fourth"] == "current"


def test_a_clone_that_never_read_the_state_begins_at_what_git_fetched(reconciled: World) -> None:
    other = reconciled.clone("other")
    reconciled.origin.rename(reconciled.tmp / "away.git")
    assert set(reconciled.reconcile("--local", cwd=other).verdicts().values()) == {"current"}
    assert reconciled.ran() == []


def test_a_branch_that_is_checked_out_is_not_moved(reconciled: World) -> None:
    reconciled.git("fetch", "-q")
    looking = reconciled.tmp / "looking"
    reconciled.git("worktree", "add", "-q", looking, "nyl/dev/observed")
    reconciled.unit("third", idempotent=True).commit()
    refused = reconciled.reconcile("--local", exits=1)
    assert "NYL-PUSH-REFUSED" in refused.codes
    assert f"git -C {looking} switch --detach" in refused.diagnostics[0]["fix"]
    assert reconciled.ran() == []
    assert reconciled.reconcile().verdicts()["third"] == "executed"
    assert reconciled.git("status", "--porcelain", cwd=looking) == ""
    reconciled.git("switch", "-q", "--detach", cwd=looking)
    reconciled.reconcile("--local")


def test_linked_worktrees_share_the_local_copy(offline: World) -> None:
    linked = offline.tmp / "linked"
    offline.git("worktree", "add", "-q", "--detach", linked)
    assert "NYL-STATE-UNPUBLISHED" in offline.report("status", "-e", "dev", exits=1, cwd=linked).codes
    assert offline.forget().reconcile("--local", cwd=linked).verdicts()["third"] == "current"
    offline.nyl("state", "publish", "-e", "dev", cwd=linked)
    assert offline.reconcile().verdicts()["third"] == "current"


def test_a_killed_local_run_is_taken_over_by_the_next_local_run(reconciled: World) -> None:
    run = left_running(reconciled, "slow")
    taken = reconciled.reconcile("--local", exits=4)
    assert taken.verdicts()["slow"] == "uncertain"
    assert run in taken.unit("slow")["detail"]
    assert local_refs(reconciled) == {"refs/heads/nyl/dev/desired", "refs/heads/nyl/dev/observed"}
    reconciled.nyl("state", "publish", "-e", "dev")
    assert reconciled.report("status", "-e", "dev", exits=4).verdicts()["slow"] == "uncertain"


def test_what_a_killed_local_run_left_stops_online_runs_too(reconciled: World) -> None:
    left_running(reconciled, "slow")
    before = reconciled.refs()
    assert "NYL-STATE-UNPUBLISHED" in reconciled.reconcile(exits=1).codes
    assert "NYL-LEASE-BROKEN" in reconciled.report("state", "publish", "-e", "dev", exits=2).codes
    assert reconciled.refs() == before


def test_what_a_cancelled_local_run_left_is_published_for_the_next_run(reconciled: World) -> None:
    gate = reconciled.tmp / "gate"
    reconciled.unit("slow", script=f"touch {gate}; sleep 60").unit("quick", idempotent=True).commit()
    process = reconciled.start("reconcile", "-e", "dev", "--local", "--approve", "slow")
    while not gate.exists() or "quick" not in reconciled.ran():
        assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    assert process.wait() == 4
    assert "NYL-STATE-UNPUBLISHED" in reconciled.reconcile(exits=1).codes
    published = reconciled.report("state", "publish", "-e", "dev")
    assert "NYL-RUN-UNIMPORTED" in published.codes
    assert local_refs(reconciled) == set()
    assert reconciled.forget().reconcile(exits=4).verdicts()["slow"] == "uncertain"
    assert "slow" not in reconciled.ran()
    assert not [ref for ref in reconciled.refs() if ref.startswith("refs/nyl/")]


def test_nothing_is_published_under_a_run_of_the_remote(offline: World) -> None:
    other, gate = offline.clone("other"), offline.tmp / "gate"
    script = f"#!/bin/sh\ntouch {gate}\nwhile test -e {gate}; do sleep 0.1; done\n"
    (other / "scripts/third.sh").write_text(script)
    offline.git("commit", "-qam", "Wait", cwd=other)
    offline.git("push", "-q", "origin", "HEAD:main", cwd=other)
    process = offline.start("reconcile", "-e", "dev", cwd=other)
    while not gate.exists():
        assert process.poll() is None
    before = offline.refs()
    assert "NYL-LEASE-HELD" in offline.report("state", "publish", "-e", "dev", exits=2).codes
    assert offline.refs() == before
    gate.unlink()
    assert process.wait() == 0
    assert "NYL-STATE-UNPUBLISHED" in offline.report("state", "publish", "-e", "dev", exits=1).codes


def test_local_fixes_go_on_locally(reconciled: World) -> None:
    reconciled.unit("careful").commit()
    waiting = reconciled.reconcile("--local", exits=2)
    assert waiting.verdicts()["careful"] == "awaiting-approval"
    assert "nyl reconcile -e dev --approve careful --local`" in waiting.diagnostics[0]["fix"]
    assert reconciled.reconcile("--local", "--approve", "careful").verdicts()["careful"] == "executed"


def test_a_unit_is_recovered_locally(reconciled: World) -> None:
    left_running(reconciled, "slow")
    reconciled.report("recover", "-e", "dev", "--local")
    reconciled.nyl("recover", "-e", "dev", "--unit", "slow", "--retry", "--reason", "looked", "--local")
    reconciled.unit("slow").commit()
    assert reconciled.reconcile("--local", "--approve", "slow").verdicts()["slow"] == "executed"
    assert "Nyl-Local: true" in reconciled.git("log", "-1", "--format=%B", "refs/heads/nyl/dev/observed")


def test_a_new_state_can_begin_locally(world: World) -> None:
    world.environment().unit("only", idempotent=True).commit()
    assert "NYL-STATE-MISSING" in world.reconcile("--local", exits=1).codes
    world.nyl("state", "init", "-e", "dev", "--local")
    world.reconcile("--local")
    assert "NYL-STATE-UNPUBLISHED" in world.report("state", "init", "-e", "dev", exits=1).codes
    world.nyl("state", "publish", "-e", "dev")
    assert set(world.reconcile().verdicts().values()) == {"current"}


def test_a_local_init_does_not_hide_a_state_that_was_seen(reconciled: World) -> None:
    refused = reconciled.report("state", "init", "-e", "dev", "--local", exits=1)
    assert "NYL-STATE-EXISTS" in refused.codes


def test_environments_on_shared_refs_are_published_and_dropped_together(world: World) -> None:
    shared = {"desiredRef": "nyl/state", "observedRef": "nyl/state"}
    for name in ("dev", "staging"):
        world.environment(name, state={**shared, "path": name})
    world.unit("only", idempotent=True).initialise("dev", "staging")
    world.reconcile("-e", "dev", "-e", "staging", "--local")
    refused = world.report("state", "reset", "-e", "dev", "--reason", "x", exits=1)
    assert "NYL-STATE-IN-USE" in refused.codes
    assert "-e dev -e staging" in refused.diagnostics[0]["fix"]
    world.nyl("state", "reset", "-e", "dev", "-e", "staging", "--reason", "only tried")
    world.forget().reconcile("-e", "staging", "--local")
    assert "NYL-STATE-UNPUBLISHED" in world.report("status", "-e", "dev", exits=1).codes
    world.nyl("state", "publish", "-e", "dev")
    assert set(world.reconcile("-e", "staging").verdicts("staging").values()) == {"current"}


def test_local_work_on_another_repository_outlives_the_cache(tmp_path: Path) -> None:
    world = World(tmp_path)
    elsewhere = tmp_path / "state.git"
    world.git("init", "-q", "--bare", elsewhere, cwd=tmp_path)
    url = {"repoURL": f"file://{elsewhere}"}
    world.write("platform.yaml", declarations.resource("gitops.nyl/v1", "GitRepository", "platform", url))
    world.environment("dev", state={"repositoryRef": {"name": "platform"}}).unit("only", idempotent=True).initialise()
    away = elsewhere.rename(tmp_path / "away.git")
    assert world.reconcile("--local").verdicts() == {"only": "executed"}
    shutil.rmtree(world.root / ".nyl")
    assert world.reconcile("--local").verdicts() == {"only": "current"}
    away.rename(elsewhere)
    assert "NYL-STATE-UNPUBLISHED" in world.reconcile(exits=1).codes
    world.nyl("state", "publish", "-e", "dev")
    assert world.reconcile().verdicts() == {"only": "current"}
    assert world.ran() == ["only"]


def test_without_a_remote_there_is_only_one_copy(tmp_path: Path) -> None:
    world = World(tmp_path, remote=False).environment().unit("only", idempotent=True).initialise()
    assert set(world.reconcile("--local").verdicts().values()) == {"executed"}
    assert "Nyl-Local" not in world.message()
    assert set(world.reconcile().verdicts().values()) == {"current"}
    assert world.report("state", "publish", "-e", "dev").json["details"] == {"commits": 0}


def test_everything_that_writes_state_can_be_done_locally(reconciled: World) -> None:
    step = {"command": ["true"]}
    reconciled.unit("cache", idempotent=True, teardown=step, verify=["sh", "-c", "exit 2"]).commit()
    before = reconciled.refs()
    away = reconciled.origin.rename(reconciled.tmp / "away.git")
    reconciled.reconcile("--local")
    reconciled.nyl("verify", "-e", "dev", "--local", exits=3)
    reconciled.nyl("hold", "-e", "dev", "--unit", "cache", "--local")
    assert reconciled.report("status", "-e", "dev", "--local", exits=2).verdicts()["cache"] == "held"
    reconciled.nyl("resume", "-e", "dev", "--unit", "cache", "--local")
    assert reconciled.reconcile("--local").verdicts()["cache"] == "executed"
    reconciled.remove("units/cache.yaml").commit(push=False)
    assert reconciled.reconcile("--local", exits=2).verdicts()["cache"] == "pending-teardown"
    reconciled.nyl("teardown", "-e", "dev", "--unit", "cache", "--local")
    away.rename(reconciled.origin)
    assert reconciled.refs() == before
    commits = reconciled.git("log", "--format=%B", f"{before['refs/heads/nyl/dev/observed']}..nyl/dev/observed")
    assert commits.count("Nyl-Local: true") == commits.count("Nyl-Run-Id:") >= 4
    reconciled.nyl("state", "publish", "-e", "dev")
    reconciled.nyl("state", "check", "-e", "dev")


def test_a_move_leaves_no_local_work_behind(offline: World) -> None:
    elsewhere = offline.tmp / "state.git"
    offline.git("init", "-q", "--bare", elsewhere, cwd=offline.tmp)
    url = {"repoURL": f"file://{elsewhere}"}
    offline.write("platform.yaml", declarations.resource("gitops.nyl/v1", "GitRepository", "platform", url))
    offline.environment("dev", values={"size": "small"}, state={"repositoryRef": {"name": "platform"}}).commit()
    move = ("state", "move", "-e", "dev", "--from", f"file://{offline.origin}")
    assert "NYL-STATE-UNPUBLISHED" in offline.report(*move, exits=1).codes
    assert offline.git("for-each-ref", cwd=elsewhere) == ""
