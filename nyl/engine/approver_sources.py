"""What an invocation is told, and whom it can ask, about who approves in it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from nyl.engine.approver_hook import ApproverHook
from nyl.engine.approvers import ApproverLookup, Approvers
from nyl.engine.states import ci_run
from nyl.engine.workspace import Workspace
from nyl.git.config import Identity
from nyl.units.cancellation import CancellationToken

_GRACE_SECONDS = 2.0
"""How long the project's lookup has to end after it was told to."""


class ApprovalRequest(Protocol):
    """A request that may say who approves."""

    @property
    def approved_by(self) -> tuple[str, ...]:
        """Who approves, as the command line says."""

    @property
    def approval_source(self) -> str | None:
        """Where that can be looked up."""


def approvers_of(
    workspace: Workspace,
    user: Identity,
    request: ApprovalRequest,
    lookup: ApproverLookup | None,
    cancellation: CancellationToken,
) -> Approvers:
    """The sources of an invocation. `lookup` is that of the CI system, which comes after the project's own."""
    argv = workspace.config.approval.lookup
    own = (ApproverHook(argv, lambda more: _programs(workspace, more, cancellation)),) if argv else ()
    others = () if lookup is None else (lookup,)
    run = ci_run(workspace.environ)
    return Approvers(user, run, request.approved_by, request.approval_source, (*own, *others))


def _programs(
    workspace: Workspace, more: Mapping[str, str], cancellation: CancellationToken
) -> Callable[[Sequence[str], float], bytes]:
    from nyl.units.programs import ProjectPrograms

    return ProjectPrograms(workspace.folder, {**workspace.environ, **more}, cancellation, _GRACE_SECONDS)
