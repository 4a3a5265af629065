"""Diagnostics as blocks: errors in sight, warnings collapsed."""

from collections.abc import Iterable

from nyl.core.codes import Code
from nyl.core.counts import counted
from nyl.core.diagnostics import Diagnostic, Severity
from nyl.report.markdown.budget import Block, Part, Rank
from nyl.report.markdown.escape import clipped, code, prose
from nyl.report.markdown.listings import folded

_SAID_LOUDER = frozenset({Code.PLAN_UNITS_LEAVING})
"""Warnings of what a comment has a block for."""

_LONGEST = 2_000


def error_block(diagnostics: Iterable[Diagnostic]) -> Block | None:
    """An alert with every error, its message and what to do; None without errors."""
    errors = _each(diagnostics, Severity.ERROR)
    if not errors:
        return None
    opening = f"> [!WARNING]\n> **{counted(len(errors), 'error')}**\n>\n"
    items = [f"> {_item(each)}" for each in errors]
    least = [f"> {_head(each)}" for each in errors]
    return Block(
        Rank.ERRORS,
        lambda: opening + "\n".join(items),
        Part.MESSAGES,
        len(errors),
        lambda: (opening + least[0], *(f"\n{each}" for each in least[1:])),
        Part.ERRORS,
    )


def warning_block(diagnostics: Iterable[Diagnostic]) -> Block | None:
    """A collapsed list of the warnings; None without any."""
    warnings = [each for each in _each(diagnostics, Severity.WARNING) if each.code not in _SAID_LOUDER]
    if not warnings:
        return None
    text = folded(counted(len(warnings), "warning"), "\n".join(map(_item, warnings)))
    return Block(Rank.WARNINGS, lambda: text, Part.WARNINGS, len(warnings))


def _each(diagnostics: Iterable[Diagnostic], severity: Severity) -> list[Diagnostic]:
    return [each for each in dict.fromkeys(diagnostics) if each.severity is severity]


def _head(diagnostic: Diagnostic) -> str:
    about = diagnostic.subject or diagnostic.environment
    return f"- **{diagnostic.code.value}**{f' {code(about)}' if about else ''}"


def _item(diagnostic: Diagnostic) -> str:
    place = diagnostic.location
    message = diagnostic.message
    if place is not None and diagnostic.subject != str(place) and place.file not in message:
        message = f"{place}: {message}"
    fix = f"<br>Fix: {prose(clipped(diagnostic.fix, _LONGEST))}" if diagnostic.fix else ""
    return f"{_head(diagnostic)}: {prose(clipped(message, _LONGEST))}{fix}"
