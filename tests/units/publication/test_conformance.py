"""The suite that every driver must pass, on the kind KubernetesPublication and a real branch."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from nyl.units.conformance import aftercare_problems, driver_problems, secret_problems
from nyl.units.driver import ExecutionContext, ReceiptFacts, ResolvedUnit, TeardownOrder
from nyl.units.outcomes import Outcome, PlanOutcome, TeardownOutcome, VerifyOutcome
from nyl.units.publication.driver import KubernetesPublicationDriver
from nyl.units.source_project import SourceProject
from tests.support.publishing import UID, Publisher


class Placed(KubernetesPublicationDriver):
    """The driver with what a run gives it beside a checkout: the project, and the unit's incarnation."""

    def __init__(self, source: Callable[[], SourceProject], fingerprint: str | None) -> None:
        self._source = source
        self._fingerprint = fingerprint

    def plan(self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts) -> PlanOutcome:
        return super().plan(unit, self._placed(context), _owned(receipt))

    def execute(self, unit: ResolvedUnit, context: ExecutionContext) -> Outcome:
        return super().execute(unit, self._placed(context))

    def verify(self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts) -> VerifyOutcome:
        return super().verify(unit, self._placed(context), _owned(receipt))

    def plan_teardown(self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts) -> PlanOutcome:
        return super().plan_teardown(unit, self._placed(context), _owned(receipt))

    def teardown(
        self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts, order: TeardownOrder
    ) -> TeardownOutcome:
        return super().teardown(unit, self._placed(context), _owned(receipt), order)

    def _placed(self, context: ExecutionContext) -> ExecutionContext:
        context.source, context.fingerprint = self._source(), self._fingerprint
        context.receipt = _owned(ReceiptFacts())
        return context


def _owned(receipt: ReceiptFacts) -> ReceiptFacts:
    return ReceiptFacts(receipt.outputs, receipt.artifacts, UID)


@pytest.fixture
def placed(publisher: Publisher) -> tuple[Placed, ResolvedUnit]:
    """The driver, and the unit as it is resolved."""
    completion = publisher.complete()
    unit = ResolvedUnit("dev", "kubernetes", "KubernetesPublication", completion.spec, {}, timedelta(minutes=1))
    commit = publisher.world.git("rev-parse", "HEAD")
    return Placed(lambda: publisher.source(commit), completion.fingerprint), unit


def test_it_keeps_its_promises() -> None:
    specs = [
        {"target": "prod"},
        {"target": "prod", "mode": "publish", "teardownWait": {"strategy": "delay", "duration": "10m"}},
    ]

    assert driver_problems(KubernetesPublicationDriver(), specs) == ()


def test_it_looks_after_what_it_published(placed: tuple[Placed, ResolvedUnit], tmp_path: Path) -> None:
    driver, unit = placed
    (tmp_path / "checkout").mkdir()

    assert aftercare_problems(driver, unit, tmp_path / "checkout") == ()


def test_it_keeps_its_secrets(placed: tuple[Placed, ResolvedUnit], tmp_path: Path) -> None:
    driver, unit = placed
    (tmp_path / "checkout").mkdir()

    assert secret_problems(driver, unit, tmp_path / "checkout", {"TOKEN": "correct-horse-battery"}) == ()
