"""A whole report as one text of GitHub Flavored Markdown: for a comment, a job summary, or a file."""

from collections import Counter
from collections.abc import Iterator, Sequence

from nyl.core.counts import counted
from nyl.core.diagnostics import Severity
from nyl.core.enumerations import enumerated
from nyl.engine.results import Report, ReportKind
from nyl.report.markdown.alarms import alarm_block
from nyl.report.markdown.budget import Block, Part, Rank, fit_with_notice
from nyl.report.markdown.context import MarkdownContext, linked
from nyl.report.markdown.details import approval_block, detail_blocks
from nyl.report.markdown.escape import code
from nyl.report.markdown.listings import changes_blocks, existing, leaving_block, unchanged_block
from nyl.report.markdown.origins import origin_block
from nyl.report.markdown.outcomes import Outcome, headline
from nyl.report.markdown.pictures import picture_block
from nyl.report.markdown.problems import error_block, warning_block
from nyl.report.markdown.trees import is_tree, tree_blocks

COMMENT_LIMIT = 60_000
"""Bytes of a comment. GitHub takes 65,536 characters; the rest is for whoever posts it."""

_NOTICE = 1_500
_MOST_NAMED = 50
_TITLES = {
    ReportKind.PLAN: "Plan",
    ReportKind.RECONCILE: "Reconcile",
    ReportKind.STATUS: "Status",
    ReportKind.VERIFY: "Verification",
    ReportKind.VALIDATE: "Validation",
    ReportKind.TEARDOWN: "Teardown",
}


def markdown_text(report: Report, context: MarkdownContext, limit: int = COMMENT_LIMIT) -> str:
    """A report in fewer than `limit` bytes. Whatever its texts hold, they neither break the layout nor ping anyone.

    The outcome and the units that leave come first and always stay; what has no room is counted in a notice.
    """
    blocks = existing(_blocks(report, context))
    text = fit_with_notice(blocks, limit - 1, lambda left_out: _notice(left_out, context), _NOTICE)
    return f"{text}\n"


def _blocks(report: Report, context: MarkdownContext) -> Iterator[Block | None]:
    if is_tree(report):
        yield from tree_blocks(report)
        yield error_block(report.diagnostics)
        yield warning_block(report.diagnostics)
        return
    outcomes = [Outcome(each) for each in report.environments]
    is_one = len(outcomes) == 1
    yield _head(report, outcomes)
    yield error_block(report.diagnostics)
    for outcome in outcomes:
        if is_one or not outcome.is_quiet:
            yield from _section(outcome, report.kind, is_one=is_one)
    if not is_one and report.kind is not ReportKind.VALIDATE:
        yield _quiet(outcomes)
    yield warning_block(report.diagnostics)
    yield origin_block(report, context)


def _section(outcome: Outcome, kind: ReportKind, *, is_one: bool) -> Iterator[Block | None]:
    if not is_one:
        told = headline([outcome], len(outcome.errors))
        title = f"### {code(outcome.section.environment)}: {told}"
        yield Block.title(Rank.TITLES, title, Part.ENVIRONMENTS)
    yield leaving_block(outcome, kind)
    yield alarm_block(outcome)
    yield error_block(outcome.section.diagnostics)
    yield from changes_blocks(outcome, kind)
    yield approval_block(outcome, qualified=not is_one)
    yield from detail_blocks(outcome)
    yield warning_block(outcome.section.diagnostics)
    yield unchanged_block(outcome)
    yield picture_block(outcome)


def _head(report: Report, outcomes: Sequence[Outcome]) -> Block:
    names = [each.section.environment for each in outcomes]
    of = f" of {code(names[0])}" if len(names) == 1 else f" of {counted(len(names), 'environment')}" if names else ""
    errors = sum(each.severity is Severity.ERROR for each in report.all_diagnostics)
    told = "valid" if report.kind is ReportKind.VALIDATE and not errors else headline(outcomes, errors)
    title = f"## {_TITLES.get(report.kind, 'nyl')}{of}: {told}"
    totals = [counted(sum(len(each.section.units) for each in outcomes), "unit")]
    unchanged = sum(len(each.unchanged) for each in outcomes)
    totals += [f"{unchanged} of them unchanged"] if unchanged else []
    text = f"{title}\n\n{', '.join(totals)}." if any(each.section.units for each in outcomes) else title
    return Block.title(Rank.HEADLINE, text, Part.ENVIRONMENTS)


def _quiet(outcomes: Sequence[Outcome]) -> Block | None:
    """The environments of which there is nothing else to tell, in one line."""
    names = [each.section.environment for each in outcomes if each.is_quiet]
    if not names:
        return None
    text = f"No changes in {enumerated(map(code, names), _MOST_NAMED)}."
    return Block(Rank.CHANGES, lambda: text, Part.ENVIRONMENTS, len(names))


def _notice(left_out: Counter[Part], context: MarkdownContext) -> str:
    link = linked("the full report", context.full_report)
    where = link if context.full_report else "the report that `--report json:PATH` writes"
    parts = [part.words.format(counted(left_out[part], part.noun)) for part in Part if left_out[part]]
    missing = f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else parts[0]
    return f"> [!IMPORTANT]\n> This text is shortened: it leaves out {missing}. Everything is in {where}."
