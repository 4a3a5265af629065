"""Operations die at their boundaries; what takes over must lose nothing, guess nothing and repeat nothing.

This is a bounded slice: some deaths of each story. `scripts/soak crash` tells all of them, and every pair.
"""

from pathlib import Path

import pytest

from tests.scenarios.crash_matrix import STORIES, Matrix
from tests.support.forks import Forks
from tests.support.warm import warm_forks

DEATHS = {"create": 7}
OTHERWISE = 2
"""How many single deaths of a story are told here."""


@pytest.fixture(scope="module")
def forks() -> Forks:
    return warm_forks()


@pytest.mark.parametrize("name", STORIES)
def test_an_operation_that_dies_is_taken_over(name: str, tmp_path: Path, forks: Forks) -> None:
    matrix = Matrix.of(STORIES[name], tmp_path / "matrix", forks)
    kills = matrix.spread(DEATHS.get(name, OTHERWISE))
    wrong = {
        str(kill): found for number, kill in enumerate(kills) if (found := matrix.tell([kill], breaks=number % 2 == 0))
    }
    assert not wrong


@pytest.mark.parametrize("name", ["create", "leave"])
def test_what_takes_over_may_die_as_well(name: str, tmp_path: Path, forks: Forks) -> None:
    matrix = Matrix.of(STORIES[name], tmp_path / "matrix", forks)
    wrong = {str([*map(str, kills)]): found for kills, found in matrix.sampled(3, name) if found}
    assert not wrong
