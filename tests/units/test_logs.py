"""Log files of units, which never decide how a unit ends."""

import os
import stat
from pathlib import Path

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import Severity
from nyl.units.logs import UnitLogs


def test_lines_are_appended_across_invocations(tmp_path: Path) -> None:
    for line in ("one", "twö"):
        with UnitLogs(tmp_path / "logs").sink("dev", "seed") as log:
            log(line)

    assert (tmp_path / "logs/dev/seed.log").read_text() == "one\ntwö\n"


def test_new_logs_are_private(tmp_path: Path) -> None:
    os.umask(0o022)
    UnitLogs(tmp_path / "logs").sink("dev", "seed").close()

    assert stat.S_IMODE((tmp_path / "logs/dev/seed.log").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "logs/dev").stat().st_mode) == 0o700


def occupy_with_file(place: Path) -> None:
    place.parent.parent.mkdir()
    place.parent.write_text("a file where a folder must be")


def occupy_with_pipe(place: Path) -> None:
    place.parent.mkdir(parents=True)
    os.mkfifo(place)


def occupy_with_link(place: Path) -> None:
    place.parent.mkdir(parents=True)
    place.symlink_to("/etc/passwd")


@pytest.mark.parametrize("occupy", [occupy_with_file, occupy_with_pipe, occupy_with_link])
def test_a_log_that_cannot_be_opened_is_warned_of_once(tmp_path: Path, occupy: object) -> None:
    assert callable(occupy)
    logs = UnitLogs(tmp_path / "logs")
    occupy(tmp_path / "logs/dev/seed.log")

    with logs.sink("dev", "seed") as log:
        log("one")
        log("two")

    (warning,) = logs.warnings
    assert (warning.code, warning.severity, warning.unit) == (Code.UNIT_LOG, Severity.WARNING, "seed")
    assert "seed.log" in warning.message


def test_a_log_that_cannot_be_written_is_warned_of_once(tmp_path: Path) -> None:
    logs = UnitLogs(tmp_path)
    with logs.sink("dev", "seed") as log:
        log("fits")
        full = os.open("/dev/full", os.O_WRONLY)
        assert log._descriptor is not None
        os.dup2(full, log._descriptor)
        os.close(full)
        log("one")
        log("two")

    assert len(logs.warnings) == 1
    assert "could not be written" in logs.warnings[0].message
