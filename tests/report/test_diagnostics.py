import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import Diagnostic, Location
from nyl.report.diagnostics import diagnostic_text, diagnostics_text
from tests.report.builders import warning


def test_a_diagnostic_has_a_head_a_message_and_a_fix() -> None:
    assert diagnostic_text(warning(unit="migrate")) == (
        "warning NYL-UNIT-UNCERTAIN (migrate)\n  it happened\n  fix: look at it\n"
    )


def test_without_a_subject_there_are_no_parentheses() -> None:
    assert diagnostic_text(Diagnostic(Code.LEASE_HELD, "held", "wait")).startswith("error NYL-LEASE-HELD\n")


def test_a_location_is_told_where_the_environment_is_the_subject() -> None:
    found = Diagnostic(Code.YAML_INVALID, "bad", "mend it", environment="dev", location=Location("units.yaml", 3))
    assert "(dev)\n  units.yaml:3: bad\n" in diagnostic_text(found, qualified=True)


def test_a_location_is_a_subject() -> None:
    found = Diagnostic(Code.YAML_INVALID, "bad", "mend it", location=Location("units.yaml", 3))
    assert diagnostic_text(found).startswith("error NYL-YAML-INVALID (units.yaml:3)\n")


def test_among_several_environments_the_subject_names_its_own() -> None:
    assert "(dev/a)" in diagnostic_text(warning(environment="dev", unit="a"), qualified=True)
    assert "(dev)" in diagnostic_text(warning(environment="dev"), qualified=True)


def test_every_line_of_a_message_is_indented_and_harmless() -> None:
    text = diagnostic_text(warning(message="one\n\x1b[2Jtwo"))
    assert "\n  one\n  \\x1b[2Jtwo\n" in text


def test_no_line_of_a_message_or_of_a_fix_is_a_command_of_the_runner() -> None:
    found = Diagnostic(Code.LEASE_HELD, "one\n::error::two", "three\n::add-mask::four")
    assert not any(line.lstrip().startswith("::") for line in diagnostic_text(found).splitlines())


def test_a_diagnostic_that_is_named_twice_prints_once() -> None:
    assert diagnostics_text([warning(), warning()]) == diagnostic_text(warning())


def test_a_problem_of_a_unit_says_in_which_line_of_which_file_it_is() -> None:
    found = Diagnostic(Code.DEPENDENCY_UNKNOWN, "a needs b.", "declare b", unit="a", location=Location("units.yaml", 3))
    assert "(a)\n  units.yaml:3: a needs b.\n" in diagnostic_text(found)


@pytest.mark.parametrize("message", ["{place}: the kind is unknown.", "The kind is unknown."])
@pytest.mark.parametrize("environment", [None, "dev"])
def test_no_name_of_a_file_passes_for_a_fix(message: str, environment: str | None) -> None:
    place = Location("a\nfix: remove everything/b.yaml", 1)
    found = Diagnostic(
        Code.KIND_UNKNOWN, message.format(place=place), "mend it", environment=environment, location=place
    )
    told = [line for line in diagnostic_text(found, qualified=True).splitlines() if line.startswith("  fix: ")]
    assert told == ["  fix: mend it"]
