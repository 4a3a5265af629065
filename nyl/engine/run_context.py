"""What the environments of one reconcile have in common, and what follows from it for each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from nyl.engine.approvals import approver
from nyl.engine.events import Listener
from nyl.engine.outcomes import RunOutcome
from nyl.engine.permission import RunRules
from nyl.engine.recording import RunFacts
from nyl.engine.requests import ReconcileRequest
from nyl.engine.states import States, ci_run
from nyl.engine.workspace import Workspace
from nyl.git.config import Identity
from nyl.project.resources import Environment
from nyl.project.secrets.provider import SecretsProvider
from nyl.units.cancellation import CancellationToken


@dataclass(frozen=True)
class RunContext:
    """What the environments of one invocation have in common."""

    workspace: Workspace
    states: States
    request: ReconcileRequest
    identity: Identity
    listener: Listener
    cancellation: CancellationToken
    secrets: SecretsProvider
    approved: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Environment -> the units that --approve names."""

    def rules(self, run: str, environment: Environment, only: frozenset[str] | None) -> RunRules:
        """What the request and the environment let a run of it execute; approvals bind later."""
        request = self.request
        return RunRules(
            run,
            environment.drift_repair,
            only,
            reapplied=only if request.reapply and only is not None else frozenset(),
            reason=request.reason or "",
            local=request.local,
        )

    def audited(self, facts: RunFacts) -> RunFacts:
        """The facts of a run with what it records of approvals and forced units."""
        return replace(
            facts,
            approval=approver(self.identity, ci_run(self.workspace.environ)).record,
            reapply={"by": str(self.identity), "reason": self.request.reason or ""},
        )


def stop_at_wait(outcome: RunOutcome, awaiting: Sequence[str], ready: Sequence[str], request: ReconcileRequest) -> None:
    """Notes that --fail-fast stopped a run because a unit waits for an approval, where anything was left to start."""
    left = [name for name in ready if name not in outcome.ended]
    if request.fail_fast and awaiting and left and outcome.stopped_by is None:
        outcome.stopped_by = awaiting[0]
