"""The driver in examples/, as somebody who copies it would test it."""

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from nyl.units.conformance import aftercare_problems, driver_problems, execution_problems
from nyl.units.driver import Driver, ReceiptFacts, ResolvedUnit
from nyl.units.outcomes import Failed, Removed, Succeeded, Verified
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
    published = {**SPEC, "publish": str(tmp_path / "sum")}

    assert driver_problems(driver, [SPEC, published]) == ()
    assert execution_problems(driver, unit(SPEC), tmp_path) == ()
    assert aftercare_problems(driver, unit(published, {"sha256": "string"}), tmp_path) == ()


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


@pytest.fixture
def receipt(driver: Driver, bench: Bench) -> ReceiptFacts:
    """That of a published checksum."""
    outcome = bench.execute(driver, published(bench))
    assert isinstance(outcome, Succeeded)
    return ReceiptFacts(outcome.outputs, outcome.artifacts)


def published(bench: Bench) -> ResolvedUnit:
    return unit({**SPEC, "publish": str(bench.checkout / "sum")})


@pytest.mark.parametrize(
    ("change", "drift"),
    [
        (lambda path: None, None),
        (lambda path: path.write_text("abc\n"), "holds another checksum"),
        (lambda path: path.unlink(), "is gone"),
    ],
)
def test_a_published_checksum_that_somebody_changed_has_drifted(
    driver: Driver, bench: Bench, receipt: ReceiptFacts, change: Callable[[Path], object], drift: str | None
) -> None:
    change(bench.checkout / "sum")

    found = bench.verify(driver, published(bench), receipt)

    assert isinstance(found, Verified)
    assert (found.drifted, found.detail) == (drift is not None, f"{bench.checkout}/sum {drift}" if drift else "")


def test_a_checksum_that_cannot_be_read_is_no_drift(driver: Driver, bench: Bench, receipt: ReceiptFacts) -> None:
    (bench.checkout / "sum").unlink()
    (bench.checkout / "sum").mkdir()

    assert isinstance(bench.verify(driver, published(bench), receipt), Failed)
    assert isinstance(bench.tear_down(driver, published(bench), receipt), Failed)
    assert isinstance(bench.execute(driver, published(bench)), Failed)


def test_its_teardown_removes_the_file_and_nothing_else(driver: Driver, bench: Bench, receipt: ReceiptFacts) -> None:
    (bench.checkout / "other").touch()

    assert bench.tear_down(driver, published(bench), receipt) == Removed()
    assert [each.name for each in bench.checkout.iterdir()] == ["other"]
