"""Where the stdout of a tool goes that nyl runs for a user: to nyl's own."""

from dataclasses import dataclass, replace

from nyl.cli.streams import write_out
from nyl.core.diagnostics import NylError
from nyl.engine.results import Report


@dataclass
class ToolOutput:
    """Writes what comes to stdout. A stdout that takes no more stops nothing, and is told in the report."""

    problem: NylError | None = None

    def __call__(self, text: str) -> None:
        """Writes some text at once."""
        if self.problem is not None:
            return
        try:
            write_out(text)
        except NylError as error:
            self.problem = error

    def told(self, report: Report) -> Report:
        """The report, with what kept the output from being written."""
        if self.problem is None:
            return report
        return replace(report, diagnostics=(*report.diagnostics, *self.problem.diagnostics))
