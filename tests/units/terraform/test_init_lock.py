"""Units share downloads of plugins, and one init runs at a time, in one process and in several."""

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from nyl.core.cancellation import CancellationToken
from nyl.units.context import UnitContext
from nyl.units.outcomes import Failed, Succeeded, Uncertain
from nyl.units.terraform.halts import Halt
from nyl.units.terraform.init_lock import alone
from tests.units.building import VARIABLES
from tests.units.terraform.modules import LOCAL, Module

JEALOUS = """#!/bin/sh
case $1 in
version) echo '{"terraform_version": "1.11.4"}' ;;
init)
    mkdir "$TF_PLUGIN_CACHE_DIR/busy" || { echo "Error: text file busy"; exit 1; }
    sleep 0.05
    rmdir "$TF_PLUGIN_CACHE_DIR/busy"
    mkdir -p "$TF_DATA_DIR"
    echo '{"backend": {"type": "s3"}}' > "$TF_DATA_DIR/terraform.tfstate" ;;
plan) exit 0 ;;
show) echo '{"terraform_version": "1.11.4", "applyable": false}' ;;
esac
"""
"""A tool that fails when two inits overlap in one folder of plugins, and has nothing to change."""


def jealous(folder: Path, shared: Path) -> Module:
    module = Module(folder)
    module.tool(JEALOUS)
    module.write(LOCAL)
    module.spec = {"source": {"path": "infra/db"}}
    module.context.shared = shared
    return module


def test_twenty_units_at_once_never_overlap_in_their_inits(tmp_path: Path) -> None:
    modules = [jealous(tmp_path / str(index), tmp_path / "shared") for index in range(20)]
    with ThreadPoolExecutor(8) as pool:
        ended = list(pool.map(lambda each: each.apply(), modules))
    assert ended == [Succeeded(versions={"terraform": "1.11.4"})] * 20


def test_the_inits_of_another_process_do_not_overlap_either(tmp_path: Path) -> None:
    program = (
        "import sys, pathlib; from tests.units.terraform.test_init_lock import jealous\n"
        "ended = [jealous(pathlib.Path(sys.argv[1]) / str(n), pathlib.Path(sys.argv[2])).apply() for n in range(3)]\n"
        "print(*ended, sep='\\n'); sys.exit(any('Failed' in str(each) for each in ended))"
    )
    folders = [tmp_path / name for name in ("one", "two")]
    for each in folders:
        each.mkdir()
    started = [
        subprocess.Popen(
            [sys.executable, "-c", program, each, tmp_path / "shared"],
            cwd=Path(__file__).parents[3],
            stdout=subprocess.PIPE,
            text=True,
        )
        for each in folders
    ]
    assert [(each.communicate()[0], each.returncode)[1] for each in started] == [0, 0]


def context(tmp_path: Path, deadline: float | None = None) -> UnitContext:
    private = tmp_path / "private"
    private.mkdir()
    return UnitContext(tmp_path, private, VARIABLES, deadline=deadline, cancellation=CancellationToken())


def test_waiting_ends_with_the_units_time(tmp_path: Path) -> None:
    late = context(tmp_path, deadline=time.monotonic() + 0.1)
    with alone(tmp_path, late), pytest.raises(Halt, match="passed its timeout") as caught, alone(tmp_path, late):
        pytest.fail("two at a time")
    assert isinstance(caught.value.with_effect, Uncertain)
    assert isinstance(caught.value.without_effect, Failed)


def test_waiting_ends_when_the_run_is_cancelled(tmp_path: Path) -> None:
    waiting = context(tmp_path)
    threading.Timer(0.1, waiting.cancellation.cancel).start()
    with alone(tmp_path, waiting), pytest.raises(Halt, match="cancelled"), alone(tmp_path, waiting):
        pytest.fail("two at a time")


def test_whoever_comes_next_gets_the_lock_when_its_holder_dies(tmp_path: Path) -> None:
    child = os.fork()
    if child == 0:
        with alone(tmp_path, context(tmp_path)):
            os._exit(0)
    os.waitpid(child, 0)
    later = UnitContext(tmp_path, tmp_path / "private", VARIABLES, deadline=time.monotonic() + 5)
    with alone(tmp_path, later):
        assert (tmp_path / "lock").stat().st_mode & 0o777 == 0o600
