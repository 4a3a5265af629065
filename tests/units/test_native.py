"""The driver protocol: a unit's own tool is prepared by its driver, and started apart from it."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from nyl.units.command import CommandDriver
from nyl.units.driver import Capability, ExecutionContext, ReceiptFacts, ResolvedUnit
from nyl.units.execution import native, runs_natively
from nyl.units.outcomes import Failed, FailureCategory, NativeCommand, NativeOutcome
from tests.units.building import NO_RECEIPT, Bench, unit

ALL = frozenset({Capability.PLAN, Capability.DIGEST})
SHELL = NativeCommand(["sh", "-c", "echo out; echo err >&2"])


class Tool(CommandDriver):
    """Answers what it is given, or raises it."""

    def __init__(self, answer: Any, able: frozenset[Capability] = ALL) -> None:
        self.answer = answer
        self.able = able

    def capabilities(self, spec: Mapping[str, Any]) -> frozenset[Capability]:
        return self.able

    def native(
        self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts, arguments: Sequence[str]
    ) -> NativeOutcome:
        if isinstance(self.answer, BaseException):
            raise self.answer
        answer: NativeOutcome = self.answer
        return answer


def prepared(bench: Bench, answer: Any) -> NativeOutcome:
    return native(Tool(answer), unit({}), bench.context, NO_RECEIPT, ("list",))


def test_a_kind_needs_a_tool_and_digests_of_its_changes() -> None:
    assert runs_natively(Tool(SHELL), {})
    assert not runs_natively(Tool(SHELL, frozenset({Capability.PLAN})), {})
    assert not runs_natively(CommandDriver(), {"plan": ["./plan.sh"]})


def test_what_the_driver_prepared_is_a_command_of_texts(bench: Bench) -> None:
    assert prepared(bench, NativeCommand(["tool", "list"], {"A": "b"})) == NativeCommand(("tool", "list"), {"A": "b"})


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (RuntimeError("no network: hunter22"), "raised RuntimeError: no network: ***"),
        (SystemExit(3), "raised SystemExit: 3"),
        (None, "the driver"),
        (["tool"], "the driver"),
        (NativeCommand([]), "not made of texts"),
        (NativeCommand(["tool", 3]), "not made of texts"),  # type: ignore[list-item]
        (NativeCommand(["tool"], {"A": None}), "not made of texts"),  # type: ignore[dict-item]
    ],
)
def test_anything_else_fails_and_tells_no_secret(bench: Bench, answer: Any, said: str) -> None:
    bench.context.masker.add("hunter22")
    failed = prepared(bench, answer)
    assert isinstance(failed, Failed)
    assert failed.category is FailureCategory.DRIVER_ERROR
    assert said in failed.message


def test_a_failed_preparation_is_told_masked(bench: Bench) -> None:
    bench.context.masker.add("hunter22")
    failed = prepared(bench, Failed(FailureCategory.EXECUTION, True, "no backend for hunter22"))
    assert failed == Failed(FailureCategory.EXECUTION, True, "no backend for ***")


def test_nothing_is_prepared_once_the_command_is_cancelled(bench: Bench) -> None:
    bench.cancellation.cancel()
    assert isinstance(prepared(bench, RuntimeError("called")), Failed)


def test_stdout_goes_apart_from_what_the_unit_shows(bench: Bench) -> None:
    written: list[str] = []
    result = bench.context.run_native(SHELL, written.append)
    assert (result.exit_code, result.last_line) == (0, "err")
    assert ("".join(written), bench.lines) == ("out\n", ["err"])


def test_the_tool_gets_the_admitted_variables_its_own_and_an_empty_stdin(bench: Bench) -> None:
    written: list[str] = []
    command = NativeCommand(["sh", "-c", 'cat; echo "$LANG $MORE"; pwd'], {"MORE": "more"}, bench.temporary)
    assert bench.context.run_native(command, written.append).exit_code == 0
    assert "".join(written) == f"C.UTF-8 more\n{bench.temporary.resolve()}\n"


def test_a_tool_that_is_not_there_did_not_start(bench: Bench) -> None:
    result = bench.context.run_native(NativeCommand(["no-such-tool"]), lambda _: None)
    assert result.missing
    assert result.start_error
