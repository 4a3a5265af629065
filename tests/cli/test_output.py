import json
from pathlib import Path

import pytest

from nyl.cli.output import Form, Target, TargetForm, check_targets, emit
from nyl.core.codes import Code
from nyl.core.diagnostics import Diagnostic, NylError
from nyl.core.exits import Exit
from nyl.engine.results import EnvironmentReport, Report, ReportKind, Result, UnitReport
from tests.report.builders import reconciled, unit, warning

Captured = pytest.CaptureFixture[str]


def test_the_table_is_on_stdout_and_diagnostics_are_below_it_on_stderr(capsys: Captured) -> None:
    ended = emit(reconciled(unit("a", Result.UNCERTAIN), diagnostics=(warning(unit="a"),)), Form.TEXT)
    out, err = capsys.readouterr()
    assert ended is Exit.UNCERTAIN
    assert out.startswith("UNIT  KIND")
    assert err == "\nwarning NYL-UNIT-UNCERTAIN (a)\n  it happened\n  fix: look at it\n"


def test_json_on_stdout_is_the_whole_report(capsys: Captured) -> None:
    emit(reconciled(unit("a"), diagnostics=(warning(unit="a"),)), Form.JSON)
    out, err = capsys.readouterr()
    assert json.loads(out)["environments"]["dev"]["units"]["a"]["result"] == "current"
    assert err.startswith("warning NYL-UNIT-UNCERTAIN")


def test_a_diagnostic_that_was_also_heard_while_working_prints_once(capsys: Captured) -> None:
    both = warning(unit="a")
    emit(reconciled(unit("a"), diagnostics=(both,)), Form.TEXT, heard=[both, warning(Code.UNIT_LOG)])
    err = capsys.readouterr().err
    assert (err.count("NYL-UNIT-UNCERTAIN"), err.count("NYL-UNIT-LOG")) == (1, 1)


def test_several_environments_end_with_the_most_severe(capsys: Captured) -> None:
    def dev(name: str, result: Result) -> EnvironmentReport:
        return EnvironmentReport(name, (UnitReport("a", "Command", result),), run="1")

    report = Report(ReportKind.RECONCILE, (dev("a", Result.FAILED), dev("b", Result.UNCERTAIN), dev("c", Result.HELD)))
    assert emit(report, Form.TEXT) is Exit.UNCERTAIN


def test_a_report_file_holds_the_report_of_a_failure_too(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    failed = Diagnostic(Code.STATE_MISSING, "none", "make it")
    assert emit(Report(ReportKind.PLAN, diagnostics=(failed,)), Form.TEXT, [Target(path)]) is Exit.ERROR
    assert json.loads(path.read_text())["diagnostics"][0]["code"] == "NYL-STATE-MISSING"
    assert list(tmp_path.iterdir()) == [path]


def test_a_markdown_file_holds_the_report_as_a_comment(tmp_path: Path) -> None:
    path = tmp_path / "comment.md"
    emit(reconciled(unit("a", Result.EXECUTED)), Form.TEXT, [Target(path, TargetForm.MARKDOWN)])
    assert path.read_text().startswith("## Reconcile of `dev`: 1 executed\n")


def test_a_report_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text("old" * 10_000)
    emit(reconciled(unit("a")), Form.TEXT, [Target(path)])
    assert json.loads(path.read_text())["kind"] == "ReconcileReport"


def test_a_report_file_that_cannot_be_written_leaves_the_report_and_exits_1(tmp_path: Path, capsys: Captured) -> None:
    ended = emit(reconciled(unit("a")), Form.JSON, [Target(tmp_path / "none" / "report.json")])
    document = json.loads(capsys.readouterr().out)
    assert (ended, document["exit"], document["diagnostics"][0]["code"]) == (1, 1, "NYL-REPORT-UNWRITABLE")
    assert document["environments"]["dev"]["units"]["a"]["result"] == "current"


@pytest.mark.parametrize("name", ["none/report.json", "."])
def test_a_report_file_that_cannot_be_is_refused_before_any_work(tmp_path: Path, name: str) -> None:
    with pytest.raises(NylError) as refused:
        check_targets([Target(tmp_path / name)])
    assert refused.value.diagnostic.code is Code.REPORT_UNWRITABLE
