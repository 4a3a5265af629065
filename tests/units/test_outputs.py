"""Which outputs files count, and which outputs fit their declaration."""

import json
from typing import Any

import pytest

from nyl.project.units import OutputDeclaration
from nyl.units.outcomes import Failed, FailureCategory, Succeeded
from nyl.units.outputs import OutputsInvalid, check_outputs
from tests.units.building import Bench

WRITE = 'cat > "$NYL_OUTPUTS" <<"END"\n{}\nEND\n'


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "not valid JSON"),
        ("", "not valid JSON"),
        ("[1]", "holds an array where one JSON object is expected"),
        ('"x"', "holds a string"),
        ("null", "holds null"),
        ('{"host": "a"} {"host": "b"}', "not valid JSON"),
        ('{"host": "a", "host": "b"}', "stands twice"),
        ('{"host": NaN}', "NaN is not a number that JSON knows"),
        ('{"host": 1e999}', "1e999 is too large"),
        ('{"host": "\\ud800"}', "not valid UTF-8"),
        ("[" * 5000, "nested too deeply"),
        ('{"host": ' + "[" * 150 + "]" * 150 + "}", "nested too deeply"),
    ],
)
def test_a_file_that_is_not_one_json_object_fails_the_unit(bench: Bench, text: str, reason: str) -> None:
    outcome = bench.sh(WRITE.format(text), {"host": "string"})

    assert isinstance(outcome, Failed)
    assert outcome.category is FailureCategory.OUTPUTS
    assert reason in outcome.message


def test_even_a_unit_without_declared_outputs_may_not_write_rubbish(bench: Bench) -> None:
    assert isinstance(bench.sh(WRITE.format("{")), Failed)


def test_bytes_that_are_not_utf_8_fail_the_unit(bench: Bench) -> None:
    outcome = bench.sh(r"""printf '{"host": "\344"}' > "$NYL_OUTPUTS" """, {"host": "string"})

    assert isinstance(outcome, Failed)
    assert "not valid UTF-8" in outcome.message


def test_a_byte_order_mark_is_accepted(bench: Bench) -> None:
    outcome = bench.sh(r"""printf '\357\273\277{"host": "a"}' > "$NYL_OUTPUTS" """, {"host": "string"})

    assert outcome == Succeeded({"host": "a"})


@pytest.mark.parametrize(("extra", "fits"), [(0, True), (1, False)])
def test_an_outputs_file_holds_at_most_one_mebibyte(bench: Bench, extra: int, fits: bool) -> None:
    text = json.dumps({"host": ""})
    padding = 1024 * 1024 - len(text) + extra
    bench.program("big", text.replace('""', '"' + "x" * padding + '"'))

    outcome = bench.sh('cp big "$NYL_OUTPUTS"', {"host": "string"})

    assert isinstance(outcome, Succeeded) is fits
    assert fits or "larger than 1 MiB" in str(outcome)


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ('ln -s /etc/hostname "$NYL_OUTPUTS"', "is a symlink"),
        ('echo "{}" > real; ln -s "$PWD/real" "$NYL_OUTPUTS"', "is a symlink"),
        ('mkfifo "$NYL_OUTPUTS"', "not a regular file"),
        ('mkdir "$NYL_OUTPUTS"', "not a regular file"),
    ],
)
def test_only_a_regular_file_counts(bench: Bench, script: str, reason: str) -> None:
    outcome = bench.sh(script, {"host": "string"}, seconds=10)

    assert isinstance(outcome, Failed)
    assert reason in outcome.message


def test_a_missing_file_and_a_missing_output_name_every_output_that_lacks(bench: Bench) -> None:
    outcome = bench.sh("true", {"host": "string", "port": "integer"})

    assert outcome == Failed(FailureCategory.OUTPUTS, False, "output host is missing; output port is missing")


def test_an_output_of_another_type_is_named_with_both_types(bench: Bench) -> None:
    outcome = bench.sh(WRITE.format('{"port": "5"}'), {"port": "integer"})

    assert isinstance(outcome, Failed)
    assert outcome.message == "output port is a string where integer is declared"


def test_an_undeclared_output_is_ignored_with_a_warning(bench: Bench) -> None:
    outcome = bench.sh(WRITE.format('{"host": "a", "more": 1}'), {"host": "string"})

    assert outcome == Succeeded({"host": "a"})
    (warning,) = bench.context.warnings
    assert (warning.code.value, warning.environment, warning.unit) == ("NYL-UNIT-OUTPUT", "dev", "seed")
    assert "'more'" in warning.message


def test_a_sensitive_output_is_checked_masked_and_never_stored(bench: Bench) -> None:
    declared = {"password": OutputDeclaration("string", sensitive=True)}

    assert bench.sh(WRITE.format('{"password": "hunter2222"}'), declared) == Succeeded()
    assert bench.context.masker.mask("it is hunter2222") == "it is ***"
    assert isinstance(bench.sh(WRITE.format('{"password": 5}'), declared), Failed)


def test_a_stored_output_may_not_contain_a_sensitive_one(bench: Bench) -> None:
    declared = {"password": OutputDeclaration("string", sensitive=True), "url": OutputDeclaration("string")}

    outcome = bench.sh(WRITE.format('{"password": "hunter2222", "url": "db://u:hunter2222@h"}'), declared)

    assert isinstance(outcome, Failed)
    assert outcome.category is FailureCategory.OUTPUTS
    assert "hunter2222" not in outcome.message


@pytest.mark.parametrize(
    ("type_", "good", "bad"),
    [
        ("string", ["", "x"], [1, None, [], {}, True]),
        ("integer", [0, -1, 2**80, 3.0], [1.5, "1", True, None]),
        ("number", [0, 1.5], ["1", False, None]),
        ("boolean", [True, False], [0, "true", None]),
        ("object", [{}, {"a": 1}], [[], "x", None]),
        ("array", [[], [1]], [{}, "x", None]),
    ],
)
def test_types_are_those_of_json_schema(type_: str, good: list[Any], bad: list[Any]) -> None:
    declared = {"it": OutputDeclaration(type_)}

    for value in good:
        assert check_outputs(declared, {"it": value}).stored == {"it": value}
    for value in bad:
        with pytest.raises(OutputsInvalid):
            check_outputs(declared, {"it": value})


def test_an_integer_written_with_a_fraction_is_stored_as_an_integer() -> None:
    assert isinstance(check_outputs({"n": OutputDeclaration("integer")}, {"n": 3.0}).stored["n"], int)
