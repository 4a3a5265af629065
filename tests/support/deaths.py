"""Runs that die in the middle of their units: killed for good, with everything that they started."""

import os
import signal
import time
from collections.abc import Callable, Sequence

from tests.support.forks import KILLED, Faults
from tests.support.warm import run_warm
from tests.support.world import Started, World

_SECONDS = 20.0
_PAUSE = 0.02


def waits(world: World, gate: str = "gate") -> str:
    """A script that goes on once the gate is open, and counts neither as run nor as over before."""
    return f"while [ -e '{world.tmp / gate}' ]; do sleep 0.02; done"


def close(world: World, gate: str = "gate") -> None:
    """Units whose scripts wait for the gate do so from now on."""
    (world.tmp / gate).touch()


def open_gate(world: World, gate: str = "gate") -> None:
    """Lets units go on."""
    (world.tmp / gate).unlink(missing_ok=True)


def start_until(world: World, ran: Sequence[str], *arguments: str, gate: str = "gate") -> Started:
    """A reconcile that goes on behind a closed gate, once these units ran or run."""
    close(world, gate)
    process = world.start("reconcile", *(arguments or ("-e", "dev")))
    until(lambda: sorted(world.ran()) == sorted(ran) or process.poll() is not None)
    assert process.poll() is None, process.communicate()
    return process


def kill(process: Started) -> None:
    """Ends nyl as nothing can be caught; what it started goes on, as it does on a machine that keeps running."""
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=_SECONDS)


def die_at(world: World, *ran: str, breaks: bool = True) -> str:
    """A reconcile that is killed once these units ran or run, its lease being broken then. Gives its id."""
    process = start_until(world, ran)
    run = live_run(world)
    kill(process)
    open_gate(world)
    if breaks:
        world.nyl("lease", "break", "-e", "dev", "--reason", "runner was killed")
    world.forget()
    return run


def die_in(world: World, point: str, *arguments: str) -> None:
    """A call that is killed when it first passes a fault point, and whose lease is broken then."""
    fault = Faults(die_at=f"{point} #1")
    run_warm(arguments, cwd=world.project, environ=world.environ, exits=[KILLED], timeout=_SECONDS * 3, faults=fault)
    world.nyl("lease", "break", "-e", "dev", "--reason", "runner was killed")


def live_run(world: World) -> str:
    """The id of the one run that has a run ref."""
    (run,) = runs(world)
    return run


def runs(world: World, kind: str = "runs") -> list[str]:
    """The runs with a run ref, or with a ref of another kind."""
    return sorted(ref.rpartition("/")[2] for ref in world.state_refs() if f"/{kind}/" in ref)


def until(condition: Callable[[], bool]) -> None:
    """Waits until something is so."""
    end = time.monotonic() + _SECONDS
    while not condition():
        assert time.monotonic() < end, "what was waited for did not happen in time"
        time.sleep(_PAUSE)
