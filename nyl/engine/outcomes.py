"""How the executions and teardowns of a run ended, and what the run did."""

from collections.abc import Callable
from dataclasses import field

from nyl.core.clock import Instant
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.engine.authorization import not_what_was_approved
from nyl.engine.decision import Decision
from nyl.engine.preflight import CheckedUnit
from nyl.engine.results import Result
from nyl.state.coordination_documents import Checkpoint
from nyl.state.documents import DesiredUnit
from nyl.units.outcomes import (
    AwaitingApproval,
    Failed,
    InspectOutcome,
    NotApplied,
    Outcome,
    Removed,
    Succeeded,
    TeardownOutcome,
    Uncertain,
    Unknown,
    Waiting,
)

AnyOutcome = Outcome | TeardownOutcome | InspectOutcome
"""How an execution, a teardown or an inspection ended."""


@dataclass(frozen=True)
class Started:
    """A unit that starts: the document of its start record, why it starts, and what to do in a slot of its own."""

    environment: str
    unit: CheckedUnit
    document: DesiredUnit
    decision: Decision
    carry_out: Callable[[], AnyOutcome]


@dataclass(frozen=True)
class Ended:
    """How an execution, a teardown or an inspection ended, and how long it took."""

    started: Started
    outcome: AnyOutcome
    began_at: Instant
    ended_at: Instant
    seconds: float

    @property
    def unit(self) -> str:
        """The unit's name."""
        return self.started.unit.name

    @property
    def result(self) -> Result:
        """The outcome as a result."""
        match self.outcome:
            case Succeeded():
                decision = self.started.decision
                return Result.RECOVERED if decision.recovering or decision.inspecting else Result.EXECUTED
            case Removed():
                return Result.REMOVED
            case Waiting():
                return Result.TEARING_DOWN
            case Uncertain() | Unknown() | NotApplied():
                return Result.UNCERTAIN
            case AwaitingApproval():
                return Result.AWAITING_APPROVAL
            case Failed():
                return Result.FAILED

    @property
    def trouble(self) -> str:
        """Why the unit is not done; empty when it is."""
        match self.outcome:
            case Succeeded() | Removed():
                return ""
            case Waiting() | Uncertain():
                return self.outcome.reason
            case Unknown():
                return f"an inspection could not tell its effects: {self.outcome.reason}"
            case AwaitingApproval():
                return not_what_was_approved(self.outcome.digest)
            case NotApplied():
                return "an inspection found no effect, so that it can run again"
            case Failed():
                return self.outcome.message


@dataclass
class RunOutcome:
    """What a run did, in dispatch order."""

    dispatched: list[str] = field(default_factory=list)
    ended: dict[str, Ended] = field(default_factory=dict)
    stopped_by: str | None = None
    """The unit after whose failure --fail-fast stopped the run."""
    cancelled: bool = False
    expired: bool = False
    """Whether the lease passed its deadline, so that the run starts nothing any more."""
    interruption: NylError | None = None
    """What kept the run from writing on, such as a lost lease."""
    unrecorded: dict[str, Checkpoint] = field(default_factory=dict)
    """Results that no push has carried yet."""
