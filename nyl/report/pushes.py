"""What a pre-push hook says of its check: one line."""

from collections.abc import Sequence

from nyl.core.diagnostics import Severity
from nyl.engine.push_check import CheckedProject, PushReport
from nyl.report.plaintext import one_line

_NAMED = 3
_SHORT = 12
_NOTHING_PUSHED = "so nothing is pushed (`git push --no-verify` skips this check)"


def push_line(report: PushReport) -> str:
    """What was checked, and what came of it; ended by a newline."""
    number = sum(each.severity is Severity.ERROR for each in report.problems)
    problems = "1 problem" if number == 1 else f"{number} problems"
    refused = f"{problems}, {_NOTHING_PUSHED}"
    if report.checked:
        said = f"checked {_listed(report.checked)}: {refused if number else 'valid'}"
    else:
        said = f"checked no project, as {_why_none(report)}" + (f": {refused}" if number else "")
    return f"nyl: {one_line(said)}\n"


def leaving_line(units: Sequence[str]) -> str:
    """That units would leave, where that keeps a push from happening; ended by a newline."""
    return f"nyl: {one_line(', '.join(units))} would leave, {_NOTHING_PUSHED}\n"


def _listed(checked: tuple[CheckedProject, ...]) -> str:
    named = [_named(each) for each in checked[:_NAMED]]
    more = len(checked) - len(named)
    return ", ".join([*named, *([f"and {more} more"] if more else [])])


def _named(checked: CheckedProject) -> str:
    project = checked.folder or "the project"
    return f"{project} at {checked.commit[:_SHORT]} for {', '.join(checked.refs)}"


def _why_none(report: PushReport) -> str:
    if not report.push.refs:
        return "nothing is pushed"
    if all(each.new is None for each in report.push.refs):
        return "the push only deletes"
    return "the push changes none" if report.unchanged else "the push holds none"
