"""Fixes of an invocation with --local: the commands in them work on the local copy as well."""

import re
from collections.abc import Sequence
from dataclasses import replace

from nyl.core.diagnostics import Diagnostic
from nyl.engine.results import Report

_WITH_OPTION = (
    "reconcile|plan|status|verify|teardown|hold|resume|recover|history|get|lease|state (?:init|show|check|forget)"
)
_COMMAND = re.compile(rf"`nyl (?:{_WITH_OPTION})\b[^`]*`")


def local_fix(fix: str) -> str:
    """A fix whose commands have --local, where they take it and do not have it yet."""
    return _COMMAND.sub(lambda found: found[0] if "--local" in found[0] else f"{found[0][:-1]} --local`", fix)


def local_diagnostics(diagnostics: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """The same with such fixes."""
    return tuple(replace(each, fix=local_fix(each.fix)) for each in diagnostics)


def local_report(report: Report) -> Report:
    """A report in which every fix is such a one."""
    sections = tuple(replace(each, diagnostics=local_diagnostics(each.diagnostics)) for each in report.environments)
    return replace(report, environments=sections, diagnostics=local_diagnostics(report.diagnostics))
