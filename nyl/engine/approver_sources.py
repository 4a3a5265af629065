"""What an invocation is told, and whom it can ask, about who approves in it."""

from collections.abc import Callable, Mapping, Sequence

from nyl.engine.approval_arguments import Approvals
from nyl.engine.approvers import ApprovalQuestion, Approver, ApproverLookup, Approvers
from nyl.engine.events import Step
from nyl.engine.project_lookup import ProjectLookup
from nyl.engine.requests import ApprovalChoice
from nyl.engine.states import ci_run
from nyl.engine.workspace import Workspace
from nyl.git.config import Identity

_GRACE_SECONDS = 2.0
"""How long the project's lookup has to end after it was told to."""


def find_approvers(
    workspace: Workspace,
    user: Identity,
    choice: ApprovalChoice,
    approvals: Mapping[str, Approvals],
    lookup: ApproverLookup | None,
) -> dict[str, Approver]:
    """Who approves in each environment in which anything is approved. `lookup` is that of the CI system.

    To be called before anything runs and before any lease is taken: an answer may take a while, and one that is refused
    (NYL-APPROVAL-INVALID) stops the whole invocation.
    """
    approvers, found = _sources(workspace, user, choice, lookup), dict[str, Approver]()
    for environment, each in approvals.items():
        if each.any:
            if approvers.asks:
                workspace.listener(Step(environment, "finding out who approves"))
            found[environment] = approvers(ApprovalQuestion(environment, tuple(sorted(each.digests)), each.digests))
    return found


def _sources(workspace: Workspace, user: Identity, choice: ApprovalChoice, lookup: ApproverLookup | None) -> Approvers:
    """The project's own lookup comes before that of the CI system."""
    argv = workspace.config.approval.lookup
    own = (ProjectLookup(argv, lambda more: _programs(workspace, more)),) if argv else ()
    others = () if lookup is None else (lookup,)
    run = ci_run(workspace.environ)
    return Approvers(user, run, choice.by, choice.source, (*own, *others))


def _programs(workspace: Workspace, more: Mapping[str, str]) -> Callable[[Sequence[str], float], bytes]:
    from nyl.units.programs import ProjectPrograms

    return ProjectPrograms(workspace.folder, {**workspace.environ, **more}, workspace.cancellation, _GRACE_SECONDS)
