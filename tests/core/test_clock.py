from datetime import timedelta

import pytest

from nyl.core.clock import Instant


@pytest.mark.parametrize("text", ["2026-10-25T13:05:12.386099409Z", "2026-10-25T13:05:12.386099409+00:00"])
def test_instants_are_read_with_nanoseconds(text: str) -> None:
    instant = Instant.parse(text)
    assert instant.iso() == "2026-10-25T13:05:12.386099409Z"
    assert instant.iso_seconds() == "2026-10-25T13:05:12Z"
    assert instant.iso_offset() == "2026-10-25T13:05:12.386099409+00:00"


def test_instants_and_durations_add_up() -> None:
    start = Instant(1_000)
    assert (start + timedelta(seconds=2)).ns == 2_000_001_000
    assert (start + timedelta(seconds=2)) - start == timedelta(seconds=2)


@pytest.mark.parametrize("text", ["", "yesterday", "2026-10-25", "2026-10-25T13:05:12.xZ", "2026-13-25T13:05:12Z"])
def test_other_texts_are_no_instants(text: str) -> None:
    with pytest.raises(ValueError):
        Instant.parse(text)
