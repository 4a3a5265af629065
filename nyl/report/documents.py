"""Reports as JSON documents of `report.nyl/v1`. Fields are only ever added; `schemas/` says which there are."""

import json
from collections.abc import Mapping
from typing import Any

from nyl.core.diagnostics import Diagnostic
from nyl.engine.results import Action, EnvironmentReport, Explanation, Finding, Report, ReportKind, Result, UnitReport

API_VERSION = "report.nyl/v1"
Document = dict[str, Any]


def report_document(report: Report) -> Document:
    """The JSON form of a report."""
    document: Document = {
        "apiVersion": API_VERSION,
        "kind": report.kind.value,
        "exit": int(report.exit),
        "environmentOrder": [each.environment for each in report.environments],
        "environments": {each.environment: _environment(each, report.kind) for each in report.environments},
        "diagnostics": [_diagnostic_document(each) for each in report.all_diagnostics],
    }
    if report.kind is ReportKind.OPERATION:
        document |= {"operation": report.operation or "", "details": dict(report.details)}
    if report.kind is ReportKind.VALIDATE:
        document["targets"] = list(report.targets)
    return document


def _diagnostic_document(diagnostic: Diagnostic) -> Document:
    """The JSON form of a diagnostic; `environment`, `unit`, `file` and `line` only where they are known."""
    location = diagnostic.location
    about = {
        "environment": diagnostic.environment,
        "unit": diagnostic.unit,
        "file": location.file if location else None,
        "line": (location.line or None) if location else None,
    }
    return {
        "severity": diagnostic.severity.value,
        "code": diagnostic.code.value,
        **_known(about),
        "message": diagnostic.message,
        "fix": diagnostic.fix,
    }


def json_text(value: Any) -> str:
    """One JSON document ended by a newline, in ASCII, so that no locale and no terminal can spoil it.

    Nor does a CI system that reads it in a log find a command in it, such as `##[group]`.
    """
    text = json.dumps(value, indent=2, ensure_ascii=True, default=str)
    return text.replace("##", "#\\u0023") + "\n"


def _environment(section: EnvironmentReport, kind: ReportKind) -> Document:
    document: Document = {
        "exit": int(section.exit),
        **_known(
            {
                "run": section.run,
                "source": section.source,
                "tree": section.tree,
                "desired": section.desired,
                "observed": section.observed,
            }
        ),
        "unitOrder": [each.unit for each in section.units],
        "units": {each.unit: _unit(each) for each in section.units},
        "diagnostics": [_diagnostic_document(each) for each in section.diagnostics],
    }
    if kind in (ReportKind.PLAN, ReportKind.RECONCILE, ReportKind.STATUS):
        document["leaving"] = [
            {"unit": each.unit, "why": each.why.value, "effect": each.effect.value} for each in section.leaving
        ]
    if kind in (ReportKind.RECONCILE, ReportKind.TEARDOWN, ReportKind.VERIFY):
        document["written"] = sorted(section.written)
    if kind in (ReportKind.RECONCILE, ReportKind.TEARDOWN):
        document["imported"] = list(section.imported)
        document["recovered"] = list(section.recovered)
        document["details"] = dict(section.details)
    if kind is ReportKind.RECONCILE:
        document["driftRepaired"] = list(section.drift_repaired)
    if section.worktree_source is not None:
        document["worktreeSource"] = dict(section.worktree_source)
    return document


def _unit(unit: UnitReport) -> Document:
    return {"kind": unit.kind, **_verdict(unit), "detail": unit.detail} | _known(
        {
            "executionKey": unit.execution_key,
            "outputs": unit.outputs,
            "durationMs": unit.duration_ms,
            "category": unit.category,
            "retryable": unit.retryable,
            "run": unit.run,
            "receipt": unit.receipt,
            "receiptNylVersion": unit.nyl_version,
            "health": unit.health,
            "changeDigest": unit.change_digest,
            "changes": unit.changes,
            "explanation": _explanation(unit.explanation) if unit.explanation else None,
        }
    )


def _verdict(unit: UnitReport) -> Document:
    if isinstance(unit.verdict, Action):
        return {"action": unit.verdict.value, "reasons": [unit.reason] if unit.reason else []}
    if isinstance(unit.verdict, Finding):
        return {"finding": unit.verdict.value}
    field = "result" if isinstance(unit.verdict, Result) else "state"
    return {field: unit.verdict.value, "reason": unit.reason}


def _explanation(explanation: Explanation) -> Document:
    return {
        "fields": list(explanation.fields),
        "files": list(explanation.files),
        "other": list(explanation.other),
    }


def _known(values: Mapping[str, Any]) -> Document:
    return {name: value for name, value in values.items() if value is not None}
