"""The driver in examples/, as somebody who copies it would test it."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from nyl.units.registry import DriverRegistry
from tests.driver_package.installed import laid_out_at

FOLDER = Path(__file__).parents[2] / "examples/driver-package"


def test_its_own_tests_pass(tmp_path: Path) -> None:
    """In a process of its own, from its own folder and with its own settings."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:randomly"]
    environ = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    done = subprocess.run(
        [*command, f"--basetemp={tmp_path}/own"],
        cwd=FOLDER,
        env={**environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout


def test_nyl_finds_its_kind_by_its_entry_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tomllib.loads((FOLDER / "pyproject.toml").read_text())["project"]
    ((group, target),) = project["entry-points"]["nyl.drivers"].items()
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.syspath_prepend(str(laid_out_at(tmp_path, project["name"], {group: target})))

    found = DriverRegistry()

    assert found.names(group) == ("Checksum",)
    assert f"{project['name']} 1.0" in {each.package for each in found.all_kinds()}
    monkeypatch.delitem(sys.modules, "nyl_checksum_driver")
