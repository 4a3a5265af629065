from collections.abc import Callable

from nyl.core.codes import Code
from nyl.core.diagnostics import Diagnostic, Location, Severity
from nyl.core.exits import Exit
from nyl.github.annotations import SHOWN, annotations
from tests.support.runner_commands import Command, process


def annotated(
    *diagnostics: Diagnostic, ended: Exit = Exit.ERROR, is_file: Callable[[str], bool] = lambda _file: True
) -> list[Command]:
    log = process(annotations(diagnostics, ended, is_file))
    assert not log.text
    return log.commands


def error(number: int = 0, **fields: object) -> Diagnostic:
    return Diagnostic(Code.RESOURCE_INVALID, f"Wrong {number}.", "mend it", **fields)  # type: ignore[arg-type]


def test_an_error_names_its_file_and_line_and_what_it_is_about() -> None:
    found = annotated(error(environment="dev", unit="db", location=Location("units/a, b.yaml", 7)))
    assert found == [
        Command(
            "error",
            {"title": "NYL-RESOURCE-INVALID (dev/db)", "file": "units/a, b.yaml", "line": "7"},
            "Wrong 0.\nfix: mend it",
        )
    ]


def test_a_place_that_is_no_file_of_the_repository_is_left_out() -> None:
    found = annotated(error(location=Location("desired/units/db.yaml")), is_file=lambda _file: False)
    assert "file" not in found[0].properties


def test_errors_come_before_warnings_and_each_once() -> None:
    warning = Diagnostic(Code.UNIT_LOG, "No log.", "", Severity.WARNING)
    found = annotated(warning, error(), error())
    assert [each.name for each in found] == ["error", "warning"]
    assert found[1].data == "No log."


def test_a_warning_of_what_failed_the_command_is_an_error() -> None:
    failed = Diagnostic(Code.UNIT_FAILED, "unit db failed", "", Severity.WARNING)
    uncertain = Diagnostic(Code.UNIT_UNCERTAIN, "unit web is uncertain", "", Severity.WARNING)
    assert [each.name for each in annotated(failed, uncertain, ended=Exit.UNCERTAIN)] == ["error", "error"]
    assert [each.name for each in annotated(failed, ended=Exit.OK)] == ["warning"]


def test_more_than_github_shows_are_counted_by_the_last() -> None:
    found = annotated(*(error(number) for number in range(SHOWN + 5)))
    assert len(found) == SHOWN
    assert found[-1].data.startswith("6 more errors")


def test_a_message_adds_no_command() -> None:
    found = annotated(Diagnostic(Code.GIT_FAILED, "said:\n::set-env name=A::b\n##[error]x", "x\n::stop-commands::y"))
    assert [each.name for each in found] == ["error"]
