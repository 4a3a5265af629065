"""A report as Markdown that knows where it is made: in GitHub Actions the repository, the run, and the pull request."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from nyl.core.diagnostics import NylError
from nyl.engine.results import Report

if TYPE_CHECKING:
    from nyl.report.markdown.context import MarkdownContext


_SUMMARY_LIMIT = 1_000_000
"""Bytes of a step's part of a job summary. GitHub takes 1 MiB; the rest is for what else the step writes there."""


def comment_in(environ: Mapping[str, str], report: Report) -> str:
    """The Markdown of a report for a comment.

    An event that cannot be read is no reason to write none: the operation told of it, if it matters.
    """
    from nyl.report.markdown.comment import markdown_text

    return markdown_text(report, _context(environ))


def summary_in(environ: Mapping[str, str], report: Report) -> str:
    """The same for the summary of a job, which has room for more."""
    from nyl.report.markdown.comment import markdown_text

    return markdown_text(report, _context(environ), _SUMMARY_LIMIT)


def _context(environ: Mapping[str, str]) -> "MarkdownContext":
    from nyl.github.context import ActionsContext
    from nyl.report.markdown.context import MarkdownContext

    try:
        run = ActionsContext.from_environ(environ)
    except NylError:
        run = None
    if run is None or not run.repository:
        return MarkdownContext()
    request = run.pull_request
    return MarkdownContext(
        (request.head_sha if request else None) or "",
        (request.base_sha if request else None) or "",
        run.run_url if run.run_id else "",
    )
