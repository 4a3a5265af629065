"""`nyl recover`: importing without executing, and decisions about units."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.scenarios.test_takeover import dying_pair, summary
from tests.support import deaths
from tests.support.deaths import die_at
from tests.support.world import World


def record_pushes(world: World) -> Path:
    """Where the remote writes down from now on what is pushed to it."""
    pushed, hook = world.tmp / "pushed", world.origin / "hooks/post-receive"
    hook.write_text(f"#!/bin/sh\ncat >> '{pushed}'\n")
    hook.chmod(0o755)
    return pushed


def test_recover_imports_what_a_dead_run_left_and_executes_nothing(world: World) -> None:
    run = die_at(dying_pair(world, idempotent=True), "database", "migrate")
    before, pushed = world.refs(), record_pushes(world)
    told = world.nyl("recover", "-e", "dev", "--reason", "import the killed run").stdout.splitlines()
    assert told[0] == "recover dev: done"
    assert [line.split(":")[0].strip() for line in told[1:]] == [
        "desired",
        "observed",
        "imported",
        "leaseBroken",
        "recovered",
    ]
    assert (told[3], told[5]) == ('  imported: ["database"]', '  recovered: ["migrate"]')
    assert re.match(r'  leaseBroken: {"at":"[^"]+","by":"[^"]+","reason":"runner was killed"}', told[4])
    assert world.message().startswith("nyl: recover dev (1 imported, 1 uncertain)\n")
    assert "Nyl-Operation: recover" in world.message()
    assert summary(world)["reason"] == "import the killed run"
    for ref in ("refs/heads/nyl/dev/desired", "refs/heads/nyl/dev/observed"):
        assert world.git("rev-list", "--count", f"{before[ref]}..{world.refs()[ref]}", cwd=world.origin) == "1"
    assert {each for each in pushed.read_text().split() if "/runs/" in each} == {f"refs/nyl/dev/runs/{run}"}
    assert (world.ran(), deaths.runs(world), world.state_refs().keys()) == (
        [],
        [],
        {"refs/heads/nyl/dev/desired", "refs/heads/nyl/dev/observed"},
    )
    found = world.reconcile()
    assert found.verdicts() == {"database": "current", "migrate": "recovered"}
    assert run not in world.message()


def test_recover_imports_a_cancelled_run_without_a_break(world: World) -> None:
    dying_pair(world)
    process = deaths.start_until(world, ["database", "migrate"])
    process.terminate()
    assert process.wait(40) == 4
    (run,) = deaths.runs(world)
    status = world.report("status", "-e", "dev", exits=4)
    assert {"NYL-RUN-UNIMPORTED", "NYL-UNIT-UNCERTAIN"} <= status.codes
    refused = world.report("recover", "-e", "dev", "--unit", "migrate", "--retry", "--reason", "x", exits=2)
    assert "NYL-RUN-UNIMPORTED" in refused.codes
    details = world.report("recover", "-e", "dev").json["details"]
    assert (details["imported"], details["recovered"], "leaseBroken" in details) == (["database"], ["migrate"], False)
    assert world.stored("observed/units/migrate.yaml")["condition"]["run"] == run


def test_recover_with_nothing_to_import_writes_nothing(world: World) -> None:
    dying_pair(world).reconcile()
    before = world.state_refs()
    details = world.report("recover", "-e", "dev").json["details"]
    assert (details, world.state_refs()) == ({"imported": [], "recovered": []}, before)


def test_a_retry_lets_the_next_reconcile_execute(world: World) -> None:
    run = die_at(dying_pair(world), "database", "migrate")
    world.reconcile(exits=4)
    before = world.state_refs()
    told = world.nyl("recover", "-e", "dev", "--unit", "migrate", "--retry", "--reason", "checked").stdout.splitlines()
    assert world.state("desired") == before["refs/heads/nyl/dev/desired"]
    parent = world.git("rev-parse", f"{world.state()}^", cwd=world.origin)
    assert parent == before["refs/heads/nyl/dev/observed"]
    reason = f"run {run} was executing it when its lease was broken"
    assert told[0] == "recover dev: done"
    assert told[1] == f"  observed: {world.state()}"
    assert told[2].startswith(f'  condition: {{"reason":"{reason}","run":"{run}","since":"')
    assert told[2].endswith('","state":"uncertain"}')
    assert told[3:] == ["  evidence: []"]
    assert world.ran() == []
    found = world.reconcile()
    assert (found.verdicts(), world.ran()) == ({"database": "current", "migrate": "executed"}, ["migrate"])


def test_a_break_is_recorded_though_its_run_left_nothing_to_import(world: World) -> None:
    waits = f"touch '{world.tmp}/asked'; {deaths.waits(world)}"
    world.environment().unit("a", fingerprint=["sh", "-c", waits]).initialise()
    deaths.close(world)
    process = world.start("reconcile", "-e", "dev")
    deaths.until((world.tmp / "asked").exists)
    deaths.kill(process)
    deaths.open_gate(world)
    world.nyl("lease", "break", "-e", "dev", "--reason", "runner was killed")
    told = world.report("recover", "-e", "dev").json["details"]
    assert (told["imported"], told["recovered"], told["leaseBroken"]["reason"]) == ([], [], "runner was killed")
    assert summary(world)["leaseBroken"] == told["leaseBroken"]
    assert world.git("diff", "--stat", f"{world.state()}^", world.state(), cwd=world.origin) == ""
    assert world.state_refs().keys() == {"refs/heads/nyl/dev/desired", "refs/heads/nyl/dev/observed"}


def test_decisions_need_a_unit_and_a_reason(world: World) -> None:
    for arguments in (
        ("--retry", "--reason", "x"),
        ("--unit", "a", "--reason", "x"),
        ("--unit", "a", "--retry"),
        ("--unit", "a", "--retry", "--accept", "r", "--reason", "x"),
    ):
        assert "NYL-USAGE" in world.nyl("recover", "-e", "dev", *arguments, exits=1).stderr


def gone(world: World) -> None:
    """The state refs of `dev` are not there any more."""
    for ref in ("desired", "observed"):
        world.git("update-ref", "-d", f"refs/heads/nyl/dev/{ref}", cwd=world.origin)


def moved(world: World) -> None:
    """The state of `dev` has a marker that sends everybody to another place."""
    marker = "moved: {to: {}, at: '2026-10-25T13:05:12Z', by: Bob}\n"
    for ref in ("desired", "observed"):
        world.git("checkout", "-q", "--detach", world.git("rev-parse", "HEAD"))
        world.git("fetch", "-q", "origin", f"refs/heads/nyl/dev/{ref}")
        world.git("checkout", "-q", "FETCH_HEAD")
        (world.root / "state.yaml").write_text((world.root / "state.yaml").read_text() + marker)
        world.git("commit", "-q", "-am", "Move")
        world.git("push", "-q", "origin", f"HEAD:refs/heads/nyl/dev/{ref}")
        world.git("checkout", "-q", "main")


@pytest.mark.parametrize(("lose", "code"), [(gone, "NYL-STATE-DIVERGED"), (moved, "NYL-STATE-MOVED")])
def test_a_broken_lease_over_state_that_is_missing_or_moved_is_released_and_the_run_ref_stays(
    world: World, lose: Callable[[World], None], code: str
) -> None:
    run = die_at(dying_pair(world), "database", "migrate")
    lose(world)
    told = world.report("recover", "-e", "dev")
    assert (told.json["details"]["runs"], code in told.codes) == ([run], True)
    assert (deaths.runs(world), any(ref.endswith("/lease") for ref in world.state_refs())) == ([run], False)


def test_who_imports_a_run_after_its_broken_lease_was_released_records_the_break(world: World) -> None:
    run = die_at(dying_pair(world), "database", "migrate")
    tips = {ref: commit for ref, commit in world.refs().items() if ref.startswith("refs/heads/nyl/dev/")}
    gone(world)
    world.nyl("recover", "-e", "dev")
    assert [each["run"] for each in world.report("lease", "show", "-e", "dev").json["details"]["breaks"]] == [run]
    for ref, commit in tips.items():
        world.git("update-ref", ref, commit, cwd=world.origin)
    assert "NYL-RUN-UNIMPORTED" in world.nyl("hold", "-e", "dev", "--unit", "migrate", exits=2).stderr
    world.nyl("recover", "-e", "dev")
    told = summary(world)
    assert (told["recovered"], told["leaseBroken"]["reason"]) == (["migrate"], "runner was killed")  # type: ignore[index]
    assert world.stored("observed/units/migrate.yaml")["condition"]["reason"].endswith("when its lease was broken")
    assert deaths.runs(world) == []
