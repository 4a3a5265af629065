"""Runs page, Waves: order, parallelism, checkouts, failures, the lease."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.world import World


def until(holds: Callable[[], bool], seconds: float = 20.0) -> None:
    """Waits until something holds."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def gated(world: World, name: str, **spec: object) -> Path:
    """Declares a unit that says when it has started, and goes on when the file that this gives is gone."""
    gate = world.tmp / f"gate-{name}"
    gate.touch()
    world.unit(name, script=f"while [ -e '{gate}' ]; do sleep 0.05; done", **spec)
    return gate


def test_independent_units_run_in_parallel(world: World) -> None:
    world.environment()
    for name, other in (("a", "b"), ("b", "a")):
        meet = f"touch '{world.tmp}/{name}'; while [ ! -e '{world.tmp}/{other}' ]; do sleep 0.02; done"
        world.unit(name, script=meet, timeout="20s")
    assert world.initialise().reconcile().verdicts() == {"a": "executed", "b": "executed"}


@pytest.mark.parametrize("limit", ["option", "project"])
def test_concurrency_bounds_how_many_run_at_once(world: World, limit: str) -> None:
    world.write("nyl.toml", "[orchestration]\nconcurrency = 1\n" if limit == "project" else "").environment()
    for name in ("a", "b", "c"):
        world.unit(name, script=f"mkdir '{world.tmp}/alone'; sleep 0.1; rmdir '{world.tmp}/alone'")
    arguments = ["--concurrency", "1"] if limit == "option" else []
    assert set(world.initialise().reconcile(*arguments).verdicts().values()) == {"executed"}


def test_a_unit_sees_exactly_a_fresh_checkout(world: World) -> None:
    dirt = "echo x >> tracked.txt; echo y > left.txt; mkdir .nyl; echo z > .nyl/z; rm scripts/a.sh; chmod +x nyl.toml"
    clean = 'test "$(cat tracked.txt)" = kept; test ! -e left.txt; test ! -e .nyl/z; test ! -x nyl.toml'
    world.environment().write("tracked.txt", "kept\n")
    world.unit("a", script=dirt).unit("b", script=clean, dependsOn=["a"]).initialise()
    assert world.reconcile("--concurrency", "1").verdicts() == {"a": "executed", "b": "executed"}


def test_units_never_work_in_the_users_checkout(world: World) -> None:
    world.environment().unit("a", script='pwd > "$NYL_OUTPUTS.place"; echo dirt > dirt.txt').initialise()
    world.reconcile()
    assert world.git("status", "--porcelain") == ""


def test_a_failure_does_not_stop_units_that_do_not_depend_on_it(world: World) -> None:
    world.environment().unit("a", script="exit 1").unit("b").unit("c", dependsOn=["a"]).unit("d", dependsOn=["b"])
    world.initialise()
    ended = world.reconcile(exits=3)
    assert ended.verdicts() == {"a": "failed", "b": "executed", "c": "blocked", "d": "executed"}


def test_fail_fast_starts_nothing_after_the_first_failure(world: World) -> None:
    world.environment().unit("a", script="exit 1").unit("b", dependsOn=["first"]).unit("first").initialise()
    ended = world.reconcile("--fail-fast", "--concurrency", "1", exits=3)
    assert ended.verdicts()["a"] == "failed"
    stopped = [unit for unit in ended.environment()["units"].values() if unit["result"] == "blocked"]
    assert stopped
    assert all("--fail-fast stopped the run after a" in unit["detail"] + unit["reason"] for unit in stopped)
    assert "NYL-RUN-STOPPED" in ended.codes
    assert "a" in world.message()


def test_fail_fast_lets_running_units_finish_and_records_them(world: World) -> None:
    world.environment()
    gate = gated(world, "slow")
    world.unit("a", script=f"while ! grep -q slow '{world.log}'; do sleep 0.02; done; rm '{gate}'; exit 1").initialise()
    assert world.reconcile("--fail-fast", exits=3).verdicts() == {"a": "failed", "slow": "executed"}
    assert world.stored("observed/units/slow.yaml")["receipt"]


def test_a_non_retryable_failure_waits(world: World) -> None:
    world.environment().unit("a", script="exit 1").initialise()
    world.reconcile(exits=3)
    again = world.forget().reconcile(exits=3)
    assert (again.verdicts(), world.ran()) == ({"a": "failed"}, [])


def test_a_retryable_failure_runs_again_at_the_next_reconcile(world: World) -> None:
    world.environment().unit("a", script=f"test -e '{world.tmp}/ready'", idempotent=True).initialise()
    assert world.reconcile(exits=3).unit("a")["retryable"] is True
    (world.tmp / "ready").touch()
    assert world.reconcile().verdicts() == {"a": "executed"}
    assert "condition" not in world.stored("observed/units/a.yaml")


def test_a_unit_killed_by_a_signal_is_uncertain_and_waits(world: World) -> None:
    world.environment().unit("a", script="kill -9 $$").initialise()
    assert world.reconcile(exits=4).verdicts() == {"a": "uncertain"}
    again = world.forget().reconcile(exits=4)
    assert (again.verdicts(), world.ran()) == ({"a": "uncertain"}, [])


def test_an_uncertain_unit_whose_kind_converges_runs_again(world: World) -> None:
    world.environment().unit("a", script=f"test -e '{world.tmp}/ready' || kill -9 $$", idempotent=True).initialise()
    world.reconcile(exits=4)
    (world.tmp / "ready").touch()
    assert world.reconcile().verdicts()["a"] in ("executed", "recovered")


def test_unit_option_executes_only_the_named_units(world: World) -> None:
    world.environment().unit("a").unit("b").unit("c", dependsOn=["b"]).initialise()
    ended = world.reconcile("--unit", "a", exits=None)
    assert world.ran() == ["a"]
    assert ended.verdicts()["a"] == "executed"


def test_a_named_unit_whose_dependency_has_no_receipt_stays_blocked(world: World) -> None:
    world.environment().unit("b").unit("c", dependsOn=["b"]).initialise()
    ended = world.reconcile("--unit", "c", exits=2)
    assert (ended.verdicts()["c"], world.ran()) == ("blocked", [])


def test_an_unknown_unit_is_an_error(pair: World) -> None:
    assert "NYL-UNIT-UNKNOWN" in pair.reconcile("--unit", "nobody", exits=1).codes


def test_a_second_run_finds_the_lease_held(world: World) -> None:
    world.environment()
    gate = gated(world, "slow")
    world.initialise()
    first = world.start("reconcile", "-e", "dev")
    until(lambda: world.ran() == ["slow"])
    refused = world.nyl("reconcile", "-e", "dev", exits=2)
    assert "NYL-LEASE-HELD" in refused.stderr
    assert "is held by run" in refused.stderr
    gate.unlink()
    assert first.wait(30) == 0
    assert world.ran() == ["slow"]


def test_wait_lease_waits_for_the_other_run(world: World) -> None:
    world.environment()
    gate = gated(world, "slow")
    world.initialise()
    first = world.start("reconcile", "-e", "dev")
    until(lambda: world.ran() == ["slow"])
    second = world.start("reconcile", "-e", "dev", "--wait-lease", "30s")
    assert second.stderr is not None
    assert any("waiting for run" in line for line in second.stderr)
    assert second.poll() is None
    gate.unlink()
    assert (first.wait(30), second.wait(30)) == (0, 0)
    assert world.ran() == ["slow"]


def test_while_a_run_works_its_lease_and_run_ref_are_there(world: World) -> None:
    world.environment()
    gate = gated(world, "slow")
    world.initialise()
    running = world.start("reconcile", "-e", "dev")
    until(lambda: world.ran() == ["slow"])
    coordination = [ref for ref in world.refs() if ref.startswith("refs/nyl/dev/")]
    assert coordination[0] == "refs/nyl/dev/lease"
    assert any(ref.startswith("refs/nyl/dev/runs/") for ref in coordination)
    assert "slow" in world.git("grep", "-h", "slow", "refs/nyl/dev/lease", cwd=world.origin)
    gate.unlink()
    assert running.wait(30) == 0


def test_a_killed_run_makes_the_next_one_refuse(world: World) -> None:
    world.environment().unit("a")
    gated(world, "slow")
    world.initialise()
    killed = world.start("reconcile", "-e", "dev")
    until(lambda: set(world.ran()) == {"a", "slow"})
    os.killpg(killed.pid, signal.SIGKILL)
    killed.wait(20)
    before = world.refs()
    refused = world.nyl("reconcile", "-e", "dev", exits=2)
    assert "NYL-LEASE-HELD" in refused.stderr or "NYL-RUN-UNIMPORTED" in refused.stderr
    assert world.refs() == before
    (world.tmp / "gate-slow").unlink()


def test_a_project_in_a_subfolder_works(tmp_path: Path) -> None:
    world = World(tmp_path, folder="deploy/shop").pair().initialise()
    assert world.reconcile().verdicts() == {"database": "executed", "migrate": "executed"}


def test_a_repository_without_origin_holds_its_own_state(tmp_path: Path) -> None:
    world = World(tmp_path, remote=False).pair().initialise()
    assert world.reconcile().verdicts() == {"database": "executed", "migrate": "executed"}
    assert set(world.state_refs()) == {"refs/heads/nyl/dev/desired", "refs/heads/nyl/dev/observed"}
    assert world.git("status", "--porcelain") == ""
