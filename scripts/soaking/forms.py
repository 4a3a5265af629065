"""The three forms of a soak. Each gives its cases one by one, with what was wrong in them."""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hypothesis import HealthCheck, Phase, Verbosity, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.scenarios.crash_matrix import STORIES, Matrix
from tests.scenarios.model_machine import EnvironmentMachine
from tests.scenarios.races import Race, Track
from tests.support.effects import EffectsWorld, Template
from tests.support.forks import Forks

Case = tuple[str, list[str]]

_EXAMPLES = 4
"""Sequences of the model in one case."""


@dataclass(frozen=True)
class Soak:
    """What all forms need."""

    seed: int
    folder: Path
    forks: Forks
    stories: Sequence[str] | None = None
    processes: int | None = None


def crash(soak: Soak) -> Iterator[Case]:
    """Every death in every story, then every pair of deaths, in an order that the seed decides."""
    choice = random.Random(soak.seed)
    names = list(soak.stories or STORIES)
    matrices = {name: Matrix.of(STORIES[name], soak.folder / f"crash-{name}", soak.forks) for name in names}
    deaths = [(name, kill, breaks) for name in names for kill in matrices[name].kills for breaks in (False, True)]
    choice.shuffle(deaths)
    for name, kill, breaks in deaths:
        yield f"{name}: {kill}, {_how(breaks)}", matrices[name].tell([kill], breaks=breaks)
    for name, kill, breaks in deaths:
        for pair, wrong in matrices[name].pairs(kill, breaks=breaks):
            yield f"{name}: {', then '.join(map(str, pair))}, {_how(breaks)}", wrong


def races(soak: Soak) -> Iterator[Case]:
    """Races without end; every other one with deaths and broken leases."""
    track = Track.of(soak.folder / "races", soak.forks)
    choice = random.Random(soak.seed)
    number = 0
    while True:
        number += 1
        processes = soak.processes or choice.randint(2, 8)
        race = Race(f"{soak.seed}/{number}", processes, processes * 5, deadly=number % 2 == 0)
        yield f"race {race}", track.run(race)


def model(soak: Soak) -> Iterator[Case]:
    """Sequences against the reference model, without end."""
    template = Template.of(EffectsWorld.build(soak.folder / "model/case", soak.forks), soak.folder / "model/kept")
    choice = random.Random(soak.seed)
    while True:
        number = choice.randrange(1 << 32)
        yield f"model with seed {number}", _sequences(template, number)


FORMS: dict[str, Callable[[Soak], Iterator[Case]]] = {"crash": crash, "races": races, "model": model}


def _sequences(template: Template, number: int) -> list[str]:
    machine = seed(number)(type("Machine", (EnvironmentMachine,), {"fresh": staticmethod(template.copy)}))
    try:
        run_state_machine_as_test(
            machine,
            settings=settings(
                max_examples=_EXAMPLES,
                stateful_step_count=25,
                deadline=None,
                database=None,
                phases=(Phase.generate,),
                report_multiple_bugs=False,
                verbosity=Verbosity.normal,
                suppress_health_check=list(HealthCheck),
            ),
        )
    except AssertionError as problem:
        return [str(problem), *getattr(problem, "__notes__", ())]
    return []


def _how(breaks: bool) -> str:
    return "broken" if breaks else "expired"
