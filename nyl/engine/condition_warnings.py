"""What is told of units that are held, uncertain, failed or drifted, or wait for an approval: each with its way out."""

from collections.abc import Iterable

from nyl.core.codes import Code
from nyl.core.diagnostics import Diagnostic, Severity
from nyl.engine.approvals import approval_warnings
from nyl.engine.authorization import approve_option
from nyl.engine.drift import drift_warnings
from nyl.engine.held_verdicts import held_warning
from nyl.engine.results import UnitReport
from nyl.state.documents import ConditionState
from nyl.units.outcomes import FailureCategory


def condition_warnings(environment: str, units: Iterable[UnitReport]) -> tuple[Diagnostic, ...]:
    """A warning for each unit that is held, uncertain, failed, drifted or waits for an approval, with the way out."""
    found = list(units)
    conditions = tuple(
        warning
        for each in found
        for warning in (
            held_warning(environment, each),
            _uncertain_warning(environment, each),
            _failed_warning(environment, each),
        )
        if warning is not None
    )
    return (*conditions, *drift_warnings(environment, found), *approval_warnings(environment, found))


def _uncertain_warning(environment: str, unit: UnitReport) -> Diagnostic | None:
    if str(unit.verdict) != ConditionState.UNCERTAIN:
        return None
    return Diagnostic(
        Code.UNIT_UNCERTAIN,
        f"unit {unit.unit} is uncertain: {unit.detail}",
        f"check what the execution did; a unit whose recovery policy converges runs again in {_next_run(unit)}, "
        f"otherwise run `nyl recover -e {environment} --unit {unit.unit} --retry --reason <text>` once it is safe to "
        "run it again",
        Severity.WARNING,
        environment,
        unit.unit,
        unit.location,
    )


def _failed_warning(environment: str, unit: UnitReport) -> Diagnostic | None:
    if str(unit.verdict) != ConditionState.FAILED:
        return None
    again = f"`nyl recover -e {environment} --unit {unit.unit} --retry --reason <text>` lets it run again"
    lacking = unit.category == FailureCategory.CREDENTIALS
    mend = "provide what is missing" if lacking else "correct the cause, of which its output tells more"
    fix = f"{_next_run(unit)} runs it again" if unit.retryable else again
    return Diagnostic(
        Code.UNIT_FAILED,
        f"unit {unit.unit} failed: {unit.detail}",
        f"{mend}, and then {fix}",
        Severity.WARNING,
        environment,
        unit.unit,
        unit.location,
    )


def _next_run(unit: UnitReport) -> str:
    if unit.approval is None:
        return "the next nyl reconcile"
    return f"the next nyl reconcile with {approve_option(unit.unit, unit.approval)}"
