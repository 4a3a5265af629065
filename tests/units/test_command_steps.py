"""What the teardown, verify and inspect steps of a Command get, and what comes of how they end."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from nyl.core.schemas import Validator
from nyl.units.command import CommandDriver
from nyl.units.driver import Capability, ReceiptFacts, RecoveryPolicy
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
)
from tests.units.building import Bench, unit

RECEIPT = ReceiptFacts({"host": "dü", "port": 5}, {"image": {"kind": "ContainerImage"}})
DRIVER = CommandDriver()


def step(script: str) -> list[str]:
    return ["/bin/sh", "-c", script]


def tear_down(bench: Bench, script: str, *, idempotent: bool = False, seconds: float = 60) -> TeardownOutcome:
    spec = {"command": ["./x"], "teardown": {"command": step(script), "idempotent": idempotent}}
    return bench.tear_down(DRIVER, unit(spec, seconds=seconds), RECEIPT)


def verify(bench: Bench, script: str, seconds: float = 60) -> VerifyOutcome:
    return bench.verify(DRIVER, unit({"command": ["./x"], "verify": step(script)}, seconds=seconds), RECEIPT)


def inspect(bench: Bench, script: str, outputs: Mapping[str, str] | None = None) -> InspectOutcome:
    return bench.inspect(DRIVER, unit({"command": ["./x"], "inspect": step(script)}, outputs), RECEIPT)


@pytest.mark.parametrize(
    ("spec", "capabilities"),
    [
        ({}, set()),
        ({"teardown": ["./t"]}, {Capability.TEARDOWN}),
        ({"verify": ["./v"], "inspect": ["./i"]}, {Capability.VERIFY, Capability.INSPECT}),
    ],
)
def test_a_command_can_do_what_it_has_a_step_for(spec: dict[str, Any], capabilities: set[Capability]) -> None:
    assert DRIVER.capabilities({"command": ["./x"], **spec}) == capabilities


@pytest.mark.parametrize(
    ("teardown", "policy"),
    [
        (["./t"], RecoveryPolicy.MANUAL),
        ({"command": ["./t"]}, RecoveryPolicy.MANUAL),
        ({"command": ["./t"], "idempotent": True}, RecoveryPolicy.CONVERGE),
    ],
)
def test_only_an_idempotent_teardown_converges(teardown: object, policy: RecoveryPolicy) -> None:
    assert DRIVER.teardown_recovery({"command": ["./x"], "idempotent": True, "teardown": teardown}) is policy


@pytest.mark.parametrize(
    ("teardown", "reason"),
    [
        ("./t", "must be a list or a mapping"),
        ([], "must not be empty"),
        ([""], "must not be empty"),
        ({"idempotent": True}, "command"),
        ({"command": ["./t"], "idempotnt": True}, "idempotent"),
        ({"command": "./t"}, "must be a list"),
    ],
)
def test_a_teardown_that_is_no_step_is_refused(teardown: object, reason: str) -> None:
    (problem,) = Validator(DRIVER.schema()).problems({"command": ["./x"], "teardown": teardown})

    assert problem.pointer.startswith("/teardown")
    assert reason in problem.reason


@pytest.mark.parametrize("ask", [tear_down, verify, inspect])
def test_a_step_gets_the_outputs_of_the_receipt_and_what_the_command_gets(bench: Bench, ask: Any) -> None:
    ask(bench, 'cat "$NYL_RECEIPT" "$NYL_INPUTS"; echo "$NYL_ENVIRONMENT/$NYL_UNIT"; stat -c %a "$NYL_RECEIPT"; pwd')

    assert json.loads(bench.lines[0]) == RECEIPT.outputs
    assert bench.lines[1:] == ["{}", "dev/seed", "600", str(bench.checkout)]


def test_the_receipt_is_an_empty_object_where_there_is_none(bench: Bench) -> None:
    bench.verify(DRIVER, unit({"command": ["./x"], "verify": step('cat "$NYL_RECEIPT"')}))

    assert bench.lines == ["{}"]


def test_a_teardown_may_be_a_plain_argv(bench: Bench) -> None:
    assert bench.tear_down(DRIVER, unit({"command": ["./x"], "teardown": step("echo gone")})) == Removed()
    assert bench.lines == ["gone"]


@pytest.mark.parametrize("idempotent", [True, False])
@pytest.mark.parametrize(
    ("script", "outcome"),
    [
        ("true", Removed()),
        ("kill -KILL $$", Uncertain("/bin/sh was killed by SIGKILL")),
    ],
)
def test_exit_0_is_removed_and_a_signal_uncertain(
    bench: Bench, script: str, outcome: TeardownOutcome, idempotent: bool
) -> None:
    assert tear_down(bench, script, idempotent=idempotent) == outcome


@pytest.mark.parametrize("idempotent", [True, False])
def test_a_failed_teardown_is_retryable_when_it_is_idempotent(bench: Bench, idempotent: bool) -> None:
    outcome = tear_down(bench, "exit 2", idempotent=idempotent)

    assert outcome == Failed(FailureCategory.EXECUTION, idempotent, "/bin/sh ended with exit code 2")


def test_a_teardown_past_its_timeout_is_uncertain(bench: Bench) -> None:
    outcome = tear_down(bench, "trap 'exit 0' TERM; sleep 60 & wait", seconds=0.2)

    assert isinstance(outcome, Uncertain)
    assert "passed its timeout" in outcome.reason


def test_a_teardown_that_cannot_start_had_no_effect(bench: Bench) -> None:
    outcome = bench.tear_down(DRIVER, unit({"command": ["./x"], "teardown": ["./missing.sh"]}))

    assert isinstance(outcome, Failed)
    assert (outcome.category, outcome.retryable) == (FailureCategory.START, True)


@pytest.mark.parametrize(
    ("script", "outcome"),
    [
        ("true", Verified(False)),
        ("exit 2", Verified(True, "/bin/sh found drift")),
        ("echo looking; printf '\\033[31mtwo rows gone\\033[0m\\n\\n'; exit 2", Verified(True, "two rows gone")),
        ("exit 1", Failed(FailureCategory.EXECUTION, True, "/bin/sh ended with exit code 1")),
        ("exit 3", Failed(FailureCategory.EXECUTION, True, "/bin/sh ended with exit code 3")),
        ("kill -SEGV $$", Failed(FailureCategory.EXECUTION, True, "/bin/sh was killed by SIGSEGV")),
    ],
)
def test_a_verify_step_is_clean_drifted_or_failed(bench: Bench, script: str, outcome: VerifyOutcome) -> None:
    assert verify(bench, script) == outcome


def test_what_drifted_is_masked(bench: Bench) -> None:
    bench.context.masker.add("hunter2222")

    assert verify(bench, "echo user hunter2222 is gone; exit 2") == Verified(True, "user *** is gone")


def test_a_verify_step_past_the_timeout_failed_even_with_exit_code_2(bench: Bench) -> None:
    outcome = verify(bench, "trap 'exit 2' TERM; sleep 60 & wait", seconds=0.2)

    assert isinstance(outcome, Failed)
    assert "passed its timeout" in outcome.message


def test_a_verify_step_that_cannot_start_failed(bench: Bench) -> None:
    outcome = bench.verify(DRIVER, unit({"command": ["./x"], "verify": ["./missing.sh"]}))

    assert isinstance(outcome, Failed)
    assert outcome.category is FailureCategory.START


WRITE = 'echo "{\\"host\\": \\"db\\"}" > "$NYL_OUTPUTS"'


@pytest.mark.parametrize(
    ("script", "outcome"),
    [
        (WRITE, Succeeded({"host": "db"})),
        (f"{WRITE}; exit 3", NotApplied()),
        ("exit 3", NotApplied()),
        ("exit 2", Unknown("/bin/sh ended with exit code 2")),
        ("true", Unknown("/bin/sh ended with exit code 0, but wrote no outputs file")),
        ("kill -TERM $$", Unknown("/bin/sh was killed by SIGTERM")),
        ('echo "{}" > "$NYL_OUTPUTS"', Unknown("it was applied, but output host is missing")),
    ],
)
def test_an_inspect_step_is_applied_not_applied_or_unknown(bench: Bench, script: str, outcome: InspectOutcome) -> None:
    assert inspect(bench, script, {"host": "string"}) == outcome


def test_an_outputs_file_that_does_not_count_is_unknown(bench: Bench) -> None:
    outcome = inspect(bench, 'echo "{" > "$NYL_OUTPUTS"')

    assert isinstance(outcome, Unknown)
    assert "not valid JSON" in outcome.reason


def test_outputs_of_an_earlier_step_are_not_taken_for_those_of_an_inspection(bench: Bench) -> None:
    bench.sh(WRITE, {"host": "string"})

    assert isinstance(inspect(bench, "true", {"host": "string"}), Unknown)
