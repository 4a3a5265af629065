"""Where the report of a step goes: annotations, outputs, the job summary, and a comment on the pull request.

The command has ended by then, and nothing here changes how the step ends: what cannot be written is told in the log.
"""

import json
from collections.abc import Mapping
from pathlib import Path

from nyl.cli.action.arguments import ReportFiles
from nyl.cli.action.commenting import comment
from nyl.cli.action.inputs import ActionInputs
from nyl.cli.action.step_result import step_result
from nyl.cli.markdown import summary_in
from nyl.cli.output import Form, emit
from nyl.cli.streams import write_out
from nyl.cli.surroundings import Surroundings
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.core.exits import Exit
from nyl.engine.results import Report, ReportKind
from nyl.github.annotations import annotations
from nyl.github.commands import workflow_command
from nyl.github.outputs import write_outputs
from nyl.github.summary import add_to_summary
from nyl.report.written_report import WrittenReport, written_report


@dataclass(frozen=True)
class _Told:
    """What is known of an operation that ended."""

    exit: Exit
    report: WrittenReport
    markdown: str
    summary: str


def publish(inputs: ActionInputs, files: ReportFiles, exit: Exit, around: Surroundings) -> None:
    """Publishes what a command reported."""
    bare = _bare_summary(inputs.operation.value, exit)
    told = _Told(exit, _read(files.json), _text(files.markdown) or bare, _text(files.summary) or bare)
    _annotate(told)
    _write_outputs(told, files, around.environ)
    if inputs.summary:
        _summarise(told.summary, around.environ)
    comment(inputs, told.markdown, around)


def publish_refusal(error: NylError, environ: Mapping[str, str]) -> Exit:
    """Publishes why a step was refused before its command began, and gives its exit code."""
    report = Report(ReportKind.OPERATION, diagnostics=error.diagnostics, operation="action-run")
    ended, markdown = emit(report, Form.TEXT), summary_in(environ, report)
    told = _Told(ended, WrittenReport(diagnostics=error.diagnostics), markdown, markdown)
    _annotate(told)
    _write_outputs(told, None, environ)
    _summarise(told.summary, environ)
    return ended


def _read(file: Path) -> WrittenReport:
    """The report in a file; an empty one where the command was refused before it could write one."""
    return written_report(json.loads(file.read_bytes())) if file.is_file() else WrittenReport()


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8") if file.is_file() else ""


def _bare_summary(name: str, exit: Exit) -> str:
    return f"`nyl {name}` ended with exit code {int(exit)}. The log of this step tells more."


def _annotate(told: _Told) -> None:
    root = _repository_root(Path.cwd())
    lines = annotations(told.report.diagnostics, told.exit, lambda file: root is not None and (root / file).is_file())
    write_out("".join(f"{line}\n" for line in lines))


def _repository_root(folder: Path) -> Path | None:
    return next((each for each in (folder, *folder.parents) if (each / ".git").exists()), None)


def _write_outputs(told: _Told, files: ReportFiles | None, environ: Mapping[str, str]) -> None:
    path = environ.get("GITHUB_OUTPUT")
    if not path:
        return
    outputs = {
        "exit-code": str(int(told.exit)),
        "result": step_result(told.exit, would_change=told.report.would_change).value,
        "report": _existing(files.json if files else None),
        "report-markdown": _existing(files.markdown if files else None),
        "digests": json.dumps(told.report.digests, sort_keys=True),
        "run": "\n".join(told.report.runs),
    }
    try:
        write_outputs(Path(path), outputs)
    except OSError as error:
        _warn(f"The outputs of this step could not be written: {error.strerror}.")


def _existing(file: Path | None) -> str:
    return str(file) if file is not None and file.is_file() else ""


def _summarise(markdown: str, environ: Mapping[str, str]) -> None:
    path = environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        return
    try:
        add_to_summary(Path(path), markdown)
    except OSError as error:
        _warn(f"The summary of this job could not be written: {error.strerror}.")


def _warn(text: str) -> None:
    write_out(f"{workflow_command('warning', text, title='nyl')}\n")
