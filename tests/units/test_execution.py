"""Whatever a driver does, an outcome comes of it."""

import asyncio
import json
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from nyl.project.units import OutputDeclaration
from nyl.units.command import CommandDriver
from nyl.units.context import private_folder
from nyl.units.driver import ExecutionContext, ResolvedUnit
from nyl.units.outcomes import Failed, FailureCategory, Outcome, Succeeded, Uncertain
from tests.units.building import Bench, unit

DEEP = json.loads("[" * 150 + "]" * 150)
"""What no document of the state can hold."""


class Scripted(CommandDriver):
    """A driver that does one thing."""

    def __init__(self, act: Callable[[], Any]) -> None:
        self._act = act

    def execute(self, unit: ResolvedUnit, context: ExecutionContext) -> Outcome:
        outcome: Outcome = self._act()
        return outcome


def raising(error: BaseException) -> Callable[[], Any]:
    def act() -> Any:
        raise error

    return act


@pytest.mark.parametrize("error", [RuntimeError("odd"), SystemExit(0), RecursionError(), MemoryError(), KeyError("k")])
def test_a_driver_that_raises_leaves_its_unit_uncertain(bench: Bench, error: BaseException) -> None:
    outcome = bench.execute(Scripted(raising(error)), unit({}))

    assert isinstance(outcome, Uncertain)
    assert type(error).__name__ in outcome.reason


@pytest.mark.parametrize("error", [KeyboardInterrupt(), asyncio.CancelledError(), GeneratorExit()])
def test_a_driver_cannot_end_the_thread_that_units_run_in(bench: Bench, error: BaseException) -> None:
    with ThreadPoolExecutor() as threads:
        outcome = threads.submit(bench.execute, Scripted(raising(error)), unit({})).result()

    assert isinstance(outcome, Uncertain)
    assert type(error).__name__ in outcome.reason


@pytest.mark.parametrize("fields", [{"category": "weird"}, {"retryable": "no"}, {"category": None}])
def test_a_failure_that_no_state_can_hold_is_uncertain(bench: Bench, fields: dict[str, Any]) -> None:
    given: dict[str, Any] = {"category": FailureCategory.EXECUTION, "retryable": True, "message": "it broke"}
    failed = Failed(**given | fields)

    outcome = bench.execute(Scripted(lambda: failed), unit({}))

    assert isinstance(outcome, Uncertain)
    assert "it broke" in outcome.reason


def test_a_reason_that_is_missing_is_told_as_such(bench: Bench) -> None:
    nothing: Any = None

    assert bench.execute(Scripted(lambda: Uncertain(nothing)), unit({})) == Uncertain("it did not say why")


def test_bytes_of_file_names_can_be_told(bench: Bench) -> None:
    def act() -> Outcome:
        bench.context.warn("about \udcff", "rename \udcff")
        return Failed(FailureCategory.EXECUTION, True, "cannot read \udcff")

    outcome = bench.execute(Scripted(act), unit({}))

    assert isinstance(outcome, Failed)
    assert outcome.message == "cannot read \\udcff"
    assert [(each.message, each.fix) for each in bench.context.warnings] == [("about \\udcff", "rename \\udcff")]


@pytest.mark.parametrize("answer", [None, True, "ok", Succeeded])
def test_an_answer_that_is_no_outcome_is_uncertain(bench: Bench, answer: object) -> None:
    assert isinstance(bench.execute(Scripted(lambda: answer), unit({})), Uncertain)


@pytest.mark.parametrize(
    "value", [{"x": Path("/")}, {"x": float("nan")}, {"x": {1, 2}}, {"x": b"bytes"}, {"x": "\udcff"}, {"x": DEEP}]
)
def test_outputs_that_are_not_plain_data_leave_the_unit_uncertain(bench: Bench, value: Mapping[str, Any]) -> None:
    assert isinstance(bench.execute(Scripted(lambda: Succeeded(value)), unit({}, {"x": "object"})), Uncertain)


def test_outputs_of_any_driver_are_held_against_the_declaration(bench: Bench) -> None:
    outcome = bench.execute(Scripted(lambda: Succeeded({"x": 1})), unit({}, {"x": "string"}))

    assert isinstance(outcome, Failed)
    assert outcome.category is FailureCategory.OUTPUTS


def test_artifacts_and_versions_come_through(bench: Bench) -> None:
    given = Succeeded({"x": [1]}, {"image": {"kind": "ContainerImage"}}, {"tool": "1.2"})

    assert bench.execute(Scripted(lambda: given), unit({}, {"x": "array"})) == given


@pytest.mark.parametrize("where", ["outputs", "artifacts"])
def test_a_secret_is_never_stored(bench: Bench, where: str) -> None:
    bench.context.masker.add("hunter2222")
    value = {"x": {"url": "db://u:hunter2222@h"}}
    given = Succeeded(outputs=value) if where == "outputs" else Succeeded(artifacts=value)

    outcome = bench.execute(Scripted(lambda: given), unit({}, {"x": "object"} if where == "outputs" else {}))

    assert isinstance(outcome, Failed)
    assert "contains the value of a secret" in outcome.message
    assert "hunter2222" not in outcome.message


@pytest.mark.parametrize(
    "act",
    [
        raising(RuntimeError("cannot log in with hunter2222")),
        lambda: Failed(FailureCategory.EXECUTION, False, "hunter2222 is wrong"),
        lambda: Uncertain("hunter2222 may have worked"),
    ],
)
def test_secrets_are_masked_in_what_an_outcome_says(bench: Bench, act: Callable[[], Any]) -> None:
    bench.context.masker.add("hunter2222")

    text = str(bench.execute(Scripted(act), unit({})))

    assert "hunter2222" not in text
    assert "***" in text


def test_a_sensitive_structure_is_masked_leaf_by_leaf(bench: Bench) -> None:
    declared = {"login": OutputDeclaration("object", sensitive=True)}

    outcome = bench.execute(Scripted(lambda: Succeeded({"login": {"pin": 987654, "p": "sesame"}})), unit({}, declared))

    assert outcome == Succeeded()
    assert bench.context.masker.mask("sesame 987654") == "*** ***"


def test_a_private_folder_is_deleted_even_with_folders_that_cannot_be_written() -> None:
    with private_folder() as folder:
        locked = folder / "cache" / "mod"
        locked.mkdir(parents=True)
        (locked / "file").write_text("x")
        locked.chmod(0o500)
        assert folder.stat().st_mode & 0o777 == 0o700

    assert not folder.exists()
