"""Where a report goes: files, stdout, and its diagnostics to stderr."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType

from nyl.cli.streams import write_err, write_out
from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Diagnostic, NylError
from nyl.core.exits import Exit, worst
from nyl.core.files import write_atomically
from nyl.engine.results import Report
from nyl.report.diagnostics import diagnostics_text
from nyl.report.documents import json_text, report_document
from nyl.report.text import report_text

_NOWHERE: Mapping[str, str] = MappingProxyType({})


class Form(StrEnum):
    """What stdout holds."""

    TEXT = "text"
    JSON = "json"


class TargetForm(StrEnum):
    """What the file of `--report FORM:PATH` holds."""

    JSON = "json"
    MARKDOWN = "markdown"
    """Short enough for a comment on a pull request."""
    SUMMARY = "summary"
    """The same text, short enough for the summary of a job."""


@dataclass(frozen=True)
class Target:
    """A file that a report is written to as well (`--report FORM:PATH`)."""

    path: Path
    form: TargetForm = TargetForm.JSON


def emit(
    report: Report,
    form: Form,
    targets: Sequence[Target] = (),
    *,
    heard: Sequence[Diagnostic] = (),
    as_text: Callable[[Report], str] = report_text,
    write: Callable[[str], None] = write_out,
    environ: Mapping[str, str] = _NOWHERE,
) -> Exit:
    """Writes a report everywhere it belongs and gives the exit code of the invocation.

    `write` takes its text, which goes to stderr where stdout is a tool's.
    `heard` are diagnostics that came while the operation worked; those that the report has too are printed once. A
    comment names what `environ` tells of the run that it comes from.
    """
    for target in targets:
        report = _write_target(report, target, environ)
    qualified = len(report.environments) > 1
    text = json_text(report_document(report)) if form is Form.JSON else as_text(report)
    try:
        write(text)
        unwritable: tuple[Diagnostic, ...] = ()
    except NylError as error:
        unwritable = error.diagnostics
    told = diagnostics_text((*report.all_diagnostics, *heard, *unwritable), qualified=qualified)
    if told:
        write_err(("\n" if text and form is Form.TEXT else "") + told)
    return worst([report.exit, *(each.code.exit for each in unwritable)])


def check_targets(targets: Sequence[Target]) -> None:
    """Raises NYL-REPORT-UNWRITABLE for a file that surely cannot be written, before any work is done for it."""
    for target in targets:
        folder = target.path.parent
        if target.path.is_dir() or not folder.is_dir() or not os.access(folder, os.W_OK):
            reason = "it is a folder" if target.path.is_dir() else f"{folder} is not a folder that can be written to"
            raise _unwritable(target, reason)


def _write_target(report: Report, target: Target, environ: Mapping[str, str]) -> Report:
    """The report, with a diagnostic added when the file could not be written."""
    try:
        _write_file(target.path, _target_text(report, target.form, environ))
    except OSError as error:
        problem = _unwritable(target, error.strerror or str(error))
        return replace(report, diagnostics=(*report.diagnostics, *problem.diagnostics))
    return report


def _target_text(report: Report, form: TargetForm, environ: Mapping[str, str]) -> str:
    if form is TargetForm.JSON:
        return json_text(report_document(report))
    from nyl.cli.markdown import comment_in, summary_in

    return comment_in(environ, report) if form is TargetForm.MARKDOWN else summary_in(environ, report)


def _write_file(path: Path, text: str) -> None:
    """Replaces a file whole; a device or a pipe is written in place."""
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8")
    else:
        write_atomically(path, text.encode())


def _unwritable(target: Target, reason: str) -> NylError:
    return NylError(
        Code.REPORT_UNWRITABLE,
        f"The report file {target.path} cannot be written: {reason}.",
        "name a file in an existing folder that you may write to",
    )
