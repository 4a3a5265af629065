"""What is told of a run that could not go on to its transition."""

from dataclasses import replace

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Diagnostic, NylError
from nyl.engine.outcomes import RunOutcome
from nyl.state.session import Session

_TELLS_ITSELF = frozenset({Code.RUN_CANCELLED, Code.LEASE_LOST})
"""Errors that say what became of the results."""


@dataclass(frozen=True)
class EarlyEnd:
    """How a run ended without its transition. `trouble` is why even ending it did not work."""

    environment: str
    run_ref: str
    outcome: RunOutcome
    unrecorded: frozenset[str] = frozenset()
    """The units whose results are on no ref."""
    trouble: NylError | None = None

    @property
    def cause(self) -> NylError:
        """What kept the run from going on."""
        cancelled = cancelled_error if self.outcome.dispatched else not_begun
        return self.outcome.interruption or cancelled(self.environment)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What to tell: the cause, where the results are, and which executions no push could record."""
        told = self.cause.diagnostics
        if self.unrecorded:
            return (*told, *self._unrecorded.diagnostics)
        if self.outcome.ended:
            told = tuple(map(self._with_place, told))
        if self.trouble is None:
            return told
        return (*told, *(each for each in self.trouble.diagnostics if each.code not in {known.code for known in told}))

    @property
    def _unrecorded(self) -> NylError:
        ran = ", ".join(f"{name} ({self.outcome.ended[name].result})" for name in sorted(self.unrecorded))
        return NylError(
            Code.RESULTS_UNRECORDED,
            f"These units of {self.environment} ran and their results could not be recorded: {ran}.",
            "keep this output: the next run finds that they started and takes them for uncertain; "
            f"`nyl lease show -e {self.environment}` says whether the lease of this run is still there to be broken",
            environment=self.environment,
        )

    def _with_place(self, told: Diagnostic) -> Diagnostic:
        if told.code in _TELLS_ITSELF:
            return told
        kept = f"What its units did is kept on {self.run_ref} for the next run to import."
        return replace(told, message=f"{told.message.rstrip()} {kept}")


def end_early(session: Session, environment: str, run_ref: str, outcome: RunOutcome) -> EarlyEnd:
    """Keeps what ended on the run ref, for the next run, and releases the lease without a transition."""
    trouble: NylError | None = None
    try:
        session.cancel()
    except NylError as error:
        trouble = error
    return EarlyEnd(environment, run_ref, outcome, session.unrecorded, trouble)


def cancelled_error(environment: str) -> NylError:
    """NYL-RUN-CANCELLED."""
    return NylError(
        Code.RUN_CANCELLED,
        f"The run of {environment} was cancelled; what it finished is kept on its run ref.",
        f"run `nyl reconcile -e {environment}` to take over its results",
        environment=environment,
    )


def not_begun(environment: str) -> NylError:
    """NYL-RUN-CANCELLED, of a run that had started no unit."""
    return NylError(
        Code.RUN_CANCELLED,
        f"The run of {environment} was cancelled before it started a unit; it changed nothing.",
        "run the command again",
        environment=environment,
    )


def moved_too_often(environment: str, times: int) -> NylError:
    """NYL-STATE-CONTENDED, for state that others changed whenever it was to be written."""
    return NylError(
        Code.STATE_CONTENDED,
        f"Other writers changed the state of {environment} {times} times while it was to be written.",
        f"find out who else writes to the state refs of {environment}, then run `nyl reconcile -e {environment}` again",
        environment=environment,
    )
