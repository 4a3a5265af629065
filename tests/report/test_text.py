from nyl.core.codes import Code
from nyl.core.diagnostics import Diagnostic
from nyl.engine.results import (
    Action,
    Explanation,
    Leaving,
    LeavingEffect,
    LeavingWhy,
    Report,
    ReportKind,
    Result,
    UnitState,
)
from nyl.report.text import overview_text, report_text
from tests.report.builders import RUN, reconciled, section, unit


def test_a_reconcile_prints_a_table_and_the_commits_it_wrote() -> None:
    report = reconciled(
        unit("database", Result.IMPORTED),
        unit("migrate", Result.UNCERTAIN, detail="run 01a1 was executing it when its lease was broken"),
        desired="fcfb",
        observed="e83e",
        written=frozenset({"desired", "observed"}),
    )
    assert report_text(report) == (
        "UNIT      KIND     RESULT     DETAIL\n"
        "database  Command  imported\n"
        "migrate   Command  uncertain  run 01a1 was executing it when its lease was broken\n"
        "\n"
        f"  run:      {RUN}\n"
        "  source:   8400\n"
        "  desired:  fcfb\n"
        "  observed: e83e\n"
    )


def test_only_refs_that_were_written_are_printed() -> None:
    text = report_text(
        reconciled(unit("a", Result.EXECUTED), desired="fcfb", observed="e83e", written=frozenset({"observed"}))
    )
    assert "observed: e83e" in text
    assert "desired:" not in text


def test_a_run_that_wrote_nothing_says_no_changes_instead_of_commits() -> None:
    text = report_text(reconciled(unit("a"), desired="fcfb", observed="e83e"))
    assert text == "UNIT  KIND     RESULT   DETAIL\na     Command  current\n\nno changes\n"


def test_a_cancelled_run_does_not_claim_that_nothing_changed() -> None:
    cancelled = Diagnostic(Code.RUN_CANCELLED, "cancelled", "run again")
    text = report_text(reconciled(unit("a", Result.UNCERTAIN), diagnostics=(cancelled,)))
    assert "no changes" not in text
    assert f"run:      {RUN}" in text


def test_why_a_unit_ran_is_no_detail_of_its_result() -> None:
    text = report_text(reconciled(unit("a", Result.EXECUTED, reason="no receipt"), written=frozenset({"observed"})))
    assert "no receipt" not in text


def test_another_nyl_version_in_a_receipt_is_shown() -> None:
    assert "receipt written by nyl 0.5.8" in report_text(reconciled(unit("a", nyl_version="0.5.8")))


def test_leaving_units_are_listed_by_what_becomes_of_them() -> None:
    text = report_text(
        reconciled(
            unit("web"),
            leaving=(
                Leaving("cache", LeavingWhy.REMOVED, LeavingEffect.TEARDOWN),
                Leaving("worker", LeavingWhy.REMOVED, LeavingEffect.RETAIN),
            ),
        )
    )
    assert text.startswith(
        "Units leaving the ownership set of dev (2):\n"
        "  teardown, needs --allow-teardown:   cache (removed)\n"
        "  dropped from state, resources kept: (none)\n"
        "  retained as tombstones:             worker (removed)\n"
        "\n"
        "UNIT  KIND"
    )


def test_a_plan_shows_actions_and_their_reasons() -> None:
    report = Report(ReportKind.PLAN, (section(unit("a", Action.EXECUTE, reason="no receipt"), run=None),))
    assert report_text(report) == (
        "UNIT  KIND     ACTION   DETAIL\na     Command  execute  no receipt\n\n  source:   8400\n"
    )


def test_an_explanation_follows_the_table() -> None:
    why = Explanation(fields=("~ /command/1",), files=("+ run.sh",), other=("the fingerprint changed",))
    report = Report(ReportKind.PLAN, (section(unit("a", Action.EXECUTE, explanation=why)),))
    assert report_text(report).endswith(
        "What differs for a:\n  spec  ~ /command/1\n  file  + run.sh\n  note  the fingerprint changed\n"
    )


def test_status_has_the_receipt_and_its_run() -> None:
    units = (
        unit("database", UnitState.CURRENT, receipt="current", run="01a1"),
        unit("migrate", UnitState.UNCERTAIN, receipt="none", run="01a1", detail="its lease was broken"),
    )
    assert report_text(Report(ReportKind.STATUS, (section(*units, run=None),))) == (
        "UNIT      KIND     STATE      RECEIPT  LAST RUN  DETAIL\n"
        "database  Command  current    current  01a1\n"
        "migrate   Command  uncertain  none     01a1      its lease was broken\n"
        "\n"
        "  source:   8400\n"
    )


def test_a_status_without_details_has_no_column_for_them() -> None:
    current = section(unit("database", UnitState.CURRENT, receipt="current", run="01a1"), run=None, source=None)
    assert report_text(Report(ReportKind.STATUS, (current,))) == (
        "UNIT      KIND     STATE    RECEIPT  LAST RUN\ndatabase  Command  current  current  01a1\n"
    )


def test_several_environments_have_headings_and_none_hides_another() -> None:
    broken = section(environment="infra", run=None, source=None)
    text = report_text(Report(ReportKind.RECONCILE, (broken, section(unit("web"), environment="services"))))
    assert text.startswith("Environment infra\n\n  no result\n\nEnvironment services\n\nUNIT")


def test_an_overview_has_a_line_an_environment_with_its_worst_state() -> None:
    units = (unit("a", UnitState.CURRENT), unit("b", UnitState.READY), unit("c", UnitState.FAILED))
    lost = section(environment="lost", source=None, diagnostics=(Diagnostic(Code.STATE_MISSING, "none", "make"),))
    assert overview_text(Report(ReportKind.STATUS, (section(*units), lost))) == (
        "ENVIRONMENT  STATE       UNITS                         SOURCE\n"
        "dev          failed      1 current, 1 ready, 1 failed  8400\n"
        "lost         unreadable  none\n"
    )


def test_an_overview_of_no_environments_says_so() -> None:
    assert overview_text(Report(ReportKind.STATUS)) == "no environments\n"
    refused = Report(ReportKind.STATUS, diagnostics=(Diagnostic(Code.PROJECT_MISSING, "none", "make one"),))
    assert overview_text(refused) == ""


def test_an_operation_prints_what_it_did() -> None:
    report = Report(
        ReportKind.OPERATION, (section(),), operation="state-init", details={"observed": "eefe", "evidence": []}
    )
    assert report_text(report) == "state-init dev: done\n  observed: eefe\n  evidence: []\n"


def test_an_operation_that_failed_prints_nothing() -> None:
    failed = Diagnostic(Code.STATE_EXISTS, "it is there", "leave it")
    assert report_text(Report(ReportKind.OPERATION, operation="state-init", diagnostics=(failed,))) == ""


def test_the_environments_of_a_valid_project_are_counted() -> None:
    assert report_text(Report(ReportKind.VALIDATE, (section(),))) == "valid: 1 environment\n"
    assert report_text(Report(ReportKind.VALIDATE, (section(), section(environment="b")))) == "valid: 2 environments\n"


def test_the_targets_of_a_valid_project_are_counted() -> None:
    report = Report(ReportKind.VALIDATE, targets=("production", "staging"))
    assert report_text(report) == "valid: 0 environments, 2 DeploymentTargets\n"


def test_an_invalid_project_says_so_only_in_diagnostics() -> None:
    problem = Diagnostic(Code.NAME_TAKEN, "twice", "rename it")
    assert report_text(Report(ReportKind.VALIDATE, (section(),), diagnostics=(problem,))) == ""


def test_text_from_elsewhere_breaks_no_table() -> None:
    evil = "[red]x[/red]\x1b[2J\r\nfake  Command  executed\u202e"
    text = report_text(reconciled(unit("a", Result.BLOCKED, detail=evil)))
    assert text.count("\n") == 4
    assert "[red]x[/red]\\x1b[2J\\r\\nfake  Command  executed\\u202e" in text


def test_a_failure_without_a_detail_does_not_show_why_the_unit_ran() -> None:
    text = report_text(reconciled(unit("a", Result.FAILED, reason="no receipt"), written=frozenset({"observed"})))
    assert "no receipt" not in text


def test_a_plan_shows_each_change_below_the_table_with_its_digest_ready_to_paste() -> None:
    changed = unit("db", Action.EXECUTE, changes="+ table\n\x1b[2Jgone\n", change_digest="sha256:1")
    same = unit("web", Action.TEARDOWN, changes="", change_digest="sha256:2")
    dev, prod = section(changed, same, run=None), section(changed, environment="prod", run=None)
    assert report_text(Report(ReportKind.PLAN, (dev,))).partition("8400\n")[2] == (
        "\n"
        "What db would change:\n"
        "  + table\n"
        "  \\x1b[2Jgone\n"
        "  digest: sha256:1  approve with --approve db=sha256:1\n"
        "\n"
        "What the teardown of web would change:\n"
        "  nothing\n"
        "  digest: sha256:2  approve with --approve web=sha256:2\n"
    )
    assert "--approve prod/db=sha256:1\n" in report_text(Report(ReportKind.PLAN, (dev, prod)))
