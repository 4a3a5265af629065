import json
from enum import StrEnum

import jsonschema
import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import Diagnostic, Location
from nyl.engine.results import (
    Action,
    Explanation,
    Finding,
    Leaving,
    LeavingEffect,
    LeavingWhy,
    Report,
    ReportKind,
    Result,
    UnitState,
)
from nyl.report.documents import json_text, report_document
from nyl.report.schema_files import report_schema
from tests.report.builders import reconciled, section, unit, warning

COMMIT = "8400718ac2236aa6b71cd5a9c43d4ddd94545257"
KEY = "sha256:" + "6" * 64
LEAVING = (Leaving("cache", LeavingWhy.REMOVED, LeavingEffect.TEARDOWN),)

REPORTS = [
    Report(
        ReportKind.PLAN,
        (
            section(
                unit("a", Action.EXECUTE, reason="no receipt", execution_key=KEY, explanation=Explanation(("+ /x",))),
                source=COMMIT,
                leaving=LEAVING,
            ),
        ),
    ),
    reconciled(
        unit("a", Result.FAILED, category="execution", retryable=True, duration_ms=12),
        unit("b", Result.EXECUTED, execution_key=KEY, outputs={"host": "db"}, nyl_version="0.5"),
        source=COMMIT,
        desired=COMMIT,
        observed=COMMIT,
        written=frozenset({"observed"}),
        leaving=LEAVING,
        diagnostics=(warning(environment="dev", unit="a"),),
        worktree_source={"base": COMMIT},
    ),
    Report(ReportKind.STATUS, (section(unit("a", UnitState.READY, receipt="none"), source=COMMIT),)),
    Report(ReportKind.VALIDATE, (section(unit("a", Action.NONE), source=None, run=None),), targets=("staging",)),
    Report(ReportKind.OPERATION, operation="state-init", details={"observed": COMMIT}),
    Report(ReportKind.VERIFY, (section(unit("a", Finding.DRIFTED, health="degraded"), source=COMMIT),)),
    Report(ReportKind.TEARDOWN, (section(unit("a", Result.REMOVED), source=COMMIT),)),
    *(Report(kind, diagnostics=(Diagnostic(Code.USAGE, "wrong", "right"),)) for kind in ReportKind),
]


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.kind.value)
def test_every_report_fits_the_schema_of_its_kind(report: Report) -> None:
    document = json.loads(json_text(report_document(report)))
    jsonschema.Draft202012Validator(report_schema(report.kind)).validate(document)


@pytest.mark.parametrize("kind", ReportKind)
def test_every_schema_is_a_schema_of_its_kind(kind: ReportKind) -> None:
    schema = report_schema(kind)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["properties"]["kind"] == {"const": kind.value}


@pytest.mark.parametrize(
    ("kind", "field", "verdicts"),
    [
        (ReportKind.RECONCILE, "result", Result),
        (ReportKind.PLAN, "action", Action),
        (ReportKind.STATUS, "state", UnitState),
        (ReportKind.TEARDOWN, "result", Result),
        (ReportKind.VERIFY, "finding", Finding),
    ],
)
def test_schemas_name_every_verdict(kind: ReportKind, field: str, verdicts: type[StrEnum]) -> None:
    known = report_schema(kind)["$defs"]["unit"]["properties"][field]["enum"]
    assert known == [each.value for each in verdicts]


def test_units_carry_their_verdict_under_the_name_that_fits() -> None:
    plan, reconcile, status = (report_document(report)["environments"]["dev"]["units"]["a"] for report in REPORTS[:3])
    assert (plan["action"], plan["reasons"]) == ("execute", ["no receipt"])
    assert reconcile["result"] == "failed"
    assert status["state"] == "ready"


def test_unit_order_stands_beside_the_map_of_units() -> None:
    dev = report_document(reconciled(unit("z"), unit("a")))["environments"]["dev"]
    assert dev["unitOrder"] == ["z", "a"]


def test_the_top_holds_the_diagnostics_of_every_environment() -> None:
    document = report_document(REPORTS[1])
    assert [each["unit"] for each in document["diagnostics"]] == ["a"]
    assert document["diagnostics"] == document["environments"]["dev"]["diagnostics"]


def test_a_diagnostic_says_where() -> None:
    found = Diagnostic(Code.YAML_INVALID, "bad", "mend", location=Location("units.yaml", 3))
    document = report_document(Report(ReportKind.VALIDATE, diagnostics=(found,)))["diagnostics"][0]
    assert (document["file"], document["line"]) == ("units.yaml", 3)


def test_json_is_ascii_and_holds_no_control_characters() -> None:
    text = json_text({"a": "é\x9b\ud800\x1b"})
    assert text == '{\n  "a": "\\u00e9\\u009b\\ud800\\u001b"\n}\n'


def test_json_in_a_log_commands_no_ci_system() -> None:
    text = json_text({"detail": "##[group]x ###[y] ##vso[z]"})
    assert "##" not in text
    assert json.loads(text) == {"detail": "##[group]x ###[y] ##vso[z]"}
