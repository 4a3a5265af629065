"""Whatever a driver does when it tears down, verifies or inspects, an outcome comes of it."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from nyl.units.command import CommandDriver
from nyl.units.driver import ExecutionContext, ReceiptFacts, ResolvedUnit, TeardownOrder
from nyl.units.outcomes import (
    Failed,
    FailureCategory,
    InspectOutcome,
    NotApplied,
    Removed,
    Succeeded,
    TeardownOutcome,
    Uncertain,
    Unknown,
    Verified,
    VerifyOutcome,
    Waiting,
)
from tests.units.building import Bench, unit

UNIT = unit({})


class Scripted(CommandDriver):
    """A driver that answers one thing to everything it is asked about later."""

    def __init__(self, act: Callable[[], Any]) -> None:
        self._act = act

    def teardown(
        self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts, order: TeardownOrder
    ) -> TeardownOutcome:
        outcome: TeardownOutcome = self._act()
        return outcome

    def verify(self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts) -> VerifyOutcome:
        outcome: VerifyOutcome = self._act()
        return outcome

    def inspect(self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts) -> InspectOutcome:
        outcome: InspectOutcome = self._act()
        return outcome


class Bare:
    """A driver that can only execute."""

    kind = "Bare"


def answering(answer: object) -> Scripted:
    return Scripted(lambda: answer)


def raising(error: BaseException) -> Scripted:
    def act() -> Any:
        raise error

    return Scripted(act)


@pytest.mark.parametrize("error", [RuntimeError("odd"), SystemExit(0), RecursionError(), KeyError("k")])
def test_a_driver_that_raises_is_uncertain_failed_or_unknown(bench: Bench, error: BaseException) -> None:
    driver = raising(error)

    removal, check, look = bench.tear_down(driver, UNIT), bench.verify(driver, UNIT), bench.inspect(driver, UNIT)

    assert isinstance(removal, Uncertain)
    assert isinstance(check, Failed)
    assert check.category is FailureCategory.DRIVER_ERROR
    assert isinstance(look, Unknown)
    assert type(error).__name__ in removal.reason
    assert removal.reason == check.message == look.reason


@pytest.mark.parametrize("answer", [None, True, "ok", Removed, Succeeded])
def test_an_answer_that_is_no_outcome_never_counts(bench: Bench, answer: object) -> None:
    driver = answering(answer)

    assert isinstance(bench.tear_down(driver, UNIT), Uncertain)
    assert isinstance(bench.verify(driver, UNIT), Failed)
    assert isinstance(bench.inspect(driver, UNIT), Unknown)


def test_a_driver_without_the_method_had_no_effect(bench: Bench) -> None:
    driver: Any = Bare()

    assert bench.tear_down(driver, UNIT) == Failed(
        FailureCategory.DRIVER_ERROR, False, "the driver of Command cannot tear down"
    )
    assert isinstance(bench.verify(driver, UNIT), Failed)
    assert bench.inspect(driver, UNIT) == Unknown("the driver of Command cannot inspect")


def test_nothing_starts_in_a_cancelled_run(bench: Bench) -> None:
    bench.cancellation.cancel()
    driver = raising(AssertionError("it was asked"))

    removal, check, look = bench.tear_down(driver, UNIT), bench.verify(driver, UNIT), bench.inspect(driver, UNIT)

    assert isinstance(removal, Failed)
    assert (removal.category, removal.retryable) == (FailureCategory.START, True)
    assert isinstance(check, Failed)
    assert isinstance(look, Unknown)
    assert "cancelled before" in look.reason


@pytest.mark.parametrize(
    "answer",
    [
        Removed(),
        Removed("two buckets may be left"),
        Waiting("3 workloads are left", {"phase": 2, "left": ["a"]}),
        Failed(FailureCategory.EXECUTION, True, "locked"),
        Uncertain("lost"),
    ],
)
def test_every_teardown_outcome_comes_through(bench: Bench, answer: TeardownOutcome) -> None:
    assert bench.tear_down(answering(answer), UNIT) == answer


@pytest.mark.parametrize("answer", [Verified(False), Verified(True, "2 rows", "degraded", {"scan": {"at": "x"}})])
def test_every_verification_comes_through(bench: Bench, answer: VerifyOutcome) -> None:
    assert bench.verify(answering(answer), UNIT) == answer


@pytest.mark.parametrize("answer", [NotApplied(), Unknown("no access"), Succeeded({}, {"image": {"a": 1}})])
def test_every_inspection_comes_through(bench: Bench, answer: InspectOutcome) -> None:
    assert bench.inspect(answering(answer), UNIT) == answer


@pytest.mark.parametrize("value", [{"x": Path("/")}, {"x": float("nan")}, {"x": {1, 2}}, {"x": b"bytes"}])
def test_progress_and_attestations_are_plain_data(bench: Bench, value: Mapping[str, Any]) -> None:
    assert isinstance(bench.tear_down(answering(Waiting("w", value)), UNIT), Uncertain)
    assert isinstance(bench.verify(answering(Verified(False, attestations=value)), UNIT), Failed)


def test_progress_and_attestations_hold_no_secret(bench: Bench) -> None:
    bench.context.masker.add("hunter2222")
    value = {"x": ["db://u:hunter2222@h"]}

    removal = bench.tear_down(answering(Waiting("w", value)), UNIT)
    check = bench.verify(answering(Verified(False, attestations=value)), UNIT)

    assert isinstance(removal, Uncertain)
    assert isinstance(check, Failed)
    assert removal.reason == "the driver of Command gave progress with the value of a secret, which is never stored"
    assert "attestations with the value of a secret" in check.message


def test_outputs_of_an_inspection_are_held_against_the_declaration(bench: Bench) -> None:
    driver = answering(Succeeded({"x": 1, "more": 2}))

    assert bench.inspect(driver, unit({}, {"x": "integer"})) == Succeeded({"x": 1})
    assert [each.unit for each in bench.context.warnings] == ["seed"]
    assert bench.inspect(driver, unit({}, {"x": "string"})) == Unknown(
        "it was applied, but output x is an integer where string is declared"
    )


@pytest.mark.parametrize(
    ("ask", "answer"),
    [
        (Bench.tear_down, Removed("bucket hunter2222 is left")),
        (Bench.tear_down, Waiting("hunter2222 is left")),
        (Bench.tear_down, Failed(FailureCategory.EXECUTION, False, "hunter2222 is wrong")),
        (Bench.verify, Verified(True, "hunter2222 is gone", "hunter2222")),
        (Bench.inspect, Unknown("hunter2222 is wrong")),
    ],
)
def test_secrets_are_masked_in_what_an_outcome_says(bench: Bench, ask: Any, answer: object) -> None:
    bench.context.masker.add("hunter2222")

    text = str(ask(bench, answering(answer), UNIT))

    assert "hunter2222" not in text
    assert "***" in text


def test_health_is_text(bench: Bench) -> None:
    answer: Any = Verified(False, health=3)  # type: ignore[arg-type]

    assert isinstance(bench.verify(answering(answer), UNIT), Failed)
