"""Reports as text for people: a heading per environment where there are several, tables, and what was written."""

import json
from typing import Any

from nyl.core.codes import Code
from nyl.core.counts import counted
from nyl.core.diagnostics import Severity
from nyl.core.exits import Exit
from nyl.engine.results import EnvironmentReport, Report, ReportKind, Result, UnitReport, UnitState
from nyl.report.changes import change_text
from nyl.report.explanations import explanation_text
from nyl.report.leaving import leaving_text
from nyl.report.plaintext import one_line
from nyl.report.tables import table

_VERDICT_HEADING = {
    ReportKind.PLAN: "ACTION",
    ReportKind.RECONCILE: "RESULT",
    ReportKind.STATUS: "STATE",
    ReportKind.VERIFY: "FINDING",
    ReportKind.TEARDOWN: "RESULT",
}
_NO_RESULT = "  no result\n"
_WORK_DONE = (Result.EXECUTED, Result.IMPORTED, Result.RECOVERED, Result.REMOVED, Result.TEARING_DOWN)


def report_text(report: Report) -> str:
    """The text form of a report, without its diagnostics, which go to stderr. '' when there is nothing to say."""
    match report.kind:
        case ReportKind.OPERATION:
            return _operation(report)
        case ReportKind.VALIDATE:
            return _validation(report)
        case _:
            return _sections(report)


def overview_text(report: Report) -> str:
    """A status report in one line an environment: its worst unit, how many there are of each state, its source."""
    rows = [(each.environment, _worst_state(each), _counts(each), each.source or "") for each in report.environments]
    if not rows:
        return "no environments\n" if _nothing_refused(report) else ""
    return table(("ENVIRONMENT", "STATE", "UNITS", "SOURCE"), rows)


def _sections(report: Report) -> str:
    several = len(report.environments) > 1
    blocks = [(each, _section(each, report.kind, several=several)) for each in report.environments]
    if len(blocks) == 1:
        return blocks[0][1]
    return "\n".join(f"Environment {each.environment}\n\n{text or _NO_RESULT}" for each, text in blocks)


def _section(section: EnvironmentReport, kind: ReportKind, *, several: bool) -> str:
    parts = [leaving_text(section.environment, section.leaving), _units(section, kind), _commits(section, kind)]
    prefix = f"{section.environment}/" if several else ""
    for each in section.units:
        parts += [explanation_text(each), change_text(each, f"{prefix}{each.unit}")]
    return "\n".join(part for part in parts if part)


def _units(section: EnvironmentReport, kind: ReportKind) -> str:
    if not section.units:
        return "no units\n" if _was_read(section) else ""
    heading = _VERDICT_HEADING[kind]
    if kind is ReportKind.STATUS:
        rows = [
            (each.unit, each.kind, each.verdict.value, each.receipt or "", each.run or "", _detail(each, kind))
            for each in section.units
        ]
        headings = ("UNIT", "KIND", heading, "RECEIPT", "LAST RUN", "DETAIL")
        if not any(row[-1] for row in rows):  # without it, most tables fit a terminal of 80 columns
            return table(headings[:-1], [row[:-1] for row in rows])
        return table(headings, rows)
    return table(
        ("UNIT", "KIND", heading, "DETAIL"),
        [(each.unit, each.kind, each.verdict.value, _detail(each, kind)) for each in section.units],
    )


def _detail(unit: UnitReport, kind: ReportKind) -> str:
    reason = unit.reason if kind is ReportKind.PLAN else ""  # progress told why a unit ran
    version = f"receipt written by nyl {unit.nyl_version}" if unit.nyl_version else ""
    return "; ".join(dict.fromkeys(part for part in (reason, unit.detail, version) if part))


def _commits(section: EnvironmentReport, kind: ReportKind) -> str:
    if kind in (ReportKind.STATUS, ReportKind.PLAN):
        return _fields({"source": section.source})
    if not _was_read(section):
        return ""
    if not section.written:
        return _fields({"run": section.run, "source": section.source}) if _left_unrecorded(section) else "no changes\n"
    return _fields(
        {
            "run": section.run,
            "source": section.source,
            "desired": section.desired if "desired" in section.written else None,
            "observed": section.observed if "observed" in section.written else None,
        }
    )


def _fields(values: dict[str, str | None]) -> str:
    known = {name: value for name, value in values.items() if value}
    width = len("observed:")
    return "".join(f"  {f'{name}:'.ljust(width)} {value}\n" for name, value in known.items())


def _was_read(section: EnvironmentReport) -> bool:
    return bool(section.units or section.source or section.run)


def _left_unrecorded(section: EnvironmentReport) -> bool:
    """Whether the run did something that no state ref tells of yet, which only one that ended badly leaves behind."""
    if _ended_well(section):
        return False
    return any(each.verdict in _WORK_DONE for each in section.units) or any(
        each.code in (Code.RUN_CANCELLED, Code.LEASE_LOST) for each in section.diagnostics
    )


def _ended_well(section: EnvironmentReport) -> bool:
    return all(each.severity is not Severity.ERROR for each in section.diagnostics)


def _nothing_refused(report: Report) -> bool:
    return all(each.severity is not Severity.ERROR for each in report.all_diagnostics)


def _validation(report: Report) -> str:
    if report.exit is not Exit.OK:
        return ""
    counts = [counted(len(report.environments), "environment")]
    if report.targets:
        counts.append(counted(len(report.targets), "DeploymentTarget"))
    return f"valid: {', '.join(counts)}\n"


def _operation(report: Report) -> str:
    words = report.operation or ""
    environments = " ".join(each.environment for each in report.environments)
    head = " ".join(part for part in (words, environments) if part)
    details = [f"  {name}: {_scalar(value)}\n" for name, value in report.details.items()]
    if _nothing_refused(report):
        ending = "done"
    elif details:
        ending = "failed"
    elif report.environments:
        ending = "refused"
    else:
        return ""
    return "".join([f"{one_line(head)}: {ending}\n", *details])


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        return one_line(value)
    return one_line(json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str))


def _worst_state(section: EnvironmentReport) -> str:
    if not _ended_well(section) and not section.units:
        return "unreadable"
    states = {each.verdict for each in section.units if isinstance(each.verdict, UnitState)}
    for severity in (Exit.UNCERTAIN, Exit.FAILED, Exit.WAITING):
        found = {state for state in states if state.exit is severity}
        if found:
            return next(state.value for state in UnitState if state in found)
    return "current"


def _counts(section: EnvironmentReport) -> str:
    counts: dict[str, int] = {}
    for unit in section.units:
        counts[unit.verdict.value] = counts.get(unit.verdict.value, 0) + 1
    return ", ".join(f"{number} {state}" for state, number in counts.items()) or "none"
