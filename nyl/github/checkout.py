"""Whether what is checked out is what the event is about, and may run.

Pure decisions over the context of a run and the commit of HEAD. The history need not be there.
"""

import re

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.git.commit_facts import CommitFacts
from nyl.github.context import MERGE_GROUP, PULL_REQUEST_TARGET, PUSH, ActionsContext, PullRequest
from nyl.state.transitions import parse_transition

_TRIAL_MERGE = re.compile(r"Merge [0-9a-f]{40,64} into [0-9a-f]{40,64}\s*")
"""The message of the merge that GitHub makes to try a pull request."""

_STATE_BRANCHES = "refs/heads/nyl/"


def check_checkout(context: ActionsContext, head: CommitFacts) -> None:
    """Raises NYL-CHECKOUT-UNTRUSTED for a fork's commit in a privileged run, and NYL-CHECKOUT-STALE.

    A HEAD that has nothing to do with the pull request, such as its base or another repository, passes.
    """
    request = context.pull_request
    if request is None or request.head_sha is None:
        return
    if context.event == PULL_REQUEST_TARGET:
        if request.is_fork and head.commit not in (context.sha, request.base_sha):
            raise _untrusted(request, head)
    elif request.is_open and _is_stale(context, request, head):
        raise _stale(request, head)


def proposed_for(context: ActionsContext, head: CommitFacts) -> str | None:
    """The branch that an open pull request or a merge queue proposes HEAD for; None where nothing does."""
    if context.event == MERGE_GROUP:
        return context.queue_base if head.commit == context.sha else None
    request = context.pull_request
    if request is None or not request.is_open or request.head_sha not in (head.commit, *head.parents):
        return None
    return request.base_ref


def is_own_push(context: ActionsContext) -> bool:
    """Whether nyl's own push started the run: it wrote the pushed commit, or the ref is one of its state."""
    if context.event != PUSH or context.ref == f"refs/heads/{context.default_branch}":
        return False
    return context.ref.startswith(_STATE_BRANCHES) or bool(parse_transition(context.pushed_message).trailers)


def _is_stale(context: ActionsContext, request: PullRequest, head: CommitFacts) -> bool:
    if request.head_sha in (head.commit, *head.parents):
        return False
    is_trial = len(head.parents) > 1 and _TRIAL_MERGE.fullmatch(head.message) is not None
    return is_trial or head.commit == context.sha


def _stale(request: PullRequest, head: CommitFacts) -> NylError:
    merged = f", which merges {head.parents[1]}" if len(head.parents) > 1 else ""
    return NylError(
        Code.CHECKOUT_STALE,
        f"HEAD is {head.commit}{merged}, and the run is about head {request.head_sha} of "
        f"{request.repository}#{request.number}: GitHub had not made the merge of that head yet.",
        f"run the job again, or check out `ref: refs/pull/{request.number}/merge` when it is made; "
        f"`ref: {request.head_sha}` checks out the head alone",
    )


def _untrusted(request: PullRequest, head: CommitFacts) -> NylError:
    return NylError(
        Code.CHECKOUT_UNTRUSTED,
        f"HEAD is {head.commit}, which is not the base of {request.repository}#{request.number}, and the run of a "
        f"pull request from {request.head_repository or 'a deleted fork'} has the base's token and secrets: nyl runs "
        "no program of it.",
        "let `pull_request` start the workflow, which gives a fork neither, or check out the base",
    )
