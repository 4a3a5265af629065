"""Whether what is checked out of a pull request holds what its base has by now.

A plan of anything else shows what the base gained since as if the pull request took it back.
"""

import shlex

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.engine.remotes import SourceRemote
from nyl.engine.workspace import Workspace
from nyl.git.ancestry import fetch_commit, is_ancestor, is_reachable
from nyl.git.commit_facts import CommitFacts
from nyl.github.context import PullRequest


def check_base(workspace: Workspace, request: PullRequest, head: CommitFacts) -> None:
    """Raises NYL-CHECKOUT-BEHIND where HEAD, the head of a pull request or a merge of it, lacks changes of its base.

    A merge that only lacks what does not touch the project passes. Raises NYL-REMOTE-UNAVAILABLE where the base cannot
    be asked for: it may have moved.
    """
    if request.base_ref is None or request.head_sha not in (head.commit, *head.parents):
        return
    remote = SourceRemote(workspace)
    ref = f"refs/heads/{request.base_ref}"
    tip = remote.refs.list(ref).get(ref)
    if tip is None:
        raise _gone(request)
    if not _holds(workspace, remote, request, head, tip):
        raise _behind(request, head, tip)


def _holds(workspace: Workspace, remote: SourceRemote, request: PullRequest, head: CommitFacts, tip: str) -> bool:
    repository = remote.repository
    if tip in head.parents or is_ancestor(repository, tip, [head.commit]):
        return True
    fetch_commit(repository, remote.refs, tip)
    merged = [each for each in head.parents if each != request.head_sha]
    if head.commit != request.head_sha and merged:
        fetch_commit(repository, remote.refs, merged[0])
        return _project_tree(workspace, merged[0]) == _project_tree(workspace, tip)
    # A complete clone has answered. A shallow one asks for as much of the pull request's history as it takes.
    pull = f"refs/pull/{request.number}/head"
    return repository.is_shallow and bool(is_reachable(repository, remote.refs, tip, [pull]))


def _project_tree(workspace: Workspace, commit: str) -> bytes:
    return workspace.repository.git("rev-parse", "--verify", f"{commit}:{workspace.project_folder}").stdout


def _behind(request: PullRequest, head: CommitFacts, tip: str) -> NylError:
    base = shlex.quote(request.base_ref or "")
    return NylError(
        Code.CHECKOUT_BEHIND,
        f"HEAD is {head.commit}, and lacks changes of {request.base_ref}, which is at {tip} now: a plan of "
        f"{request.repository}#{request.number} would show them taken back.",
        f"update the pull request's branch; or merge before the plan: `git fetch origin {base} && "
        "git merge --no-edit FETCH_HEAD`",
    )


def _gone(request: PullRequest) -> NylError:
    return NylError(
        Code.CHECKOUT_BEHIND,
        f"The base of {request.repository}#{request.number}, {request.base_ref}, is not there any more, so that no "
        "plan can tell what the pull request changes.",
        "give the pull request another base",
    )
