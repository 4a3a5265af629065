"""What a run of GitHub Actions means for an operation: whether it may act on what is checked out, or at all."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Diagnostic, Severity

if TYPE_CHECKING:
    from nyl.cli.surroundings import Surroundings
    from nyl.engine.approvers import ApproverLookup
    from nyl.engine.requests import Proposal, ReconcileRequest, TeardownRequest
    from nyl.engine.results import Report
    from nyl.engine.workspace import Workspace
    from nyl.git.commit_facts import CommitFacts
    from nyl.github.context import ActionsContext, PullRequest

    Act: TypeAlias = Callable[[Workspace], Report]

_VARIABLE = "GITHUB_ACTIONS"


def on_trusted_checkout(act: "Act") -> "Act":
    """An operation that may run programs of what is checked out, refused where that is not what the event is about.

    It raises NYL-CHECKOUT-UNTRUSTED and NYL-CHECKOUT-STALE before it reads anything.
    """

    def checked(workspace: "Workspace") -> "Report":
        found = _checked_out(workspace)
        if found is not None:
            from nyl.github.checkout import check_checkout

            check_checkout(found.context, found.head)
        return act(workspace)

    return checked


def on_current_base(act: "Act") -> "Act":
    """A plan of what is checked out, refused with NYL-CHECKOUT-BEHIND where a pull request's base has moved on."""

    def checked(workspace: "Workspace") -> "Report":
        found = _checked_out(workspace)
        if found is not None and found.request.is_open and not workspace.is_local:
            from nyl.github.pull_request_base import check_base

            check_base(workspace, found.request, found.head)
        return act(workspace)

    return checked


def checked_out_proposal(workspace: "Workspace") -> "Proposal | None":
    """HEAD, where the run is about a pull request or a merge queue that proposes it; None in any other."""
    run = _run_at_head(workspace)
    if run is None:
        return None
    from nyl.engine.requests import Proposal
    from nyl.github.checkout import proposed_for

    context, head = run
    branch = proposed_for(context, head)
    return Proposal(head.commit, branch) if branch is not None else None


@dataclass(frozen=True)
class _CheckedOut:
    context: "ActionsContext"
    request: "PullRequest"
    head: "CommitFacts"


def _checked_out(workspace: "Workspace") -> _CheckedOut | None:
    """HEAD in the run of a pull request; None in any other."""
    run = _run_at_head(workspace)
    if run is None:
        return None
    context, head = run
    if context.pull_request is None:
        return None
    return _CheckedOut(context, context.pull_request, head)


def _run_at_head(workspace: "Workspace") -> "tuple[ActionsContext, CommitFacts] | None":
    if _VARIABLE not in workspace.environ:
        return None
    from nyl.git.commit_facts import parse_commit
    from nyl.github.context import ActionsContext

    context = ActionsContext.from_environ(workspace.environ)
    if context is None or workspace.head is None:
        return None
    return context, parse_commit(workspace.head, workspace.objects.read(workspace.head))


def approver_lookup(workspace: "Workspace", request: "ReconcileRequest | TeardownRequest") -> "ApproverLookup | None":
    """How GitHub tells who approved; None outside of its runs, and where nothing is approved.

    Raises NYL-GITHUB-CONTEXT where the event file cannot be read.
    """
    if _VARIABLE not in workspace.environ or not request.approval.any:
        return None
    from nyl.github.review_lookup import review_lookup

    return review_lookup(workspace.environ, workspace.clock, workspace.listener)


def is_repeated(around: "Surroundings") -> bool:
    """Whether GitHub ran this before, and runs it again. Raises NYL-GITHUB-CONTEXT as `own_push_notice` does."""
    if _VARIABLE not in around.environ:
        return False
    from nyl.github.context import ActionsContext

    context = ActionsContext.from_environ(around.environ)
    return context is not None and context.attempt > 1


def own_push_notice(around: "Surroundings") -> Diagnostic | None:
    """NYL-RUN-OWN-PUSH where nyl's own push started the run, so that a reconcile does nothing.

    Raises NYL-GITHUB-CONTEXT where the event file cannot be read.
    """
    if _VARIABLE not in around.environ:
        return None
    from nyl.github.checkout import is_own_push
    from nyl.github.context import ActionsContext

    context = ActionsContext.from_environ(around.environ)
    if context is None or not is_own_push(context):
        return None
    return Diagnostic(
        Code.RUN_OWN_PUSH,
        f"nyl wrote what was pushed to {context.ref}, so that the run does nothing",
        "let `on: push: branches` of the workflow name the branches of the source alone",
        Severity.WARNING,
    )
