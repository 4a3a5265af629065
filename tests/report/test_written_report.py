import json
from dataclasses import replace

from nyl.core.codes import Code
from nyl.core.diagnostics import Diagnostic, Location
from nyl.engine.results import Action, Report, ReportKind
from nyl.report.documents import json_text, report_document
from nyl.report.written_report import WrittenReport, written_report
from tests.report.builders import RUN, reconciled, section, unit, warning


def read_back(report: Report) -> WrittenReport:
    return written_report(json.loads(json_text(report_document(report))))


def test_diagnostics_come_back_as_they_were() -> None:
    error = Diagnostic(Code.YAML_INVALID, "Bad ##[x].", "mend it", location=Location("a.yaml", 3))
    report = replace(reconciled(unit("db")), diagnostics=(error, warning(environment="dev", unit="db")))
    assert read_back(report).diagnostics == report.diagnostics


def test_runs_and_digests_are_told_by_environment() -> None:
    digest = f"sha256:{'0' * 64}"
    report = Report(
        ReportKind.RECONCILE,
        (section(unit("db", change_digest=digest), unit("web")), section(environment="prod", run=None)),
    )
    assert read_back(report).runs == (RUN,)
    assert read_back(report).digests == {"dev/db": digest}


def test_a_plan_that_would_do_something_is_told_from_one_that_would_not() -> None:
    def changes(*actions: Action) -> bool:
        units = [unit(f"u{number}", action) for number, action in enumerate(actions)]
        return read_back(Report(ReportKind.PLAN, (section(*units, run=None),))).would_change

    assert changes(Action.NONE, Action.EXECUTE)
    assert changes(Action.TEARDOWN)
    assert not changes(Action.NONE, Action.BLOCKED, Action.HELD, Action.AWAIT_APPROVAL)
