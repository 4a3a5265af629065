"""Whether a step comments on a pull request, and how it tells what came of that."""

from collections.abc import Iterable

from nyl.cli.action.arguments import comment_key
from nyl.cli.action.inputs import ActionInputs, CommentMode
from nyl.cli.failures import diagnose
from nyl.cli.streams import write_out
from nyl.cli.surroundings import Surroundings
from nyl.core.diagnostics import Diagnostic
from nyl.github.commands import workflow_command
from nyl.github.context import MERGE_GROUP, PUSH, ActionsContext


def comment(inputs: ActionInputs, markdown: str, around: Surroundings) -> None:
    """Posts a step's report where its inputs and its event want it. What cannot be posted is told, and no failure."""
    try:
        context = ActionsContext.from_environ(around.environ)
        if context is not None and wants_comment(inputs.comment, context):
            _post(inputs, markdown, context, around)
    except Exception as error:
        write_out(f"{_untold(inputs.comment, diagnose(error))}\n")


def wants_comment(mode: CommentMode, context: ActionsContext) -> bool:
    """Whether to comment at all: a merge queue's run has no pull request, whatever is asked for."""
    if mode is CommentMode.NEVER or context.event == MERGE_GROUP:
        return False
    return context.pull_request is not None or (mode is CommentMode.ALWAYS and context.event == PUSH)


def _post(inputs: ActionInputs, markdown: str, context: ActionsContext, around: Surroundings) -> None:
    from functools import partial

    from nyl.cli.comment.comment_result import CommentResult
    from nyl.github.client import Access, GitHub, required_token
    from nyl.github.comment_targets import Nowhere, comment_target
    from nyl.github.comments import upsert
    from nyl.github.commits import commit_pull_requests

    access = Access(context.api_url, inputs.token or required_token(around.environ))
    github = GitHub(access, around.clock, lambda text: write_out(f"{text}\n"))
    target = comment_target(context, partial(commit_pull_requests, github))
    key = comment_key(inputs)
    if isinstance(target, Nowhere):
        result = CommentResult(key, skipped=target.reason)
    else:
        result = CommentResult(key, target, upsert(github, target, key, markdown))
    write_out(result.text)


def _untold(mode: CommentMode, problems: Iterable[Diagnostic]) -> str:
    """The annotation of a comment that could not be posted: an error only where it was asked for."""
    severity = "error" if mode is CommentMode.ALWAYS else "notice"
    reasons = "\n".join(f"{each.message}\nfix: {each.fix}" for each in problems)
    return workflow_command(severity, f"The report is in no comment of the pull request. {reasons}", title="nyl")
