"""Several operators at once on one remote: what they do, how they end, and what must hold when all is quiet again."""

import random
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.effects import FLEET, EffectsWorld, Template
from tests.support.effects_check import problems, uncertain_units
from tests.support.forks import KILLED, Call, Delays, Faults, Forks
from tests.support.processes import Invocation

_REASON = ("--reason", "raced")
_LONGEST_DELAY = 0.08
"""Seconds that a process pauses at most at a fault point."""
_ROUNDS = 20
_CALMS = ("reconcile", "-e", "dev", "--allow-teardown", "--wait-lease", "5s")


@dataclass(frozen=True)
class Race:
    """How many processes race, how many calls they make in all, and what decides all of it.

    `deadly`: some of them are killed, and leases of others are broken while they live.
    """

    seed: str
    processes: int
    calls: int
    deadly: bool


@dataclass
class Track:
    """The world that races start from. Each process works in a clone of its own."""

    template: Template
    folder: Path
    _clones: list[Path] = field(default_factory=list)

    @classmethod
    def of(cls, folder: Path, forks: Forks) -> "Track":
        """Builds it: everything reconciled once."""
        folder.mkdir(parents=True, exist_ok=True)
        world = EffectsWorld.build(folder / "case", forks, FLEET)
        world.nyl("reconcile", "-e", "dev")
        (world.tmp / "control/slow").touch()
        return cls(Template.of(world, folder / "kept"), folder)

    def run(self, race: Race) -> list[str]:
        """Runs a race to its end. Says what is wrong."""
        world = self.template.copy()
        self._clones = [_cloned(world, index) for index in range(race.processes)]
        try:
            _Racing(world, race, self._clones).run()
            return _calm(world)
        except AssertionError as problem:
            return [str(problem)]


class _Racing:
    """One race under way."""

    def __init__(self, world: EffectsWorld, race: Race, clones: Sequence[Path]) -> None:
        self._world = world
        self._race = race
        self._clones = clones
        self._choice = random.Random(race.seed)
        self._started = 0
        self._live: dict[int, Call] = {}

    def run(self) -> None:
        """Keeps every process busy until all calls were made."""
        for lane in range(self._race.processes):
            self._start(lane)
        while self._live:
            call = self._world.forks.any_ended(list(self._live.values()))
            lane = next(each for each, live in self._live.items() if live is call)
            del self._live[lane]
            self._note(call, self._world.forks.wait(call))
            if self._started < self._race.calls:
                self._start(lane)
        self._world.forks.settle()
        self._world.note_state()

    def _start(self, lane: int) -> None:
        number, self._started = self._started, self._started + 1
        words = self._words(number)
        dies = self._race.deadly and self._choice.random() < 0.15
        faults = Faults(
            die_index=self._choice.randrange(24) if dies else None,
            delays=Delays(f"{self._race.seed}/{number}", _LONGEST_DELAY),
        )
        if words[:2] == ("lease", "break"):
            self._world.note("breaking", words[-1])
        call = self._world.start(*words, faults=faults, cwd=self._clones[lane])
        self._live[lane] = call
        self._world.note("started", str(call.pid))
        if words[0] == "teardown":
            self._world.tell("teardown", words[4], call)
        if "--reapply" in words:
            self._world.tell("execution", words[4], call)

    def _words(self, number: int) -> tuple[str, ...]:
        """The next call, as the seed has it."""
        unit = self._choice.choice(FLEET).name
        wait = self._choice.choice(((), ("--wait-lease", "2s"), ("--wait-lease", "4s")))
        calm: list[tuple[str, ...]] = [
            ("reconcile", "-e", "dev", *wait),
            ("reconcile", "-e", "dev", "--allow-teardown", *wait),
            ("reconcile", "-e", "dev", "--unit", "cache", "--reapply", *_REASON, *wait),
            ("hold", "-e", "dev", "--unit", unit),
            ("resume", "-e", "dev", "--unit", unit, *wait),
            ("resume", "-e", "dev", "--unit", unit, *wait),
            ("teardown", "-e", "dev", "--unit", unit, *_REASON, *wait),
            ("teardown", "-e", "dev", "--unit", "cache", *_REASON, *wait),
            ("verify", "-e", "dev", *wait),
            ("status", "-e", "dev"),
            ("recover", "-e", "dev", *_REASON, *wait),
        ]
        breaks = ("lease", "break", "-e", "dev", "--reason", f"break-{number}")
        return self._choice.choice([*calm, breaks, breaks] if self._race.deadly else calm)

    def _note(self, call: Call, result: Invocation) -> None:
        said = result.stdout + result.stderr
        assert result.code == KILLED or 0 <= result.code <= 4, result
        assert "NYL-INTERNAL" not in said, result
        assert "NYL-STATE-CORRUPT" not in said, result
        if result.code == KILLED:
            self._world.note("killed", str(call.pid))
        else:
            self._world.note("exited", str(call.pid))
        if "NYL-LEASE-LOST" in said:
            self._world.note("lost", str(call.pid))
        if call.argv[:2] == ("lease", "break"):
            self._world.note("ended", call.argv[-1])
            if _broke(result):
                self._world.note("broke", call.argv[-1])
        self._world.note_state()


def _broke(result: Invocation) -> bool:
    """Whether a break ended somebody's lease: where nobody has it, it ends well all the same."""
    return result.code == 0 and "NYL-LEASE-UNBREAKABLE" not in result.stderr


def _calm(world: EffectsWorld) -> list[str]:
    """An operator brings everything to rest; then all must fit together."""
    (world.tmp / "control/slow").unlink()
    result = world.call("lease", "break", "-e", "dev", "--reason", "calm")
    if _broke(result):
        world.note("broke", "calm")
    world.nyl("recover", "-e", "dev", *_REASON, exits=(0, 4))
    for unit in FLEET:
        world.nyl("resume", "-e", "dev", "--unit", unit.name, exits=(0, 1))
    for _ in range(_ROUNDS):
        result = world.call(*_CALMS)
        if result.code == 0:
            break
        for unit, work in uncertain_units(world.origin).items():
            world.tell(work, unit)
            world.nyl("recover", "-e", "dev", "--unit", unit, "--retry", *_REASON)
    else:
        return [f"the environment does not come to rest: {result}"]
    checked = world.call("state", "check", "-e", "dev")
    wrong = problems(world.log, world.origin)
    return wrong + ([f"nyl state check: {checked.stdout}{checked.stderr}"] if checked.code else [])


def _cloned(world: EffectsWorld, index: int) -> Path:
    clone = world.tmp / f"clone{index}"
    shutil.copytree(world.project, clone, symlinks=True)
    return clone
