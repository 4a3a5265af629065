"""The plans that a pre-push hook prints of what is pushed."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from nyl.cli.streams import write_err
from nyl.cli.surroundings import Surroundings
from nyl.core.diagnostics import Diagnostic, NylError, Severity
from nyl.core.exits import Exit
from nyl.engine.plan import plan
from nyl.engine.push_check import CheckedProject
from nyl.engine.requests import PlanRequest, Proposal, Selection, SourceChoice
from nyl.engine.results import Report, ReportKind
from nyl.engine.selection import select_environments
from nyl.engine.workspace import Workspace
from nyl.report.diagnostics import diagnostics_text
from nyl.report.pushes import leaving_line
from nyl.report.text import report_text


def show_plan(around: Surroundings, root: Path, checked: CheckedProject) -> Exit:
    """Prints the plans of a pushed project's environments on stderr.

    Gives exit 1 for units that leave where the project's settings have them block a push; nothing else blocks it.
    """
    hooks = checked.config.hooks
    report = _planned(around, root, checked)
    write_err(report_text(report))
    warnings = [replace(each, severity=Severity.WARNING) for each in report.all_diagnostics]
    write_err(diagnostics_text(warnings))
    leaving = sorted(f"{each.environment}/{unit.unit}" for each in report.environments for unit in each.leaving)
    if not (leaving and hooks.block_on_leaving):
        return Exit.OK
    write_err(leaving_line(leaving))
    return Exit.ERROR


def _planned(around: Surroundings, root: Path, checked: CheckedProject) -> Report:
    try:
        workspace = Workspace.open(root / checked.folder, around.environ, around.clock, lambda event: None)
        known, unknown = _known(workspace, checked.config.hooks.plan)
        request = PlanRequest(Selection(known), source=SourceChoice(proposal=Proposal(checked.commit)))
        report = plan(workspace, request) if known else Report(ReportKind.PLAN)
    except NylError as error:
        return Report(ReportKind.PLAN, diagnostics=error.diagnostics)
    return replace(report, diagnostics=(*report.diagnostics, *unknown))


def _known(workspace: Workspace, names: Iterable[str]) -> tuple[tuple[str, ...], tuple[Diagnostic, ...]]:
    """The names that are environments, and what is wrong with the others, which keep none of them from a plan."""
    project, known, problems = workspace.worktree, list[str](), list[Diagnostic]()
    for name in names:
        try:
            select_environments(project.environments, project.groups, Selection((name,)))
        except NylError as error:
            problems += error.diagnostics
        else:
            known.append(name)
    return tuple(known), tuple(problems)
