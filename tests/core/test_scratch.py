"""Spec of temporary folders: those of a killed process go, and none that anybody still works in."""

import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from nyl.core.scratch import drop_folder, make_folder, scratch_folder, sweep, swept_once

LEAVE = """
import os, sys
from pathlib import Path
from nyl.core.cancellation import CancellationToken
from nyl.core.scratch import make_folder
from nyl.core.supervision import ToolCall
from nyl.core.tools import run_tool
folder = make_folder("unit")
(folder / "secret").write_text("x")
print(folder, flush=True)
if len(sys.argv) > 1:
    call = ["sh", "-c", "echo $$; exec sleep 60"]
    real = Path(os.path.realpath(folder))
    run_tool(ToolCall(call, real, dict(os.environ), lambda data: os.write(1, data) and None, CancellationToken()))
os.kill(os.getpid(), 9)
"""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where temporary files go, in which nothing is removed by and by."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    swept_once(tmp_path).result()


def left(place: Path, *tool: str) -> "subprocess.Popen[str]":
    """A process that makes a folder and is killed, unless it runs a tool there."""
    environ = {**os.environ, "TMPDIR": str(place)}
    return subprocess.Popen([sys.executable, "-c", LEAVE, *tool], stdout=subprocess.PIPE, text=True, env=environ)


def line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_the_folder_of_a_killed_process_goes_and_that_of_a_live_one_stays(tmp_path: Path) -> None:
    with left(tmp_path) as dead:
        gone = Path(line(dead))
    with scratch_folder("slots") as mine:
        assert gone.exists()
        sweep(tmp_path)
        assert (gone.exists(), mine.exists()) == (False, True)
    assert not mine.exists()


@pytest.mark.parametrize("named", [".", "link"])
def test_a_folder_stays_while_a_tool_of_a_killed_process_works_there(tmp_path: Path, named: str) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    with left(tmp_path / named, "tool") as process:
        folder, tool = Path(line(process)), int(line(process))
        process.kill()
    sweep(tmp_path)
    assert (folder / "secret").exists()
    ended = os.pidfd_open(tool)
    os.kill(tool, signal.SIGKILL)
    select_readable(ended)
    sweep(tmp_path)
    assert not folder.exists()


def select_readable(descriptor: int) -> None:
    import select

    select.select([descriptor], [], [], 10)
    os.close(descriptor)


def test_only_folders_of_this_start_of_this_machine_are_looked_at(tmp_path: Path) -> None:
    folder = make_folder("unit")
    drop_folder(folder)
    boot = folder.name.split("-")[2]
    assert re.fullmatch("[0-9a-f]{32}", boot)
    others = [f"nyl-unit-{'0' * 32}-abcdefgh", "nyl-unit-abcdefgh", f"nyl-unit-{boot}", "other"]
    for name in others:
        (tmp_path / name).mkdir()
    (tmp_path / f"nyl-unit-{boot}-abcdefgh").symlink_to(tmp_path / "other")
    sweep(tmp_path)
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted([*others, f"nyl-unit-{boot}-abcdefgh"])


@pytest.mark.parametrize("mode", [0o500, 0o000])
def test_what_a_tool_made_unwritable_goes_as_well(tmp_path: Path, mode: int) -> None:
    folder = make_folder("unit")
    (folder / "cache").mkdir()
    (folder / "cache" / "file").write_text("x")
    (folder / "cache").chmod(mode)
    drop_folder(folder)
    assert not folder.exists()


def test_a_folder_that_is_gone_already_changes_nothing_around_it(tmp_path: Path) -> None:
    tmp_path.chmod(0o1777)
    folder = make_folder("unit")
    folder.rmdir()
    drop_folder(folder)
    assert tmp_path.stat().st_mode & 0o7777 == 0o1777
