"""Whether a driver tells the truth when its tools are interrupted: part of the conformance suite.

One tool after the other passes the unit's timeout, is at work when the run is cancelled, is killed, or cannot be
started. Each time the unit starts from a fresh copy of its checkout.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import cast

from nyl.core.dataclass import dataclass
from nyl.core.supervision import GRACE_SECONDS
from nyl.units.driver import Capability, Driver, ReceiptFacts, RecoveryPolicy, ResolvedUnit, TeardownOrder, TearsDown
from nyl.units.execution import execute, inspect, tear_down, verify
from nyl.units.mishaps import Mishap
from nyl.units.outcomes import Failed, NotApplied, Removed, Succeeded, Verified, Waiting
from nyl.units.trial_steps import TrialStep, trial_steps
from nyl.units.trials import Trace, Trial

_MOST_TOOLS = 40
"""After how many tools of one step the rest is taken for more of the same, such as a tool that is asked repeatedly."""


def interruptions(driver: Driver, unit: ResolvedUnit, trial: Trial, tried: Callable[[str, Mishap], bool]) -> list[str]:
    """What a driver claims that it cannot know, step by step, and what it does not recover from."""
    with trial.copied() as place:
        outcome, _ = place.run(lambda context: execute(driver, unit, context))
    if not isinstance(outcome, Succeeded):
        return [f"gives {outcome!r} when nothing interrupts it"]
    receipt = ReceiptFacts(outcome.outputs, outcome.artifacts)
    subject = _Subject(driver, unit, receipt, trial, tried)
    return [problem for step in trial_steps(driver, unit, receipt) for problem in _tried(subject, step)]


@dataclass(frozen=True)
class _Subject:
    """What is tried, and where."""

    driver: Driver
    unit: ResolvedUnit
    receipt: ReceiptFacts
    trial: Trial
    tried: Callable[[str, Mishap], bool]


def _tried(subject: _Subject, step: TrialStep) -> list[str]:
    """Lets every mishap happen to every tool of a step. What has no effect shares one copy of the checkout."""
    if step.has_effects:
        return _mishaps(subject, step, lambda: _prepared(subject, step))
    with _prepared(subject, step) as place:
        return _mishaps(subject, step, lambda: nullcontext(place))


def _mishaps(subject: _Subject, step: TrialStep, at_a_place: Callable[[], AbstractContextManager[Trial]]) -> list[str]:
    problems: list[str] = []
    programs: set[str] = set()
    wanted = [each for each in Mishap if subject.tried(step.name, each)]
    for at in range(1, _MOST_TOOLS + 1 if wanted else 1):
        program = ""
        for mishap in wanted:
            if mishap is Mishap.MISSING and program in programs:
                continue
            with at_a_place() as place:
                trace = place.with_mishap(step.ask, mishap, at)
                if trace.tool is None:
                    return problems
                found = _judged(subject, step, trace, place) or _recovered(subject, step, mishap, trace, place)
            program = trace.tool[0]
            problems += [f"{each} when tool {at} of {step.name} ({program}) {mishap}" for each in found]
        programs.add(program)
    return problems


def _judged(subject: _Subject, step: TrialStep, trace: Trace, place: Trial) -> list[str]:
    if trace.error is not None:
        return [f"raises {type(trace.error).__name__}: {trace.error},"]
    if isinstance(trace.answer, step.claims):
        return [] if _is_borne_out(subject, step, place) else [f"claims {type(trace.answer).__name__}"]
    return [f"goes on for {trace.seconds:.0f} s"] if trace.seconds > GRACE_SECONDS else []


def _is_borne_out(subject: _Subject, step: TrialStep, place: Trial) -> bool:
    """Whether a verification finds what a step with effects claims: its tool was one that does not matter."""
    driver, unit = subject.driver, subject.unit
    if not step.has_effects or Capability.VERIFY not in driver.capabilities(unit.spec):
        return False
    found, _ = place.run(lambda context: verify(driver, unit, context, subject.receipt))
    return isinstance(found, Verified) and found.drifted is (step.name == "teardown")


def _recovered(subject: _Subject, step: TrialStep, mishap: Mishap, trace: Trace, place: Trial) -> list[str]:
    """What goes wrong when nyl does what the recovery policy says, once for each tool."""
    final = isinstance(trace.answer, Failed) and not trace.answer.retryable
    if mishap is not Mishap.KILLED or not step.has_effects or final:
        return []
    return _recover_execution(subject, place) if step.name == "execute" else _recover_teardown(subject, place)


def _recover_execution(subject: _Subject, place: Trial) -> list[str]:
    driver, unit = subject.driver, subject.unit
    policy = driver.recovery(unit.spec)
    if policy is RecoveryPolicy.MANUAL:
        return []
    if policy is RecoveryPolicy.INSPECT:
        found, _ = place.run(lambda context: inspect(driver, unit, context, ReceiptFacts()))
        if not isinstance(found, NotApplied):
            return []
    outcome, _ = place.run(lambda context: execute(driver, unit, context))
    return [] if isinstance(outcome, Succeeded) else [f"does not recover by {policy}, but gives {outcome!r},"]


def _recover_teardown(subject: _Subject, place: Trial) -> list[str]:
    driver, unit, order = cast(TearsDown, subject.driver), subject.unit, TeardownOrder()
    if driver.teardown_recovery(unit.spec) is RecoveryPolicy.MANUAL:
        return []
    outcome, _ = place.run(lambda context: tear_down(driver, unit, context, subject.receipt, order))
    return [] if isinstance(outcome, Removed | Waiting) else [f"does not converge, but gives {outcome!r},"]


@contextmanager
def _prepared(subject: _Subject, step: TrialStep) -> Iterator[Trial]:
    """A fresh copy of the checkout, where the unit was executed if the step is to find it so."""
    with subject.trial.copied() as place:
        if step.executed:
            place.run(lambda context: execute(subject.driver, subject.unit, context))
        yield place
