"""Which pull request a comment goes to: from the event, from the pushed commit, or from the command line.

Follows the section Plan comments of the GitHub page.
"""

import re
from collections.abc import Callable, Sequence

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.github.context import MERGE_GROUP, PUSH, ActionsContext, PullRequest

_NAME = re.compile(r"(?!\.{1,2}$)[\w.-]+")
"""The name of an owner or of a repository. Two that are none would lead elsewhere in the path of a request."""


@dataclass(frozen=True)
class CommentTarget:
    """A pull request that is commented on. `head_sha` is the head that the comment is about, None where unknown."""

    repository: str
    number: int
    head_sha: str | None = None


@dataclass(frozen=True)
class Nowhere:
    """That a run has nothing to comment on, and why."""

    reason: str


PullRequestsOf = Callable[[str, str], Sequence[PullRequest]]
"""(repository, commit) -> the pull requests that the commit belongs to."""


def comment_target(context: ActionsContext, pull_requests_of: PullRequestsOf) -> CommentTarget | Nowhere:
    """Where a run comments. Only a push asks for the pull requests of its commit.

    Raises NYL-GITHUB-CONTEXT for an event that concerns no pull request, and where a commit has several.
    """
    if context.event == MERGE_GROUP:
        return Nowhere("a merge queue's run has no pull request of its own")
    if context.pull_request is not None:
        return _target(context.pull_request)
    if context.event != PUSH:
        raise NylError(
            Code.GITHUB_CONTEXT,
            f"The event {context.event or 'of this run'} concerns no pull request.",
            "name one with --repository OWNER/NAME --request NUMBER",
        )
    found = pushed_requests(context.sha, pull_requests_of(checked_repository(context.repository), context.sha))
    if not found:
        return Nowhere(f"commit {context.sha} was pushed without a pull request")
    if len(found) > 1:
        raise NylError(
            Code.GITHUB_CONTEXT,
            f"Commit {context.sha} belongs to several pull requests: "
            f"{', '.join(f'{each.repository}#{each.number}' for each in found)}.",
            "name one to `nyl comment upsert` with --repository OWNER/NAME --request NUMBER",
        )
    return _target(found[0])


def named_target(context: ActionsContext | None, repository: str, number: int) -> CommentTarget:
    """The pull request that the command line names; its head is known where the event is about the same one.

    Raises NYL-GITHUB-CONTEXT for what is no repository's name.
    """
    event = context.pull_request if context else None
    same = event is not None and (event.repository.lower(), event.number) == (repository.lower(), number)
    return CommentTarget(checked_repository(repository), number, event.head_sha if event and same else None)


def pushed_requests(sha: str, candidates: Sequence[PullRequest]) -> tuple[PullRequest, ...]:
    """The pull requests that a pushed commit is the head of; where there is none, those that it merged."""
    heads = tuple(each for each in candidates if each.is_open and each.head_sha == sha)
    return heads or tuple(each for each in candidates if not each.is_open and each.merge_sha == sha)


def checked_repository(name: str) -> str:
    """A repository's name, `owner/name`. Raises NYL-GITHUB-CONTEXT for anything else, and says what to set."""
    parts = name.split("/")
    if len(parts) != 2 or not all(_NAME.fullmatch(each) for each in parts):
        raise NylError(
            Code.GITHUB_CONTEXT,
            f"{name or 'Nothing'!r} names no repository of the form OWNER/NAME.",
            "set GITHUB_REPOSITORY, or pass --repository OWNER/NAME",
        )
    return name


def _target(request: PullRequest) -> CommentTarget:
    # A pull request that was merged since keeps its comment: nothing newer than its last head will come.
    return CommentTarget(checked_repository(request.repository), request.number, request.head_sha)
