"""Recovery page, Cancellation: what a signal does to a run and to its tools."""

import os
import signal
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import yaml

from tests.support.gates import wait_until
from tests.support.processes import Invocation
from tests.support.world import Started, World

Start = Callable[..., Started]

TERM = signal.SIGTERM
WAIT = "while :; do sleep 0.05 || true; done"


@pytest.fixture
def reconcile(world: World) -> Iterator[Start]:
    """Starts a reconcile of dev, and waits until `ran` units run. None outlives its test."""
    processes: list[Started] = []

    def start(*arguments: str, ran: int = 1, by: Callable[..., Started] = world.start) -> Started:
        processes.append(by("reconcile", "-e", "dev", *arguments, "-o", "json"))
        wait_until(lambda: len(world.ran()) >= ran)
        return processes[-1]

    yield start
    for each in processes:
        if each.poll() is None:
            for _ in range(2):
                each.send_signal(TERM)
            each.communicate(timeout=20)


def ended(running: Started, seconds: float = 20.0) -> Invocation:
    """What a run that was cancelled told."""
    stdout, stderr = running.communicate(timeout=seconds)
    done = Invocation((), running.returncode, stdout, stderr)
    assert done.code == 4, stdout + stderr
    assert "NYL-RUN-CANCELLED" in done.codes
    return done


def run_files(world: World) -> dict[str, Any]:
    """The documents on the only run ref, by their paths."""
    (ref,) = (name for name in world.refs() if name.startswith("refs/nyl/dev/runs/"))
    paths = world.git("ls-tree", "-r", "--name-only", ref, cwd=world.origin).splitlines()
    return {path: yaml.safe_load(world.git("show", f"{ref}:{path}", cwd=world.origin)) for path in paths}


def checkpoints(world: World) -> dict[str, Any]:
    """What the run ref holds of how units ended."""
    found = run_files(world).items()
    return {path.removeprefix("checkpoints/")[:-5]: each for path, each in found if path.startswith("checkpoints/")}


def said(world: World) -> list[str]:
    """What units noted with `note`."""
    notes = world.tmp / "notes"
    return notes.read_text().split() if notes.exists() else []


def note(world: World, word: str) -> str:
    """A line of shell."""
    return f"echo {word} >> {world.tmp}/notes"


@pytest.mark.parametrize("number", [signal.SIGINT, TERM, signal.SIGHUP])
def test_a_signal_ends_the_run_without_a_transition_and_leaves_a_finished_run_ref(
    world: World, reconcile: Start, number: signal.Signals
) -> None:
    world.environment().unit("slow", script=WAIT).unit("later", dependsOn=["slow"]).initialise()
    before = world.state(), world.state("desired")
    running = reconcile()

    running.send_signal(number)
    done = ended(running)

    assert done.verdicts() == {"slow": "uncertain", "later": "blocked"}
    assert "was cancelled" in done.unit("slow")["detail"]
    assert (world.state(), world.state("desired")) == before
    assert "refs/nyl/dev/lease" not in world.refs()
    assert run_files(world)["run.yaml"]["state"] == "finished"
    assert world.ran() == ["slow"]


@pytest.mark.parametrize(("number", "heard"), [(signal.SIGINT, "INT"), (TERM, "TERM"), (signal.SIGHUP, "TERM")])
def test_the_signal_reaches_the_whole_process_group_of_the_tool(
    world: World, reconcile: Start, number: signal.Signals, heard: str
) -> None:
    def traps(who: str) -> str:
        return "".join(f"trap '{note(world, f'{who}-{each}')}; exit 1' {each}\n" for each in ("INT", "TERM", "HUP"))

    world.write("scripts/child.sh", f"#!/bin/sh\n{traps('child')}{note(world, 'ready')}\n{WAIT}\n")
    world.environment().unit("slow", script=f"{traps('parent')}./scripts/child.sh").initialise()
    running = reconcile()
    wait_until(lambda: said(world) == ["ready"])

    running.send_signal(number)
    ended(running)

    assert sorted(said(world)) == [f"child-{heard}", f"parent-{heard}", "ready"]


def test_a_tool_that_ends_with_valid_outputs_after_the_signal_has_finished(world: World, reconcile: Start) -> None:
    script = "going=yes\ntrap 'going=no' TERM\nwhile [ $going = yes ]; do sleep 0.05 || true; done"
    world.environment().unit("slow", script=script, writes={"host": "db"}).initialise()
    running = reconcile()

    running.send_signal(TERM)

    assert ended(running).verdicts() == {"slow": "executed"}
    assert checkpoints(world)["slow"]["receipt"]["outputs"] == {"host": "db"}
    assert run_files(world)["run.yaml"]["state"] == "finished"
    world.forget()
    assert world.reconcile().verdicts() == {"slow": "imported"}
    assert world.ran() == []


@pytest.mark.parametrize("code", [0, 1, 130, 143])
def test_a_tool_that_ends_otherwise_after_the_signal_is_uncertain_whatever_its_exit_code(
    world: World, reconcile: Start, code: int
) -> None:
    """Exit code 0 without the declared outputs does not count."""
    world.environment().unit("slow", script=f"trap 'exit {code}' TERM\n{WAIT}", writes={"host": "db"}, idempotent=True)
    world.initialise()
    running = reconcile()

    running.send_signal(TERM)

    assert ended(running).verdicts() == {"slow": "uncertain"}
    assert "receipt" not in checkpoints(world)["slow"]


def test_a_second_signal_does_not_wait_for_the_tools(world: World, reconcile: Start) -> None:
    world.environment().unit("slow", script=f"trap '{note(world, 'told')}' TERM\n{WAIT}").initialise()
    running = reconcile()
    running.send_signal(TERM)
    wait_until(lambda: said(world) == ["told"])
    assert running.poll() is None

    running.send_signal(TERM)

    assert ended(running, seconds=10).verdicts() == {"slow": "uncertain"}


def test_what_is_known_is_recorded_at_once_and_not_after_the_tools_end(world: World, reconcile: Start) -> None:
    """A CI system kills the runner ten seconds after the signal."""
    world.environment()
    world.unit("quick", script=f"trap 'exit 0' TERM\n{WAIT}").unit("stubborn", script=f"trap '' TERM\n{WAIT}")
    world.initialise()
    running = reconcile(ran=2)

    running.send_signal(TERM)

    wait_until(lambda: "quick" in checkpoints(world))
    assert "receipt" in checkpoints(world)["quick"]
    assert running.poll() is None
    assert "refs/nyl/dev/lease" in world.refs()
    running.send_signal(TERM)
    assert ended(running).verdicts() == {"quick": "executed", "stubborn": "uncertain"}


def test_units_that_wait_for_a_slot_leave_no_trace(world: World, reconcile: Start) -> None:
    world.environment()
    for name in ("a", "b", "c", "d"):
        world.unit(name, script=WAIT)
    world.initialise()
    running = reconcile("--concurrency", "1")

    running.send_signal(TERM)
    done = ended(running)

    (ran,) = world.ran()
    assert [name for name, verdict in done.verdicts().items() if verdict != "blocked"] == [ran]
    assert list(checkpoints(world)) == [ran]
    assert [path for path in run_files(world) if path.startswith("desired/")] == [f"desired/units/{ran}.yaml"]


def test_a_signal_while_a_fingerprint_runs_leaves_nothing(world: World, reconcile: Start) -> None:
    world.write("scripts/print.sh", f"#!/bin/sh\n{note(world, 'printing')}\n{WAIT}\n")
    world.environment().unit("slow", fingerprint=["./scripts/print.sh"]).initialise()
    before = world.refs()
    running = reconcile(ran=0)
    wait_until(lambda: said(world) == ["printing"])

    running.send_signal(TERM)
    done = ended(running)

    assert done.codes == {"NYL-RUN-CANCELLED"}
    assert world.refs() == before
    assert world.ran() == []


def test_a_signal_ends_waiting_for_the_lease(world: World, reconcile: Start) -> None:
    world.environment().unit("slow", script=WAIT).initialise()
    reconcile()
    waiting = reconcile("--wait-lease", "10m")
    assert waiting.stderr is not None
    while "waiting for run" not in waiting.stderr.readline():
        assert waiting.poll() is None
    held = world.refs()

    waiting.send_signal(TERM)
    ended(waiting, seconds=5)

    assert world.refs() == held


def test_no_further_environment_is_begun_after_the_signal(world: World, reconcile: Start) -> None:
    world.environment("dev").environment("prod").unit("slow", script=WAIT).initialise("dev", "prod")
    running = reconcile("-e", "prod")

    running.send_signal(TERM)
    done = ended(running)

    assert [each["environment"] for each in done.diagnostics if each["code"] == "NYL-RUN-CANCELLED"] == ["dev", "prod"]
    assert world.ran() == ["slow"]
    assert not [name for name in world.refs() if name.startswith("refs/nyl/prod/")]


def leaving(world: World, teardown: str, **parts: Any) -> World:
    """`cache` ran in dev and left source; its teardown is a script."""
    world.write("scripts/remove.sh", f"#!/bin/sh\necho removing >> {world.log}\n{teardown}\n")
    world.environment().unit("cache", teardown={"command": ["./scripts/remove.sh"], **parts}).initialise()
    world.reconcile()
    world.forget().remove("units/cache.yaml").commit("Remove the cache")
    return world


def test_a_teardown_that_ends_well_after_the_signal_has_removed_its_unit(world: World, reconcile: Start) -> None:
    leaving(world, "going=yes\ntrap 'going=no' TERM\nwhile [ $going = yes ]; do sleep 0.05 || true; done")
    before = world.state(), world.state("desired")
    running = reconcile("--allow-teardown")

    running.send_signal(TERM)

    assert ended(running).verdicts() == {"cache": "removed"}
    assert (world.state(), world.state("desired")) == before
    assert run_files(world)["run.yaml"]["state"] == "finished"
    world.forget()
    assert world.reconcile().verdicts() == {"cache": "removed"}
    assert world.ran() == []


@pytest.mark.parametrize("idempotent", [True, False])
def test_a_teardown_that_ends_otherwise_after_the_signal_is_uncertain(
    world: World, reconcile: Start, idempotent: bool
) -> None:
    leaving(world, f"[ $(wc -l < {world.log}) -gt 1 ] && exit 0\n{WAIT}", idempotent=idempotent)
    running = reconcile("--allow-teardown")

    running.send_signal(TERM)

    assert ended(running).verdicts() == {"cache": "uncertain"}
    if idempotent:
        assert world.reconcile().verdicts() == {"cache": "removed"}
    else:
        assert world.reconcile(exits=4).verdicts() == {"cache": "uncertain"}


def test_status_tells_of_a_cancelled_run_until_the_next_one_imports_it(world: World, reconcile: Start) -> None:
    world.environment().unit("quick").unit("slow", script=WAIT, dependsOn=["quick"]).initialise()
    running = reconcile(ran=2)
    running.send_signal(TERM)
    ended(running)

    told = world.report("status", "-e", "dev", exits=4)

    assert "NYL-RUN-UNIMPORTED" in told.codes
    assert told.verdicts()["slow"] == "uncertain"
    done = world.reconcile(exits=4)
    assert done.verdicts() == {"quick": "imported", "slow": "uncertain"}
    assert "was cancelled" in done.unit("slow")["detail"]
    assert "NYL-RUN-UNIMPORTED" not in world.report("status", "-e", "dev", exits=4).codes
    assert not [name for name in world.refs() if "/runs/" in name]


def test_ctrl_c_reaches_everything_in_the_terminal_and_loses_nothing(world: World, reconcile: Start) -> None:
    """A terminal signals the whole group, so a push may be under way in it."""
    names = [f"unit-{number:02}" for number in range(12)]
    world.environment()
    for before, name in zip([None, *names], names, strict=False):
        world.unit(name, idempotent=True, **({"dependsOn": [before]} if before else {}))
    world.initialise()
    running = reconcile(ran=3, by=world.start_installed)

    os.killpg(running.pid, signal.SIGINT)
    done = ended(running)

    assert "refs/nyl/dev/lease" not in world.refs()
    finished = {name for name, verdict in done.verdicts().items() if verdict == "executed"}
    world.forget()
    after = world.reconcile().verdicts()
    assert {name for name in names if after[name] == "imported"} == finished
    assert set(world.ran()) == set(names) - finished
    world.nyl("state", "check", "-e", "dev")
