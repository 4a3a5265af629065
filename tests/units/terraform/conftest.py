"""Modules for the tests of both kinds."""

from pathlib import Path

import pytest

from tests.units.terraform.modules import LOCAL, SHOWN, SIZED, Module


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the units of these tests share, so that the tool is asked for its version once."""
    return tmp_path_factory.mktemp("shared")


@pytest.fixture
def module(tmp_path: Path, shared: Path) -> Module:
    """A Terraform unit with one resource, of the variable `size`."""
    made = Module(tmp_path / "unit", shared=shared)
    made.write(LOCAL + SIZED + SHOWN)
    return made


@pytest.fixture(params=["terraform", "tofu"])
def either(request: pytest.FixtureRequest, tmp_path: Path, shared: Path) -> Module:
    """The same, of both kinds; the program `tofu` is terraform under that name."""
    made = Module(tmp_path / "unit", request.param, shared=shared)
    made.write(LOCAL + SIZED + SHOWN)
    return made
