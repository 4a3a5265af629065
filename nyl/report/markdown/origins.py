"""What a report was made of, and how to get the same on another machine: commits, trees and commands."""

import shlex
from collections.abc import Sequence

from nyl.engine.results import EnvironmentReport, Report, ReportKind
from nyl.report.markdown.budget import Block, Part, Rank
from nyl.report.markdown.context import MarkdownContext
from nyl.report.markdown.escape import code, fence, table
from nyl.report.markdown.listings import folded

_COMMANDS = {ReportKind.PLAN: "plan", ReportKind.VERIFY: "verify", ReportKind.VALIDATE: "validate"}
"""What tells the same again. What a run did is told by the status of its environments."""


def origin_block(report: Report, context: MarkdownContext) -> Block | None:
    """Source commits with their trees, head and base of the pull request, and the commands to repeat it."""
    sections = [each for each in report.environments if each.source]
    if not sections:
        return None
    body = f"{_commits_text(sections, context)}\n\n{_again(report, sections)}"
    summary = "Source, and how to reproduce it" if report.kind in _COMMANDS else "Source, and how it stands now"
    text = folded(summary, body)
    return Block(Rank.ORIGIN, lambda: text, Part.ORIGIN, len(sections))


def _commits_text(sections: Sequence[EnvironmentReport], context: MarkdownContext) -> str:
    request = [(name, commit) for name, commit in (("Head", context.head), ("Base", context.base)) if commit]
    if len(sections) == 1:
        return _list([*_commits(sections[0]), *request])
    names = list(dict.fromkeys(name for each in sections for name, _ in _commits(each)))
    rows = [
        [code(each.environment), *(code(dict(_commits(each)).get(name, "")) for name in names)] for each in sections
    ]
    text = table(["Environment", *names], rows)
    return f"{text}\n\n{_list(request)}" if request else text


def _list(facts: Sequence[tuple[str, str]]) -> str:
    return "\n".join(f"- {name}: {code(commit)}" for name, commit in facts)


def _commits(section: EnvironmentReport) -> list[tuple[str, str]]:
    written = [(name, getattr(section, name)) for name in ("desired", "observed") if name in section.written]
    known = [("Source commit", section.source), ("Tree", section.tree), ("Run", section.run), *written]
    return [(name.capitalize(), each) for name, each in known if each]


def _again(report: Report, sections: Sequence[EnvironmentReport]) -> str:
    command = _COMMANDS.get(report.kind, "status")
    named = " ".join(f"-e {shlex.quote(each.environment)}" for each in report.environments)
    sources = {each.source for each in sections if each.worktree_source is None}
    steps = []
    if report.kind in (ReportKind.PLAN, ReportKind.VALIDATE) and len(sources) == 1:
        commit = shlex.quote(str(next(iter(sources))))
        steps = [f"git fetch origin {commit}", f"git switch --detach {commit}"]
    return fence("\n".join([*steps, f"nyl {command} {named}"]), "sh")
