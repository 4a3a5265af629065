"""Taking over from a run that died right before its transition, with a checkpoint for every unit."""

import shutil
import signal
from dataclasses import dataclass
from pathlib import Path

from scripts.benchmarks.measure import Program, Sample, median
from scripts.benchmarks.workloads import NylWorld

_DIES = """\
import os, signal, sys
from nyl.core import faults
faults.install(lambda name: os.kill(os.getpid(), signal.SIGKILL) if name == "before push of results" else None)
from nyl.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


@dataclass(frozen=True)
class DeadRun:
    """A world whose first run died and whose lease was broken; `again` brings it back to that."""

    world: NylWorld
    saved: Path

    @classmethod
    def lay(cls, folder: Path, executable: Path, units: int) -> "DeadRun":
        """Lays a workload, runs every unit of it, and lets the run die before it records its results."""
        world = NylWorld.lay(folder, executable, units)
        argv = (str(executable.parent / "python"), "-c", _DIES, *world.reconcile().argv[1:])
        Program(argv, world.work, world.environ, (-signal.SIGKILL,)).once()
        world.program("lease", "break", "-e", "bench", "--reason", "killed").once()
        dead = cls(world, folder.with_name(f"{folder.name}-saved"))
        shutil.rmtree(dead.saved, ignore_errors=True)
        for name, place in dead._places.items():
            shutil.copytree(place, dead.saved / name, symlinks=True)
        return dead

    def again(self) -> None:
        """Makes everything as it was when the run was dead."""
        for name, place in self._places.items():
            shutil.rmtree(place)
            shutil.copytree(self.saved / name, place, symlinks=True)

    @property
    def _places(self) -> dict[str, Path]:
        work = self.world.work
        return {"remote": self.world.folder / "remote.git", "cache": work / ".nyl", "repository": work / ".git"}


def takeover(dead: DeadRun, rounds: int) -> tuple[Sample, Sample]:
    """The time of a run that takes over, and of one after it that changes nothing."""
    return median(dead.world.reconcile(), rounds, dead.again), median(dead.world.reconcile(), rounds)
