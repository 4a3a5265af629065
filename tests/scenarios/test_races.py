"""Processes that race on one remote. This is a bounded slice; `scripts/soak races` goes on."""

from pathlib import Path

import pytest

from tests.scenarios.races import Race, Track
from tests.support.forks import Forks


@pytest.mark.parametrize("deadly", [False, True])
def test_processes_that_race_leave_a_state_that_tells_everything(
    deadly: bool, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    forks = Forks(tmp_path_factory.mktemp("calls"))
    try:
        track = Track.of(tmp_path / "track", forks)
        assert track.run(Race("slice", 4, 8, deadly=deadly)) == []
    finally:
        forks.close()
