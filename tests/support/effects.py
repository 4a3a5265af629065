"""A world whose units have effects that leave a log: what really happened, whatever nyl says of it.

Every step of every unit appends lines to `effects.log`: `begin`, then `done` once the effect is there, or `refused`
when it fails without one. Each execution has a token of its own, which it also gives as its output `effect`, so that
a receipt can be traced to the one effect that it stands for. The harness adds what an operator did, and which commits
the state was at in between.
"""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.support import declarations
from tests.support.environment import clean_environment
from tests.support.forks import NO_FAULTS, Call, Faults, Forks
from tests.support.processes import Invocation, run_git
from tests.support.pushes import push
from tests.support.repositories import new_bare_repository, new_repository

SCRIPT = "scripts/effect.sh"
BROKEN_AFTER = 2 * 3600.0
"""Seconds after which every lease of a dead run is past its deadline."""

# `$1` is the kind of work, `$2` what the unit's effect depends on. The folder of the world is the one above HOME.
_SCRIPT = """\
#!/bin/sh
set -e
at=${HOME%/home}
work=$1 shape=$2 thing=$at/world/$NYL_ENVIRONMENT.$NYL_UNIT
read token < /proc/sys/kernel/random/uuid
say() { printf '%s\\n' "$1 $work $NYL_ENVIRONMENT $NYL_UNIT $token $PPID" >> "$at/effects.log"; }
die_if() {
  if [ -e "$at/control/die-$1-$work-$NYL_UNIT" ]; then
    rm "$at/control/die-$1-$work-$NYL_UNIT"
    kill -KILL $PPID
    exit 1
  fi
}
case $work in
  inspection)
    [ -e "$thing" ] || exit 3
    read -r was effect < "$thing"
    [ "$was" = "$shape" ] || exit 3
    printf '{"endpoint": "%s", "effect": "%s"}' "$shape" "$effect" > "$NYL_OUTPUTS"
    exit 0 ;;
  verification)
    [ -e "$thing" ] || exit 2
    exit 0 ;;
esac
say begin
[ ! -e "$at/control/slow" ] || sleep 0.0$((PPID % 9))
if [ -e "$at/control/fail-$work-$NYL_UNIT" ]; then
  say refused
  exit 1
fi
die_if before
if [ "$work" = execution ]; then
  echo "$shape $token" > "$thing.$$"
  mv "$thing.$$" "$thing"
else
  rm -f "$thing"
fi
say done
die_if after
[ "$work" != execution ] || printf '{"endpoint": "%s", "effect": "%s"}' "$shape" "$token" > "$NYL_OUTPUTS"
"""


def step(work: str, shape: str = "") -> list[str]:
    """The argv of a unit's step."""
    return [f"./{SCRIPT}", work, shape]


@dataclass(frozen=True)
class UnitPlan:
    """How a unit of the world is declared."""

    name: str
    recovery: str = "manual"
    """`manual`, `converge` or `inspect`."""
    teardown: str | None = None
    """None, `manual` or `converge`: whether there is a teardown step, and whether it is idempotent."""
    reads: str | None = None
    shape: str = "one"
    retain: bool = False

    @property
    def text(self) -> str:
        """Its declaration."""
        spec: dict[str, Any] = {
            "outputs": {each: {"type": "string"} for each in ("endpoint", "effect")},
            "verify": step("verification"),
        }
        if self.reads:
            spec["values"] = {"endpoint": declarations.from_unit(self.reads, "endpoint")}
        if self.recovery == "converge":
            spec["idempotent"] = True
        if self.recovery == "inspect":
            spec["inspect"] = step("inspection", self.shape)
        if self.teardown:
            spec["teardown"] = {"command": step("teardown"), "idempotent": self.teardown == "converge"}
        if self.retain:
            spec["deletionPolicy"] = "Retain"
        return declarations.command(self.name, step("execution", self.shape), **spec)


FLEET = (
    UnitPlan("database", teardown="manual"),
    UnitPlan("migrate", reads="database"),
    UnitPlan("cache", "converge", "converge"),
    UnitPlan("worker", "inspect", "converge", reads="cache"),
)
"""Every recovery policy, every way to go, and a consumer of each side."""


class EffectsWorld:
    """A project with a bare remote, driven through forked children. It can be copied to where it was built."""

    def __init__(self, tmp: Path, forks: Forks) -> None:
        self.tmp = tmp
        self.forks = forks
        self.environ = clean_environment(tmp / "home")
        self.origin = tmp / "origin.git"
        self.project = tmp / "work"
        self.log = tmp / "effects.log"
        self.later = 0.0
        """How many seconds the clock of the next call runs ahead."""

    @classmethod
    def build(cls, tmp: Path, forks: Forks, fleet: Sequence[UnitPlan] = FLEET) -> "EffectsWorld":
        """A world with these units, committed, and state initialised."""
        world = cls(tmp, forks)
        for folder in ("world", "control"):
            (tmp / folder).mkdir(parents=True)
        world.note("reaper", str(forks.pid))
        new_bare_repository(world.origin)
        new_repository(world.project, origin=str(world.origin))
        world.write("nyl.toml", "").write(".gitignore", ".nyl/\n").write(SCRIPT, _SCRIPT)
        (world.project / SCRIPT).chmod(0o755)
        world.write("environments/dev.yaml", declarations.environment("dev"))
        world.declare(*fleet)
        world.commit()
        world.nyl("state", "init", "-e", "dev")
        return world

    # Source

    def write(self, path: str, text: str) -> "EffectsWorld":
        """Writes a file of the project."""
        target = self.project / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        return self

    def declare(self, *units: UnitPlan) -> "EffectsWorld":
        """Declares units, or declares them anew."""
        for unit in units:
            self.write(f"units/{unit.name}.yaml", unit.text)
        return self

    def remove(self, *units: str) -> "EffectsWorld":
        """Takes units out of source."""
        for unit in units:
            (self.project / f"units/{unit}.yaml").unlink()
        return self

    def commit(self) -> "EffectsWorld":
        """Commits and pushes everything."""
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "Change")
        push(self.project, self.origin, "main", self.environ)
        return self

    def git(self, *arguments: str | Path, cwd: Path | None = None) -> str:
        """Runs git in the project."""
        return run_git(*arguments, cwd=cwd or self.project, environ=self.environ)

    # nyl

    def start(self, *arguments: str, faults: Faults = NO_FAULTS, cwd: Path | None = None) -> Call:
        """Starts nyl beside the test."""
        return self.forks.start(
            arguments, cwd=cwd or self.project, environ=self.environ, faults=faults, later=self.later
        )

    def call(self, *arguments: str, faults: Faults = NO_FAULTS) -> Invocation:
        """Calls nyl, waits for it and for what it started, and notes where the state is then."""
        call = self.start(*arguments, faults=faults)
        result = self.forks.wait(call)
        self.forks.settle()
        self.note("exited", str(call.pid))
        self.note_state()
        return result

    def nyl(self, *arguments: str, exits: int | Sequence[int] = 0) -> Invocation:
        """Calls nyl, which must end with one of `exits`."""
        result = self.call(*arguments)
        wanted = (exits,) if isinstance(exits, int) else exits
        assert result.code in wanted, f"nyl {' '.join(arguments)}: expected exit {exits}: {result}"
        return result

    def die(self, when: str, work: str, unit: str) -> None:
        """Makes the next `work` of a unit kill nyl: `before` it has its effect, or `after`."""
        (self.tmp / f"control/die-{when}-{work}-{unit}").touch()

    def fail(self, work: str, unit: str, *, fails: bool = True) -> None:
        """Makes a unit fail without an effect from now on, or not any more."""
        flag = self.tmp / f"control/fail-{work}-{unit}"
        flag.touch() if fails else flag.unlink(missing_ok=True)

    def spare(self) -> None:
        """Takes back every death that did not happen."""
        for flag in (self.tmp / "control").glob("die-*"):
            flag.unlink()

    # What the harness adds to the log

    def note(self, *words: str) -> None:
        """Appends a line to the log."""
        with self.log.open("a") as log:
            log.write(" ".join(words) + "\n")

    def note_state(self) -> None:
        """Notes where the state refs are, and which runs left something."""
        for name, commit in self.refs().items():
            if "/nyl/" in name:
                self.note("ref", name, commit)
        self.note("noted")

    def tell(self, work: str, unit: str, call: Call | None = None) -> None:
        """Notes that somebody wants a unit worked on again, by one call where it is given."""
        self.note("told", work, "dev", unit, *([str(call.pid)] if call else []))

    def refs(self) -> Mapping[str, str]:
        """Every ref of the remote, with what it points at."""
        lines = self.git("for-each-ref", "--format=%(refname) %(objectname)", cwd=self.origin).splitlines()
        return dict(line.split(" ") for line in lines)


@dataclass(frozen=True)
class Template:
    """A world that was built once. Every copy takes the place where it was built, as paths are part of it."""

    kept: Path
    place: Path
    forks: Forks
    later: float

    @classmethod
    def of(cls, world: EffectsWorld, kept: Path) -> "Template":
        """Takes a world away and keeps it."""
        world.tmp.rename(kept)
        return cls(kept, world.tmp, world.forks, world.later)

    def copy(self) -> EffectsWorld:
        """A fresh world; the copy before it is gone."""
        shutil.rmtree(self.place, ignore_errors=True)
        shutil.copytree(self.kept, self.place, symlinks=True)
        world = EffectsWorld(self.place, self.forks)
        world.later = self.later
        return world


def changed(unit: UnitPlan, shape: str) -> UnitPlan:
    """A unit whose execution key is another."""
    return replace(unit, shape=shape)
