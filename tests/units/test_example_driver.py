"""The driver in examples/, as somebody who copies it would test it."""

import tomllib
from pathlib import Path

import pytest

from nyl.units.conformance import driver_problems, execution_problems
from nyl.units.driver import Driver, Succeeded
from tests.units.building import Bench, unit

FOLDER = Path(__file__).parents[2] / "examples/driver"
SPEC = {"folder": "assets"}


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> Driver:
    """What the package's entry point gives."""
    points = tomllib.loads((FOLDER / "pyproject.toml").read_text())["project"]["entry-points"]["nyl.drivers"]
    ((group, target),) = points.items()
    monkeypatch.syspath_prepend(str(FOLDER))
    module, _, name = target.partition(":")
    (found,) = getattr(__import__(module), name)()
    assert found.api_version == group
    return found  # type: ignore[no-any-return]


def test_it_conforms(driver: Driver, tmp_path: Path) -> None:
    assert driver_problems(driver, [SPEC]) == ()
    assert execution_problems(driver, unit(SPEC), tmp_path) == ()


def test_its_output_follows_names_and_contents(driver: Driver, bench: Bench) -> None:
    def checksum() -> object:
        outcome = bench.execute(driver, unit(SPEC, {"sha256": "string"}))
        assert isinstance(outcome, Succeeded)
        return outcome.outputs["sha256"]

    assets = bench.checkout / "assets"
    assets.mkdir()
    (assets / "a.txt").write_text("one")
    first = checksum()
    (bench.checkout / "nyl.toml").write_text("")
    assert checksum() == first
    (assets / "a.txt").write_text("two")
    assert checksum() != first
    (assets / "a.txt").write_text("one")
    (assets / "a.txt").rename(assets / "b.txt")
    assert checksum() != first
