from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nyl.core.durations import format_duration, parse_duration


@pytest.mark.parametrize(
    ("text", "seconds"), [("90s", 90), ("10m", 600), ("1h30m", 5400), ("7d", 604_800), ("1d2h3m4s", 93_784)]
)
def test_durations_are_read(text: str, seconds: int) -> None:
    assert parse_duration(text) == timedelta(seconds=seconds)


@pytest.mark.parametrize(
    "text", ["", "0s", "-1m", "10", "m", "1.5h", "1m1h", "1w", " 1m", "1m\n", "1 m", "٣m", "0m0s", "9" * 5000 + "s"]
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        parse_duration(text)


@given(st.integers(1, 10**9))
def test_what_is_written_reads_back(seconds: int) -> None:
    assert parse_duration(format_duration(timedelta(seconds=seconds))) == timedelta(seconds=seconds)


def test_less_than_a_second_is_none() -> None:
    assert format_duration(timedelta(milliseconds=400)) == "0s"
