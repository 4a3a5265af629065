"""Asks GitHub who approved the run: the adapter of the review history for the engine's approvals.

Follows the section Approvals of the Runs page. The token stays here.
"""

from collections.abc import Mapping

from nyl.core.background import Background
from nyl.core.clock import Clock
from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Diagnostic, NylError, Severity
from nyl.engine.approvers import ApprovalQuestion, Approver, ApproverIdentity, ApproverLookup
from nyl.engine.events import Listener, Step
from nyl.github.answers import Asked
from nyl.github.client import Access, GitHub, token_of
from nyl.github.context import ActionsContext
from nyl.github.reviews import Review, parse_review, reviewers

_SECONDS = 30.0
"""How long GitHub has to answer."""

_ASKED = Asked("read the review history of the run", "actions: read")


@dataclass(frozen=True)
class ReviewLookup:
    """Who approved the run of a context, by GitHub's review history of it. What keeps it from telling is a warning."""

    github: GitHub
    context: ActionsContext
    listener: Listener
    seconds: float = _SECONDS

    def __call__(self, question: ApprovalQuestion) -> Approver | None:
        """The users who approved the GitHub environment of that name; None where none is known. Raises nothing."""
        try:
            history = Background(self._history).result(self.seconds)
        except TimeoutError:
            self._doubt(question, f"it gave no answer within {self.seconds:.0f} s", "run it again")
            return None
        except NylError as error:
            self._doubt(question, error.diagnostic.message.rstrip("."), error.diagnostic.fix)
            return None
        found = reviewers(history, question.environment, self.context.attempt)
        if found.doubt:
            self._doubt(question, found.doubt, "look at the run's page")
        return Approver(found.names, self.context.run_url, ApproverIdentity.VERIFIED) if found.names else None

    def _history(self) -> list[Review]:
        path = f"/repos/{self.context.repository}/actions/runs/{self.context.run_id}/approvals"
        entries = self.github.pages(_ASKED, path)
        return [review for each in entries if (review := parse_review(each)) is not None]

    def _doubt(self, question: ApprovalQuestion, why: str, fix: str) -> None:
        self.listener(
            Diagnostic(
                Code.APPROVERS_UNKNOWN,
                f"GitHub did not tell who approved {question.environment}, and the approval is recorded as the run's, "
                f"with no approver: {why}.",
                f"{fix}, or name the approvers with --approved-by",
                Severity.WARNING,
                question.environment,
            )
        )


def review_lookup(environ: Mapping[str, str], clock: Clock, listener: Listener) -> ApproverLookup | None:
    """The lookup of a run of GitHub Actions that was given a token; None everywhere else.

    Raises NYL-GITHUB-CONTEXT where the event file cannot be read.
    """
    context, token = ActionsContext.from_environ(environ), token_of(environ)
    if context is None or token is None or not (context.repository and context.run_id):
        return None
    github = GitHub(Access(context.api_url, token), clock, lambda text: listener(Step(None, text)))
    return ReviewLookup(github, context, listener)
