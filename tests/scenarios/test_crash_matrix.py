"""Operations die at their boundaries; what takes over must lose nothing, guess nothing and repeat nothing.

This is a bounded slice: every kind of boundary, and every operation at one of its own. A death before a push leaves
what one behind the push before it leaves. `scripts/soak crash` tells all of them, and every pair.
"""

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.scenarios.crash_matrix import STORIES, Kill, Matrix
from tests.support.forks import Forks
from tests.support.warm import warm_forks

DEATHS: dict[str, Sequence[Kill]] = {
    "create": (
        Kill("before push of lease #1"),
        Kill("after push of lease #1", cancels=True),
        Kill("after push of checkpoints #1"),
        Kill(effect=("before", "execution", "migrate")),
        Kill(effect=("after", "execution", "cache")),
        Kill("after push of release #1"),
    ),
    "change": (Kill(effect=("after", "execution", "worker")),),
    "leave": (Kill("after push of checkpoints #3"), Kill(effect=("before", "teardown", "worker"))),
    "teardown-all": (Kill(effect=("after", "teardown", "database")),),
    "replace": (Kill("after work on cache #1"),),
    "take-over": (Kill("after push of lease #2"), Kill("after push of results #1")),
    "recover-run": (Kill("after push of lease #2", cancels=True), Kill("after push of conclusion #1")),
    "retry": (Kill("after push of lease #1"),),
    "break": (Kill("before push of break #1"), Kill("after push of break #1")),
    "hold": (Kill("after push of conclusion #1"),),
    "accept": (Kill("before push of conclusion #1"),),
    "verify": (Kill("after look #2", cancels=True),),
    "forget": (Kill("after push of conclusion #1"),),
    "retain": (Kill("before push of results #1"),),
    "resume": (Kill("after look #1"),),
}


@pytest.fixture(scope="module")
def forks() -> Forks:
    return warm_forks()


def test_every_story_is_told() -> None:
    assert list(DEATHS) == list(STORIES)


@pytest.mark.parametrize("name", DEATHS)
def test_an_operation_that_dies_is_taken_over(name: str, tmp_path: Path, forks: Forks) -> None:
    matrix = Matrix.of(STORIES[name], tmp_path / "matrix", forks)
    assert set(DEATHS[name]) <= set(matrix.kills)
    first = list(DEATHS).index(name)  # so that every other lease is broken, and the others are past their deadline
    told = {kill: matrix.tell([kill], breaks=number % 2 == 0) for number, kill in enumerate(DEATHS[name], first)}
    assert not {str(kill): wrong for kill, wrong in told.items() if wrong}


@pytest.mark.parametrize("name", ["create", "leave"])
def test_what_takes_over_may_die_as_well(name: str, tmp_path: Path, forks: Forks) -> None:
    matrix = Matrix.of(STORIES[name], tmp_path / "matrix", forks)
    wrong = {str([*map(str, kills)]): found for kills, found in matrix.sampled(2, name) if found}
    assert not wrong
