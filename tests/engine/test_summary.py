"""Runs page, Transition commits: headline, summary and trailers."""

from typing import Any

import pytest

import nyl
from nyl.engine.results import Result, UnitReport
from nyl.engine.summary import RunDescription, headline, summary, trailers, unit_entry
from tests.engine.builders import EARLIER, KEY, NOW, RUN, S


def told(name: str, verdict: Result, **fields: Any) -> UnitReport:
    return UnitReport(name, "Command", verdict, **fields)


def test_the_headline_counts_every_result_but_current_in_the_order_of_the_page() -> None:
    units = [
        told("a", Result.UNCERTAIN),
        told("b", Result.EXECUTED),
        told("c", Result.CURRENT),
        told("d", Result.EXECUTED),
        told("e", Result.BLOCKED),
    ]
    assert headline("reconcile", "dev", units) == "nyl: reconcile dev (2 executed, 1 uncertain, 1 blocked)"


def test_without_anything_to_count_the_headline_has_no_parentheses() -> None:
    assert headline("reconcile", "dev", [told("a", Result.CURRENT)]) == "nyl: reconcile dev"


@pytest.mark.parametrize(
    ("unit", "entry"),
    [
        (told("a", Result.CURRENT, execution_key=KEY, detail="x"), {"result": "current"}),
        (told("a", Result.EXECUTED, execution_key=KEY), {"result": "executed", "executionKey": KEY}),
        (told("a", Result.RECOVERED, execution_key=KEY), {"result": "recovered", "executionKey": KEY}),
        (
            told("a", Result.IMPORTED, execution_key=KEY, run=EARLIER),
            {"result": "imported", "executionKey": KEY, "run": EARLIER},
        ),
        (
            told("a", Result.FAILED, execution_key=KEY, category="execution", retryable=False, detail="exit 1"),
            {"result": "failed", "category": "execution", "retryable": False, "reason": "exit 1"},
        ),
        (told("a", Result.UNCERTAIN, detail="killed"), {"result": "uncertain", "reason": "killed"}),
        (told("a", Result.BLOCKED, detail="db failed"), {"result": "blocked", "reason": "db failed"}),
        (told("a", Result.HELD), {"result": "held"}),
    ],
)
def test_what_the_summary_says_of_a_unit_depends_on_its_result(unit: UnitReport, entry: dict[str, object]) -> None:
    assert unit_entry(unit) == entry


def test_the_summary_has_units_by_name_then_lists_then_details() -> None:
    units = [told("b", Result.RECOVERED), told("a", Result.IMPORTED)]
    told_all = summary(units, ["b"], ["a"], {"sourceOverride": {"commit": S}})
    assert list(told_all) == ["units", "recovered", "imported", "sourceOverride"]
    assert list(told_all["units"]) == ["a", "b"]  # type: ignore[call-overload]
    assert (told_all["recovered"], told_all["imported"]) == (["b"], ["a"])


def test_trailers_come_in_their_order() -> None:
    described = trailers(RunDescription("reconcile", "dev", RUN, S, "alice@host", NOW))
    assert list(described.items()) == [
        ("Nyl-Operation", "reconcile"),
        ("Nyl-Run-Id", RUN),
        ("Nyl-Environment", "dev"),
        ("Nyl-Source-Commit", S),
        ("Nyl-Runner", "alice@host"),
        ("Nyl-Evaluated-At", "2026-10-25T13:05:12Z"),
        ("Nyl-Version", nyl.__version__),
    ]
