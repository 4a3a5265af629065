"""Reports to render."""

from typing import Any

from nyl.core.codes import Code
from nyl.core.diagnostics import Diagnostic, Severity
from nyl.engine.results import EnvironmentReport, Report, ReportKind, Result, UnitReport

RUN = "01a1732a-44de-7b8d-90ca-4602a61d3a51"


def reconciled(*units: UnitReport, **fields: Any) -> Report:
    """A reconcile of dev."""
    return Report(ReportKind.RECONCILE, (section(*units, **fields),))


def section(*units: UnitReport, environment: str = "dev", **fields: Any) -> EnvironmentReport:
    return EnvironmentReport(environment, units, **{"run": RUN, "source": "8400", **fields})


def unit(name: str, verdict: Any = Result.CURRENT, **fields: Any) -> UnitReport:
    return UnitReport(name, "Command", verdict, **fields)


def warning(code: Code = Code.UNIT_UNCERTAIN, message: str = "it happened", **fields: Any) -> Diagnostic:
    return Diagnostic(code, message, "look at it", Severity.WARNING, **fields)
