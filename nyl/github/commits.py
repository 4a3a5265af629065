"""The pull requests that a commit belongs to, as GitHub knows them."""

from typing import TYPE_CHECKING

from nyl.github.answers import Asked
from nyl.github.client import GitHub
from nyl.github.context import PullRequest

if TYPE_CHECKING:
    from github.PullRequest import PullRequest as ApiPullRequest


def commit_pull_requests(github: GitHub, repository: str, sha: str) -> tuple[PullRequest, ...]:
    """The pull requests, open and closed, of a commit of a repository. Raises what the client raises."""
    asked = Asked(f"read the pull requests of commit {sha}", "pull-requests: read")
    commit = github.repository(repository).get_commit(sha)
    return github.ask(asked, lambda: tuple(_known(each) for each in commit.get_pulls()))


def _known(told: "ApiPullRequest") -> PullRequest:
    # GitHub gives no repository for a head whose fork was deleted, whatever the type says.
    head: object = told.head.repo
    return PullRequest(
        repository=told.base.repo.full_name,
        number=told.number,
        head_sha=told.head.sha,
        head_repository=told.head.repo.full_name if head is not None else None,
        base_ref=told.base.ref,
        base_sha=told.base.sha,
        is_open=told.state == "open",
        merge_sha=told.merge_commit_sha,
    )
