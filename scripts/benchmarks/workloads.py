"""The workload: N units with one input file each, of which every odd one needs the one before it."""

import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from scripts.benchmarks.checkouts import Checkout
from scripts.benchmarks.measure import Program
from tests.support.environment import clean_environment

_UNIT = """\
apiVersion: units.gitops.nyl/v1
kind: Command
metadata:
  name: {name}
  labels: {{team: t{team}}}
spec:
  files: [inputs/{name}.txt]
  dependsOn: [{needs}]
  values:
    replicas: {replicas}
    image: registry.example/app:{number}
  command: [/bin/sh, -c, 'true {{{{ values.replicas }}}} {{{{ environment.metadata.name }}}}']
"""

ENVIRONMENT = """\
apiVersion: gitops.nyl/v1
kind: Environment
metadata: {name: bench}
spec: {values: {replicas: 3}}
"""
"""The environment `bench`."""


@dataclass(frozen=True)
class NylWorld(Checkout):
    """A laid workload for nyl: `folder/work` with its bare remote beside it."""

    @classmethod
    def at(cls, folder: Path, executable: Path) -> Self:
        """The workload of a folder, laid or to be laid."""
        environ = clean_environment(folder / "home") | {
            "PATH": f"{executable.parent}:/usr/local/bin:/usr/bin:/bin",
            "TMPDIR": str(executable.parents[2]),  # checkouts and units' folders belong on the tmpfs too
        }
        return cls(folder, executable, environ)

    @classmethod
    def lay(cls, folder: Path, executable: Path, units: int, files: int = 0) -> "NylWorld":
        """Writes the declarations, commits and pushes them, and initialises the state."""
        shutil.rmtree(folder, ignore_errors=True)
        world = cls.at(folder, executable)
        work = folder / "work"
        for part in ("units", "inputs", "other"):
            (work / part).mkdir(parents=True)
        (work / "nyl.toml").touch()
        (work / ".gitignore").write_text(".nyl/\n")
        (work / "bench.yaml").write_text(ENVIRONMENT)
        for number in range(units):
            name = f"u{number:04}"
            needs = f"u{number - 1:04}" if number % 2 else ""
            text = _UNIT.format(name=name, team=number % 7, needs=needs, replicas=number % 5, number=number)
            (work / "units" / f"{name}.yaml").write_text(text)
            (work / "inputs" / f"{name}.txt").write_text(f"input {number:09}\n")
        for number in range(files):
            place = work / "other" / str(number // 500)
            place.mkdir(exist_ok=True)
            (place / f"{number}.txt").write_text(f"{number}\n")
        world.publish()
        return world

    def publish(self) -> None:
        """Commits and pushes what was written, and initialises the state."""
        self.declare()
        self.git("push", "-q", "origin", "main")
        self.git("remote", "set-head", "origin", "main")  # as a clone has it
        self.program("state", "init", "-e", "bench").once()

    def program(self, *arguments: str, exits: tuple[int, ...] = (0,)) -> Program:
        """A call of nyl."""
        return Program((str(self.executable), *arguments), self.work, self.environ, exits)

    def fail(self, unit: str) -> None:
        """Declares, commits and pushes that a unit fails."""
        file = self.work / "units" / f"{unit}.yaml"
        file.write_text(file.read_text().replace("'true ", "'false "))
        self.git("commit", "-qam", f"Fail {unit}")
        self.git("push", "-q", "origin", "main")

    def commit_to_push(self) -> None:
        """Commits a change of one unit over what is pushed, and writes what Git would tell a pre-push hook of it."""
        self.git("reset", "-q", "--hard", "origin/main")
        file = self.work / "units" / "u0001.yaml"
        file.write_text(file.read_text().replace("app:1", f"app:{time.monotonic_ns()}"))
        self.git("commit", "-qam", "Change u0001")
        ids = ("git", "rev-parse", "HEAD", "origin/main")
        new, old = subprocess.run(ids, cwd=self.work, env=self.environ, check=True, capture_output=True).stdout.split()
        (self.folder / "pushed").write_bytes(b"refs/heads/main %b refs/heads/main %b\n" % (new, old))

    def change_every_unit(self) -> None:
        """Declares, commits and pushes another value that every unit reads."""
        file = self.work / "bench.yaml"
        file.write_text(file.read_text().replace("replicas: 3", "replicas: 4"))
        self.git("commit", "-qam", "Change every unit")
        self.git("push", "-q", "origin", "main")

    def reconcile(self, exits: tuple[int, ...] = (0,)) -> Program:
        """A run, four units at a time."""
        options = ("--concurrency", "4", "--quiet-unit-output", "--progress", "plain")
        return self.program("reconcile", "-e", "bench", *options, exits=exits)

    def forget_cache(self) -> None:
        """Makes the next call a cold one."""
        shutil.rmtree(self.work / ".nyl", ignore_errors=True)


@dataclass(frozen=True)
class Yardstick:
    """A laid workload of floor.py or floor_render.py."""

    script: Path
    folder: Path
    environ: dict[str, str]

    @classmethod
    def lay(cls, script: Path, folder: Path, units: int, *options: str) -> "Yardstick":
        """Lays the workload; nothing ran yet."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        stick = cls(script, folder / "floor", clean_environment(folder / "home"))
        stick.program("lay", str(units), *options).once()
        return stick

    def program(self, operation: str, *arguments: str) -> Program:
        """An operation of the yardstick, by the Python that nyl runs on."""
        argv = (sys.executable, str(self.script), operation, str(self.folder), *arguments)
        return Program(argv, self.folder.parent, self.environ)
