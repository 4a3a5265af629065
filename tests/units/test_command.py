"""What the Command driver gives its program, and what it makes of how the program ends."""

import json
from datetime import timedelta
from typing import Any

import pytest

from nyl.units.command import CommandDriver
from nyl.units.driver import RecoveryPolicy
from nyl.units.inputs import InputFiles, Inputs
from nyl.units.outcomes import Failed, FailureCategory, Succeeded, Uncertain
from tests.units.building import Bench


def test_exit_0_without_declared_outputs_succeeds_without_an_outputs_file(bench: Bench) -> None:
    assert bench.sh("true") == Succeeded()


def test_declared_outputs_come_from_the_outputs_file(bench: Bench) -> None:
    outcome = bench.sh("""echo '{"host": "db", "port": 5}' > "$NYL_OUTPUTS" """, {"host": "string", "port": "integer"})

    assert outcome == Succeeded({"host": "db", "port": 5})


def test_the_inputs_file_holds_the_resolved_values(bench: Bench) -> None:
    values = {"host": "dü", "ports": [1, 2], "big": 2**70, "deep": {"a": None}}

    bench.sh('cp "$NYL_INPUTS" seen.json', values=values)

    assert json.loads((bench.checkout / "seen.json").read_text()) == values


def test_the_inputs_file_is_an_empty_object_without_values(bench: Bench) -> None:
    bench.sh('cat "$NYL_INPUTS"')

    assert bench.lines == ["{}"]


def test_the_program_runs_in_the_checkout_with_nothing_but_the_listed_variables(bench: Bench) -> None:
    bench.command(["/usr/bin/env"])

    names = {line.partition("=")[0] for line in bench.lines}
    assert names == {"PATH", "HOME", "LANG", "TMPDIR", "NYL_INPUTS", "NYL_OUTPUTS", "NYL_UNIT", "NYL_ENVIRONMENT"}


def test_unit_and_environment_are_named_to_the_program(bench: Bench) -> None:
    bench.sh('echo "$NYL_ENVIRONMENT/$NYL_UNIT"; pwd')

    assert bench.lines == ["dev/seed", str(bench.checkout)]


def test_tmpdir_is_a_private_folder_apart_from_inputs_and_outputs(bench: Bench) -> None:
    outcome = bench.sh("""rm -rf "$TMPDIR"/*; stat -c %a "$TMPDIR"; test -s "$NYL_INPUTS" """)

    assert isinstance(outcome, Succeeded)
    assert bench.lines == ["700"]


def test_arguments_are_not_read_by_a_shell(bench: Bench) -> None:
    bench.command(["/usr/bin/printf", "%s\n", "$(touch pwned)", "a b", "*"])

    assert bench.lines == ["$(touch pwned)", "a b", "*"]


def test_a_relative_program_is_found_in_the_checkout(bench: Bench) -> None:
    bench.program("run.sh", "#!/bin/sh\necho ran\n")

    assert bench.command(["./run.sh"]) == Succeeded()
    assert bench.lines == ["ran"]


def test_standard_input_is_empty(bench: Bench) -> None:
    assert bench.sh("cat; read line || echo nothing", seconds=10) == Succeeded()
    assert bench.lines == ["nothing"]


@pytest.mark.parametrize("idempotent", [True, False])
def test_a_failure_is_retryable_when_the_command_is_idempotent(bench: Bench, idempotent: bool) -> None:
    outcome = bench.sh("exit 3", idempotent=idempotent)

    assert outcome == Failed(FailureCategory.EXECUTION, idempotent, "/bin/sh ended with exit code 3")


@pytest.mark.parametrize("idempotent", [True, False])
def test_exit_0_with_invalid_outputs_is_failed_and_retryable_only_when_idempotent(
    bench: Bench, idempotent: bool
) -> None:
    outcome = bench.sh('echo "{" > "$NYL_OUTPUTS"', {"host": "string"}, idempotent=idempotent)

    assert isinstance(outcome, Failed)
    assert (outcome.category, outcome.retryable) == (FailureCategory.OUTPUTS, idempotent)


@pytest.mark.parametrize(("name", "number"), [("KILL", 9), ("SEGV", 11), ("TERM", 15)])
def test_a_signal_that_nyl_did_not_send_leaves_the_unit_uncertain(bench: Bench, name: str, number: int) -> None:
    assert bench.sh(f"kill -{name} $$") == Uncertain(f"/bin/sh was killed by SIG{name}")


def test_an_exit_code_that_stands_for_a_signal_is_an_exit_code(bench: Bench) -> None:
    assert isinstance(bench.sh("exit 137"), Failed)


def test_a_program_that_is_missing_never_started(bench: Bench) -> None:
    outcome = bench.command(["./missing.sh"])

    assert isinstance(outcome, Failed)
    assert (outcome.category, outcome.retryable) == (FailureCategory.START, True)
    assert "./missing.sh could not be started: there is no such program" in outcome.message


def test_a_program_that_is_not_on_path_says_so(bench: Bench) -> None:
    outcome = bench.command(["no-such-program-anywhere"])

    assert isinstance(outcome, Failed)
    assert "no such program on PATH" in outcome.message


@pytest.mark.parametrize(
    ("text", "mode", "reason"),
    [
        ("#!/bin/sh\n", 0o644, "not an executable file"),
        ("echo no first line\n", 0o755, "a script that starts with #!"),
        ("#!/no/such/interpreter\n", 0o755, "interpreter on its first line does not exist"),
    ],
)
def test_a_program_that_cannot_be_executed_says_why(bench: Bench, text: str, mode: int, reason: str) -> None:
    bench.program("run.sh", text, mode)

    outcome = bench.command(["./run.sh"])

    assert isinstance(outcome, Failed)
    assert outcome.category is FailureCategory.START
    assert reason in outcome.message


def test_an_argument_with_a_nul_cannot_be_passed(bench: Bench) -> None:
    outcome = bench.command(["/bin/echo", "a\0b"])

    assert isinstance(outcome, Failed)
    assert "cannot be passed to a program" in outcome.message


def test_a_checkout_that_is_gone_is_named(bench: Bench) -> None:
    bench.checkout.rmdir()

    outcome = bench.sh("true")

    assert isinstance(outcome, Failed)
    assert "working directory" in outcome.message


@pytest.mark.parametrize(
    ("spec", "policy"),
    [
        ({"idempotent": True}, RecoveryPolicy.CONVERGE),
        ({"idempotent": True, "inspect": ["./i"]}, RecoveryPolicy.CONVERGE),
        ({"idempotent": False, "inspect": ["./i"]}, RecoveryPolicy.INSPECT),
        ({}, RecoveryPolicy.MANUAL),
    ],
)
def test_recovery_follows_idempotent_and_then_the_inspect_step(spec: dict[str, Any], policy: RecoveryPolicy) -> None:
    assert CommandDriver().recovery(spec) is policy


def test_files_and_fingerprint_are_what_a_command_reads() -> None:
    spec = {"command": ["./x"], "files": ["a/**"], "fingerprint": ["./f", "x"]}

    assert CommandDriver().inputs(spec) == Inputs(files=(InputFiles(("a/**",)),), fingerprint=("./f", "x"))
    assert CommandDriver().inputs({"command": ["./x"]}) == Inputs()


def test_only_values_take_references_and_what_does_not_execute_is_neutral() -> None:
    driver = CommandDriver()

    assert driver.reference_fields == ("/values",)
    assert driver.neutral_fields == ("idempotent", "verify", "inspect", "teardown", "plan")
    assert driver.default_timeout == timedelta(minutes=30)
