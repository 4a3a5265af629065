"""A report as Markdown that knows where it is made: in GitHub Actions the repository, the run, and the pull request."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from nyl.core.diagnostics import NylError
from nyl.engine.results import Report

if TYPE_CHECKING:
    from nyl.report.markdown.context import MarkdownContext


def markdown_in(environ: Mapping[str, str], report: Report) -> str:
    """The Markdown of a report, for a comment. An event that cannot be read is told by the operation, if it matters."""
    from nyl.report.markdown.comment import markdown_text

    return markdown_text(report, _context(environ))


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
        f"{run.server_url}/{run.repository}",
        (request.head_sha if request else None) or "",
        (request.base_sha if request else None) or "",
        run.run_url if run.run_id else "",
    )
