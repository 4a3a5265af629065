"""How one environment's run ends: with its transition and the release of the lease, or early without them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Protocol

from nyl.core.clock import Instant
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Diagnostic, NylError, Severity
from nyl.engine.interruptions import end_early, moved_too_often
from nyl.engine.late_holds import let_go
from nyl.engine.lifecycle import Kind
from nyl.engine.outcomes import RunOutcome
from nyl.engine.recording import RunFacts
from nyl.engine.results import EnvironmentReport
from nyl.engine.run_context import RunningContext
from nyl.engine.summary import RunDescription
from nyl.state.changes import Consumption, Landed, Transition
from nyl.state.landing import StateMoved
from nyl.state.session import Session

ATTEMPTS = 5
"""How often a run decides and writes again because other writers moved what its state consists of."""


class RunConclusion(Protocol):
    """What a run comes to."""

    @property
    def outcome(self) -> RunOutcome:
        """What it did."""

    @property
    def consumption(self) -> Consumption:
        """The refs of dead runs that go."""

    @property
    def declared_kinds(self) -> Mapping[str, Kind]:
        """The kinds of the units that source declares, as far as the run knows them."""

    def transition(self, runner: str, evaluated_at: Instant) -> Transition:
        """What to write. Empty when nothing changed."""

    def section(self, landed: Landed, extra: tuple[Diagnostic, ...]) -> EnvironmentReport:
        """The report, with diagnostics of its end."""


@dataclass(frozen=True)
class EndedRun:
    """A run that holds no lease any more."""

    conclusion: RunConclusion
    landed: Landed
    diagnostics: tuple[Diagnostic, ...]
    ended_early: NylError | None = None
    """What kept it from writing its results to the state."""

    def section(self, warnings: tuple[Diagnostic, ...]) -> EnvironmentReport:
        """Its report; `warnings` are those of its tools."""
        return self.conclusion.section(self.landed, (*warnings, *self.diagnostics))


@dataclass(frozen=True)
class RunTransition:
    """Ends the run that holds a session. `archive` are commits that the history of the state keeps."""

    context: RunningContext
    session: Session
    facts: RunFacts
    run_ref: str
    archive: tuple[str, ...] = ()

    def attempt(self, conclusion: RunConclusion) -> EndedRun | None:
        """The run, ended; None where other writers moved the state, so that it has to decide again over that."""
        outcome = conclusion.outcome
        if outcome.cancelled or outcome.interruption is not None:
            return self._early(conclusion)
        try:
            landed = self._commit(conclusion)
            clock = self.context.workspace.clock
            released = let_go(
                self.session, self._description(), clock, conclusion.consumption, conclusion.declared_kinds
            )
        except StateMoved:
            return None
        except NylError as error:
            outcome.interruption = error
            return self._early(conclusion)
        return EndedRun(conclusion, landed, _as_warnings(released.trouble))

    def give_up(self, conclusion: RunConclusion) -> EndedRun:
        """The run, ended with NYL-STATE-CONTENDED: the state was moved at every attempt."""
        conclusion.outcome.interruption = moved_too_often(self.facts.environment, ATTEMPTS)
        return self._early(conclusion)

    def _commit(self, conclusion: RunConclusion) -> Landed:
        transition = conclusion.transition(self.context.runner_name, self.context.workspace.clock.now())
        if transition.empty:
            return Landed(None, None)
        self.context.tell(self.facts.environment, "writing the results")
        return self.session.commit(transition, self.archive)

    def _early(self, conclusion: RunConclusion) -> EndedRun:
        """Keeps what ended on the run ref, for the next run, and releases the lease without a transition."""
        end = end_early(self.session, self.facts.environment, self.run_ref, conclusion.outcome)
        return EndedRun(conclusion, Landed(None, None), end.diagnostics, end.cause)

    def _description(self) -> RunDescription:
        facts, now = self.facts, self.context.workspace.clock.now()
        return RunDescription(
            facts.operation, facts.environment, facts.run, facts.source_commit, self.context.runner_name, now
        )


def _as_warnings(error: NylError | None) -> tuple[Diagnostic, ...]:
    """What an error has to tell when it does not change how the run ended."""
    return tuple(replace(each, severity=Severity.WARNING) for each in error.diagnostics) if error else ()
