"""What the environments of one invocation have in common, and what follows from it for each."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Diagnostic
from nyl.engine.approval_arguments import Approvals
from nyl.engine.approvers import Approver
from nyl.engine.equipment import Equipment
from nyl.engine.events import Step
from nyl.engine.outcomes import RunOutcome
from nyl.engine.permission import RunRules
from nyl.engine.recording import RunFacts
from nyl.engine.requests import ReconcileRequest, TeardownRequest
from nyl.engine.slots import SlotPool, Workplace
from nyl.engine.states import States, runner_name
from nyl.engine.workspace import Workspace
from nyl.git.config import Identity
from nyl.project.resources import Environment
from nyl.state.session import Session
from nyl.state.taking import RunRequest
from nyl.units.logs import UnitLogs

if TYPE_CHECKING:  # a run that changes nothing needs neither
    from nyl.engine.executor import UnitExecutor
    from nyl.engine.runner import Runner


class SlotRequest(Protocol):
    """A request whose units work in slots."""

    @property
    def concurrency(self) -> int | None:
        """How many slots; None takes the project's."""


_Request_co = TypeVar("_Request_co", bound=SlotRequest, covariant=True)


@dataclass(frozen=True)
class InvocationContext(Generic[_Request_co]):
    """What the environments of one invocation have in common, whatever its operation does with their units."""

    equipment: Equipment
    request: _Request_co
    identity: Identity
    approvals: Mapping[str, Approvals] = field(default_factory=dict)
    """Environment -> what the invocation approves there."""
    approvers: Mapping[str, Approver] = field(default_factory=dict)
    """Environment -> who approves that; none where nothing is approved."""

    @property
    def workspace(self) -> Workspace:
        """The project that the invocation works on."""
        return self.equipment.workspace

    @cached_property
    def states(self) -> States:
        """The states of its environments."""
        return States(self.workspace)

    @property
    def concurrency(self) -> int:
        """How many units are worked on at once."""
        return self.request.concurrency or self.workspace.config.orchestration.concurrency

    @property
    def runner_name(self) -> str:
        """How documents and commits name the runner."""
        return runner_name(self.workspace.environ)

    def is_cancelled(self) -> bool:
        """Whether the invocation was cancelled."""
        return self.workspace.cancelled()

    def tell(self, environment: str, text: str) -> None:
        """Says what is done with an environment now."""
        self.workspace.listener(Step(environment, text))

    def run_request(self, operation: str, run: str, source_commit: str, archive: tuple[str, ...] = ()) -> RunRequest:
        """What a run asks for that works on units and imports what dead runs left."""
        orchestration = self.workspace.config.orchestration
        return RunRequest(
            run=run,
            operation=operation,
            runner=self.runner_name,
            identity=self.identity,
            source_commit=source_commit,
            term=orchestration.resolution_timeout + orchestration.lease_grace,
            archive=archive,
            imports=True,
            given_up=self.is_cancelled,
        )

    def executor(
        self,
        environment: str,
        slots: SlotPool,
        place: Callable[[str], Workplace],
        logs: UnitLogs | None,
        warnings: list[Diagnostic],
    ) -> "UnitExecutor":
        """Lets drivers act on the units of an environment. `warnings` gets what they warn of."""
        from nyl.engine.executor import UnitExecutor

        return UnitExecutor(environment, slots, place, self.equipment, logs=logs, warnings=warnings)


RunningContext = InvocationContext[ReconcileRequest] | InvocationContext[TeardownRequest]
"""What the environments of an invocation have in common that executes units or tears them down."""


def runner_of(
    context: RunningContext,
    session: Session,
    facts: RunFacts,
) -> "Runner":
    """What works through the agendas of one environment's run."""
    from nyl.engine.runner import Runner, RunOptions, Services

    workspace = context.workspace
    options = RunOptions(context.concurrency, workspace.config.orchestration.lease_grace, context.request.fail_fast)
    return Runner(session, facts, options, Services(workspace.clock, workspace.listener, workspace.cancellation))


@dataclass(frozen=True)
class ReconcileContext(InvocationContext[ReconcileRequest]):
    """What the environments of one reconcile have in common."""

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
            approver=self.approvers.get(facts.environment),
            reapply={"by": str(self.identity), "reason": self.request.reason or ""},
        )


def stop_at_wait(outcome: RunOutcome, awaiting: Sequence[str], ready: Sequence[str]) -> None:
    """Notes that --fail-fast stopped a run because a unit waits for an approval, where anything was left to start."""
    left = [name for name in ready if name not in outcome.ended]
    if awaiting and left and outcome.stopped_by is None:
        outcome.stopped_by = awaiting[0]
