"""What a run of GitHub Actions means for an operation: whether it may act on what is checked out, or at all."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from nyl.core.codes import Code
from nyl.core.diagnostics import Diagnostic, Severity

if TYPE_CHECKING:
    from nyl.cli.surroundings import Surroundings
    from nyl.engine.events import Listener
    from nyl.engine.results import Report
    from nyl.engine.workspace import Workspace

_VARIABLE = "GITHUB_ACTIONS"


def on_trusted_checkout(
    act: "Callable[[Workspace, Listener], Report]",
) -> "Callable[[Workspace, Listener], Report]":
    """An operation that may run programs of what is checked out, refused where that is not what the event is about.

    It raises NYL-CHECKOUT-UNTRUSTED and NYL-CHECKOUT-STALE before it reads anything.
    """

    def checked(workspace: "Workspace", listener: "Listener") -> "Report":
        if _VARIABLE in workspace.environ:
            _check(workspace)
        return act(workspace, listener)

    return checked


def _check(workspace: "Workspace") -> None:
    from nyl.git.commit_facts import parse_commit
    from nyl.github.checkout import check_checkout
    from nyl.github.context import ActionsContext

    context = ActionsContext.from_environ(workspace.environ)
    if context is not None and context.pull_request is not None and workspace.head is not None:
        check_checkout(context, parse_commit(workspace.head, workspace.objects.read(workspace.head)))


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
