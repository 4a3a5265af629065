"""What the kind Checksum promises. The suite of nyl covers what every driver must do."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from nyl_checksum_driver import Checksum

from nyl.project.units import OutputDeclaration
from nyl.units.conformance import (
    aftercare_problems,
    driver_problems,
    execution_problems,
    interruption_problems,
    secret_problems,
)
from nyl.units.context import UnitContext, private_folder
from nyl.units.driver import ReceiptFacts, ResolvedUnit, TeardownOrder
from nyl.units.execution import execute, plan, tear_down, verify
from nyl.units.outcomes import Failed, Planned, Removed, Succeeded, Verified

SHA256 = {"sha256": OutputDeclaration("string")}
NOTHING = ReceiptFacts()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with the folder that the units name."""
    folder = tmp_path / "checkout"
    (folder / "assets").mkdir(parents=True)
    (folder / "assets/a.txt").write_text("one")
    return folder


@pytest.fixture
def published(tmp_path: Path) -> Path:
    """Where the checksum goes."""
    return tmp_path / "sum"


@pytest.fixture
def context(checkout: Path) -> UnitContext:
    """What nyl gives a driver."""
    with private_folder() as temporary:
        yield UnitContext(checkout, temporary, {"PATH": "/usr/bin:/bin"})


def unit(published: Path | None = None) -> ResolvedUnit:
    spec = {"folder": "assets"} | ({"publish": str(published)} if published else {})
    return ResolvedUnit("dev", "assets", "Checksum", spec, SHA256, timedelta(minutes=1))


def test_it_conforms(checkout: Path, published: Path) -> None:
    whole = unit(published)

    assert driver_problems(Checksum(), [unit().spec, whole.spec]) == ()
    assert execution_problems(Checksum(), unit(), checkout) == ()
    assert aftercare_problems(Checksum(), whole, checkout) == ()
    assert interruption_problems(Checksum(), whole, checkout) == ()
    assert secret_problems(Checksum(), whole, checkout, {"TOKEN": "not-for-everyone"}) == ()


@pytest.mark.parametrize(
    ("change", "differs"),
    [
        (lambda folder: (folder / "nyl.toml").touch(), False),
        (lambda folder: (folder / "assets/a.txt").write_text("two"), True),
        (lambda folder: (folder / "assets/a.txt").rename(folder / "assets/b.txt"), True),
    ],
)
def test_the_output_follows_names_and_contents(
    checkout: Path, context: UnitContext, change: Callable[[Path], object], differs: bool
) -> None:
    first = execute(Checksum(), unit(), context)
    change(checkout)
    again = execute(Checksum(), unit(), context)

    assert isinstance(first, Succeeded)
    assert (first != again) is differs


def test_an_empty_folder_fails(checkout: Path, context: UnitContext) -> None:
    (checkout / "assets/a.txt").unlink()

    failed = execute(Checksum(), unit(), context)

    assert isinstance(failed, Failed)
    assert failed.message == "there is no file below assets"


def test_what_is_published_already_is_no_change(context: UnitContext, published: Path) -> None:
    before = plan(Checksum(), unit(published), context, NOTHING)
    execute(Checksum(), unit(published), context)
    after = plan(Checksum(), unit(published), context, NOTHING)

    assert isinstance(before, Planned)
    assert before.text.startswith(f"~ {published}: nothing -> ")
    assert isinstance(after, Planned)
    assert after.text == ""


@pytest.mark.parametrize(
    ("change", "drift"),
    [
        (lambda path: None, None),
        (lambda path: path.write_text("abc\n"), "holds another checksum"),
        (lambda path: path.unlink(), "is gone"),
    ],
)
def test_a_published_checksum_that_somebody_changed_has_drifted(
    context: UnitContext, published: Path, change: Callable[[Path], object], drift: str | None
) -> None:
    receipt = receipt_of(published, context)
    change(published)

    found = verify(Checksum(), unit(published), context, receipt)

    assert found == Verified(drift is not None, f"{published} {drift}" if drift else "")


def test_a_checksum_that_cannot_be_read_is_no_drift(context: UnitContext, published: Path) -> None:
    receipt = receipt_of(published, context)
    published.unlink()
    published.mkdir()

    assert isinstance(verify(Checksum(), unit(published), context, receipt), Failed)
    assert isinstance(tear_down(Checksum(), unit(published), context, receipt, TeardownOrder()), Failed)
    assert isinstance(execute(Checksum(), unit(published), context), Failed)


def test_its_teardown_removes_the_file_and_nothing_else(context: UnitContext, published: Path) -> None:
    receipt = receipt_of(published, context)
    beside = published.with_name("beside")
    beside.touch()

    assert tear_down(Checksum(), unit(published), context, receipt, TeardownOrder()) == Removed()
    assert (published.exists(), beside.exists()) == (False, True)


def receipt_of(published: Path, context: UnitContext) -> ReceiptFacts:
    outcome = execute(Checksum(), unit(published), context)
    assert isinstance(outcome, Succeeded)
    return ReceiptFacts(outcome.outputs, outcome.artifacts)
