"""How the executions of a run ended, and what the run did."""

from dataclasses import dataclass, field

from nyl.core.clock import Instant
from nyl.core.diagnostics import NylError
from nyl.engine.decision import Decision
from nyl.engine.preflight import CheckedUnit
from nyl.engine.results import Result
from nyl.state.documents import Checkpoint, DesiredUnit
from nyl.units.driver import Outcome, Succeeded, Uncertain


@dataclass(frozen=True)
class Started:
    """A unit whose start record is pushed."""

    environment: str
    unit: CheckedUnit
    document: DesiredUnit
    decision: Decision


@dataclass(frozen=True)
class Ended:
    """How an execution ended, and how long it took."""

    started: Started
    outcome: Outcome
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
        if isinstance(self.outcome, Succeeded):
            return Result.RECOVERED if self.started.decision.recovering else Result.EXECUTED
        return Result.UNCERTAIN if isinstance(self.outcome, Uncertain) else Result.FAILED

    @property
    def trouble(self) -> str:
        """Why the unit did not succeed; empty when it did."""
        if isinstance(self.outcome, Succeeded):
            return ""
        return self.outcome.reason if isinstance(self.outcome, Uncertain) else self.outcome.message


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
