"""How many units a run records as started ahead of its slots."""

import pytest

from nyl.engine.lookahead import Lookahead

MANY = 1000


def window(slots: int, *observed: tuple[int, int]) -> int:
    ahead = Lookahead(slots)
    for pending, waiting in observed:
        ahead.observe(pending, waiting)
    return ahead.window


@pytest.mark.parametrize(
    ("observed", "expected"),
    [
        ([], 4),
        ([(0, 10)], 4),
        ([(0, MANY)], 8),
        ([(0, MANY)] * 2, 16),
        ([(0, MANY)] * 9, 32),
        ([(3, MANY)], 4),
        ([(0, MANY), (0, MANY), (9, MANY)], 8),
        ([(0, MANY), (9, MANY), (9, MANY)], 4),
        ([(0, MANY), (0, MANY), (0, 10)], 4),
    ],
)
def test_the_window_opens_for_many_short_units_and_closes_again(observed: list[tuple[int, int]], expected: int) -> None:
    assert window(4, *observed) == expected
