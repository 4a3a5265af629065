"""Runs that stop in the middle of a unit: to look at them, to send them something, or to kill them."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from tests.support.world import Started, World

_PATIENCE = 30.0


@dataclass(frozen=True)
class Gate:
    """What a unit waits in front of, for as long as it is closed."""

    world: World
    name: str = "gate"

    @property
    def script(self) -> str:
        """The line of a script that waits while the gate is closed."""
        return f"while [ -e '{self.world.tmp / self.name}' ]; do sleep 0.05; done"

    def close(self) -> "Gate":
        """Lets units wait."""
        (self.world.tmp / self.name).touch()
        return self

    def open(self) -> "Gate":
        """Lets the waiting units go on."""
        (self.world.tmp / self.name).unlink(missing_ok=True)
        return self


def wait_until(fact: Callable[[], bool]) -> None:
    """Waits for something to become true."""
    until = time.monotonic() + _PATIENCE
    while not fact():
        assert time.monotonic() < until, "it never came true"
        time.sleep(0.02)


def kill(process: Started) -> None:
    """Kills a run and everything that it started, at once."""
    children = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True, check=False).stdout
    os.kill(process.pid, signal.SIGKILL)
    for child in children.split():
        with suppress(ProcessLookupError):  # it may have ended by itself meanwhile
            os.kill(int(child), signal.SIGKILL)
    process.wait()


def killed_run(world: World, unit: str = "migrate") -> str:
    """A run of `dev` that was killed while a unit ran behind the gate; its id."""
    process = world.start("reconcile", "-e", "dev")
    wait_until(lambda: unit in world.ran())
    run = next(ref for ref in world.refs() if "/runs/" in ref).rpartition("/")[2]
    kill(process)
    return run
