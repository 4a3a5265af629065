"""Operations that die at every boundary, alone and again while they are taken over, and what must hold afterwards."""

import random
import signal
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.effects import BROKEN_AFTER, FLEET, EffectsWorld, Template, UnitPlan, changed
from tests.support.effects_check import problems, uncertain_units
from tests.support.forks import KILLED, Faults, Forks
from tests.support.processes import Invocation

_ROUNDS = 12
"""How often an operator tries again before the story counts as stuck."""
_NEVER = 99


@dataclass(frozen=True)
class Kill:
    """Where nyl dies: at a fault point, by its label or its place among all points, or in the middle of an effect."""

    label: str | None = None
    index: int | None = None
    effect: tuple[str, str, str] | None = None
    """When (`before` or `after` it is there), the work, and the unit."""
    cancels: bool = False
    """Whether nyl is only told to end, with SIGTERM."""

    def __str__(self) -> str:
        place = self.label or (" ".join(self.effect) if self.effect else f"point {self.index}")
        return f"SIGTERM at {place}" if self.cancels else place


@dataclass(frozen=True)
class Story:
    """An operation on a prepared world, and what an operator does until all is well again."""

    name: str
    prepare: Callable[[EffectsWorld], None]
    operation: tuple[str, ...]
    again: tuple[str, ...] = ("reconcile", "-e", "dev")
    exits: tuple[int, ...] = (0,)
    """How `again` ends when everything is done."""
    effects: tuple[tuple[str, str], ...] = ()
    """Work and unit of the effects that the operation has."""
    files: frozenset[str] | None = None
    """The units that state knows in the end; None is all of the fleet."""
    fleet: tuple[UnitPlan, ...] = FLEET

    @property
    def effect_kills(self) -> Iterator[Kill]:
        """Deaths in the middle of each effect."""
        for work, unit in self.effects:
            for when in ("before", "after"):
                yield Kill(effect=(when, work, unit))


def _reconciled(world: EffectsWorld) -> None:
    world.nyl("reconcile", "-e", "dev")


def _changed(world: EffectsWorld) -> None:
    _reconciled(world)
    world.declare(*(changed(unit, "two") for unit in FLEET)).commit()
    for unit in FLEET:
        world.tell("execution", unit.name)


def _left(world: EffectsWorld) -> None:
    _reconciled(world)
    world.remove("migrate", "cache", "worker").commit()


def _dead(world: EffectsWorld) -> None:
    """A run that died while `migrate` had its effect, after `database` was checkpointed."""
    world.die("before", "execution", "migrate")
    assert world.call("reconcile", "-e", "dev").code == KILLED
    world.spare()


def _broken(world: EffectsWorld) -> None:
    _dead(world)
    _break(world, "prepared")


def _uncertain(world: EffectsWorld) -> None:
    _broken(world)
    world.nyl("reconcile", "-e", "dev", exits=4)
    world.tell("execution", "migrate")


def _held(world: EffectsWorld) -> None:
    _reconciled(world)
    world.nyl("hold", "-e", "dev", "--unit", "cache")
    world.declare(changed(FLEET[2], "two")).commit()
    world.tell("execution", "cache")
    world.tell("execution", "worker")


def _superseded(world: EffectsWorld) -> None:
    """An uncertain unit, with evidence of what a dead run did of it for other inputs."""
    _dead(world)
    world.declare(changed(FLEET[0], "two")).commit()
    for name in ("database", "migrate"):
        world.tell("execution", name)
    _break(world, "prepared")
    world.nyl("reconcile", "-e", "dev", exits=4)


def _drifted(world: EffectsWorld) -> None:
    _reconciled(world)
    (world.tmp / "world/dev.cache").unlink()
    world.tell("execution", "cache")


def _pending(world: EffectsWorld) -> None:
    _left(world)
    world.nyl("reconcile", "-e", "dev", exits=2)


def _all_left(world: EffectsWorld) -> None:
    _reconciled(world)
    world.remove("keeper", "migrate", "worker", "cache").commit()


def _fresh(_world: EffectsWorld) -> None:
    return


_EVERY = tuple(unit.name for unit in FLEET)
_EXECUTIONS = tuple(("execution", name) for name in _EVERY)
_TEARDOWNS = (("teardown", "worker"), ("teardown", "cache"))
_FORSAKEN = (*_TEARDOWNS, ("teardown", "database"))
_REASON = ("--reason", "told")

STORIES = {
    story.name: story
    for story in (
        Story("create", _fresh, ("reconcile", "-e", "dev"), effects=_EXECUTIONS),
        Story("change", _changed, ("reconcile", "-e", "dev"), effects=_EXECUTIONS),
        Story(
            "leave",
            _left,
            ("reconcile", "-e", "dev", "--allow-teardown"),
            ("reconcile", "-e", "dev", "--allow-teardown"),
            effects=_TEARDOWNS,
            files=frozenset({"database"}),
        ),
        Story(
            "teardown-all",
            _reconciled,
            ("teardown", "-e", "dev", "--all", *_REASON),
            ("teardown", "-e", "dev", "--all", *_REASON),
            effects=_FORSAKEN,
        ),
        Story(
            "replace",
            _reconciled,
            ("teardown", "-e", "dev", "--unit", "cache", *_REASON),
            effects=(("teardown", "cache"),),
        ),
        Story("take-over", _broken, ("reconcile", "-e", "dev"), effects=(("execution", "worker"),)),
        Story("recover-run", _broken, ("recover", "-e", "dev", *_REASON)),
        Story("retry", _uncertain, ("recover", "-e", "dev", "--unit", "migrate", "--retry", *_REASON)),
        Story("break", _dead, ("lease", "break", "-e", "dev", "--reason", "first")),
        Story(
            "hold",
            _reconciled,
            ("hold", "-e", "dev", "--unit", "cache"),
            ("hold", "-e", "dev", "--unit", "cache"),
        ),
        Story(
            "accept",
            _superseded,
            ("recover", "-e", "dev", "--unit", "database", "--accept", "{run}", *_REASON),
        ),
        Story("verify", _drifted, ("verify", "-e", "dev")),
        Story(
            "forget",
            _pending,
            ("state", "forget", "-e", "dev", "--unit", "worker"),
            ("reconcile", "-e", "dev", "--allow-teardown"),
            files=frozenset({"database"}),
        ),
        Story(
            "retain",
            _all_left,
            ("reconcile", "-e", "dev", "--allow-teardown", "--allow-dependents"),
            ("reconcile", "-e", "dev", "--allow-teardown", "--allow-dependents"),
            effects=_TEARDOWNS,
            files=frozenset({"database", "keeper"}),
            fleet=(*FLEET, UnitPlan("keeper", "converge", "converge", reads="cache", retain=True)),
        ),
        Story("resume", _held, ("resume", "-e", "dev", "--unit", "cache"), ("resume", "-e", "dev", "--unit", "cache")),
    )
}


@dataclass
class Matrix:
    """One story, built once and told again for every combination of deaths."""

    story: Story
    template: Template
    trace: Path
    points: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, story: Story, folder: Path, forks: Forks) -> "Matrix":
        """Builds the story's world, and finds the points that its operation passes."""
        folder.mkdir(parents=True, exist_ok=True)
        world = EffectsWorld.build(folder / "case", forks, story.fleet)
        story.prepare(world)
        matrix = cls(story, Template.of(world, folder / "kept"), folder / "trace")
        matrix.points = matrix.passed(matrix.template.copy(), story.operation)
        return matrix

    @property
    def kills(self) -> list[Kill]:
        """Every single death, and every cancellation."""
        deaths = [*(Kill(label) for label in self.points), *self.story.effect_kills]
        return [*deaths, *(Kill(label, cancels=True) for label in self.points)]

    def passed(self, world: EffectsWorld, operation: Sequence[str]) -> list[str]:
        """The fault points that a call passes."""
        self.trace.unlink(missing_ok=True)
        world.call(*_filled_in(world, operation), faults=Faults(trace=self.trace))
        return self.trace.read_text().splitlines() if self.trace.exists() else []

    def tell(self, kills: Sequence[Kill], *, breaks: bool) -> list[str]:
        """Lets the operation die, then what takes it over, and so on; then brings it to its end. Says what is wrong."""
        return self.tell_on(self.template.copy(), kills, breaks=breaks)[0]

    def tell_on(self, world: EffectsWorld, kills: Sequence[Kill], *, breaks: bool) -> tuple[list[str], bool]:
        """The same on a given world. Also says whether the last death happened, as points may come to an end."""
        last_died = False
        try:
            for number, kill in enumerate(kills):
                operation = self.story.again if number else self.story.operation
                last_died = _die(world, operation, kill)
                if last_died:
                    _bury(world, f"after {number}", breaks=breaks)
            return _end(world, self.story), last_died
        except AssertionError as problem:
            return [str(problem)], last_died

    def pairs(self, first: Kill, *, breaks: bool) -> Iterator[tuple[Sequence[Kill], list[str]]]:
        """Every death of what takes over after a first death, and what is wrong afterwards."""
        second: Iterator[Kill] = iter(self.story.effect_kills)
        for kill in second:
            yield (first, kill), self.tell((first, kill), breaks=breaks)
        for index in range(_NEVER):
            kills = (first, Kill(index=index))
            wrong, died = self.tell_on(self.template.copy(), kills, breaks=breaks)
            yield kills, wrong
            if not died:
                return

    def sampled(self, count: int, seed: str) -> Iterator[tuple[Sequence[Kill], list[str]]]:
        """Some pairs and triples of deaths, decided by a seed."""
        choice = random.Random(seed)
        for _ in range(count):
            kills = [choice.choice(self.kills)]
            kills += [Kill(index=choice.randrange(len(self.points) + 8)) for _ in range(choice.choice((1, 1, 2)))]
            yield kills, self.tell(kills, breaks=choice.random() < 0.5)


def _die(world: EffectsWorld, operation: Sequence[str], kill: Kill) -> bool:
    """Calls an operation that is to die; whether it did."""
    if kill.effect:
        world.die(*kill.effect)
    number = signal.SIGTERM if kill.cancels else signal.SIGKILL
    faults = Faults(die_at=kill.label, die_index=kill.index, signal=number)
    result = world.call(*_filled_in(world, operation), faults=faults)
    world.spare()
    died = result.code in (KILLED, -signal.SIGTERM)  # what holds nothing just ends on SIGTERM
    assert died or result.code in (0, 1, 2, 3, 4), result
    return died


def _filled_in(world: EffectsWorld, operation: Sequence[str]) -> list[str]:
    """The words of an operation, with the run that there is evidence of for `{run}`."""
    runs = [name.rpartition("/")[2] for name in world.refs() if "/evidence/" in name]
    return [runs[0] if each == "{run}" else each for each in operation]


def _bury(world: EffectsWorld, reason: str, *, breaks: bool) -> None:
    """What makes a dead run's lease free: somebody breaks it, or its time passes."""
    if breaks:
        _break(world, reason)
    else:
        world.later += BROKEN_AFTER


def _break(world: EffectsWorld, reason: str) -> None:
    result = world.call("lease", "break", "-e", "dev", "--reason", reason)
    if "NYL-LEASE-UNBREAKABLE" not in result.stderr + result.stdout:
        assert result.code == 0, result
        world.note("broke", reason)


def _end(world: EffectsWorld, story: Story) -> list[str]:
    """Goes on as an operator would until the operation ends well; then everything must fit together."""
    result = _until_done(world, story.again, story.exits)
    if story.again[0] in ("hold", "resume", "teardown"):
        _until_done(world, ("reconcile", "-e", "dev"), (0, 2))
    checked = world.call("state", "check", "-e", "dev")
    wrong = problems(world.log, world.origin)
    if checked.code != 0:
        wrong.append(f"nyl state check: {checked.stdout}{checked.stderr}")
    stored = _files(world)
    expected = story.files if story.files is not None else frozenset(_EVERY)
    if stored != expected:
        wrong.append(f"state knows {sorted(stored)} and not {sorted(expected)} after {result.stdout}")
    return wrong


def _until_done(world: EffectsWorld, operation: Sequence[str], exits: Sequence[int]) -> Invocation:
    result = world.call(*operation)
    for _ in range(_ROUNDS):
        if result.code in exits:
            return result
        said = result.stdout + result.stderr
        waiting = uncertain_units(world.origin)
        if "NYL-LEASE-BROKEN" in said or ("NYL-RUN-UNIMPORTED" in said and operation[0] in ("hold", "resume")):
            world.nyl("recover", "-e", "dev", *_REASON, exits=(0, 4))
        elif "NYL-LEASE-HELD" in said:
            world.later += BROKEN_AFTER
        elif waiting:
            _retry(world, waiting)
        result = world.call(*operation)
    raise AssertionError(f"{' '.join(operation)} does not come to an end: {result}")


def _retry(world: EffectsWorld, waiting: dict[str, str]) -> None:
    for unit, work in waiting.items():
        world.tell(work, unit)
        world.nyl("recover", "-e", "dev", "--unit", unit, "--retry", *_REASON)


def _files(world: EffectsWorld) -> frozenset[str]:
    listed = world.git(
        "ls-tree", "-r", "--name-only", "refs/heads/nyl/dev/desired", "--", "desired/units", cwd=world.origin
    )
    return frozenset(Path(each).stem for each in listed.splitlines())
