"""Drift: whether the latest verification of a unit's receipt found that what it describes does not hold any more.

Follows the section Repairing drift of the Recovery page.
"""

from collections.abc import Iterable, Mapping

from nyl.core.codes import Code
from nyl.core.diagnostics import Diagnostic, Severity
from nyl.engine.authorization import approve_option
from nyl.engine.results import Result, UnitReport, UnitState
from nyl.project.units import ApprovalPolicy
from nyl.state.documents import Observation, ObservationType, ObservedUnit
from nyl.state.snapshot import StateSnapshot

DRIFTED = "drifted"
"""Status of a drift observation that found drift."""
CLEAN = "clean"
"""Status of a drift observation that found none."""


def drift_of(latest: ObservedUnit | None, snapshot: StateSnapshot) -> str | None:
    """What drifted of a unit, in a few words or the word itself; None when its latest observation found no drift.

    `latest` is the unit's observed document as it is now. An observation counts only for the receipt that was looked
    at: with a newer one, of this run or of a run that is being imported, it says nothing any more.
    """
    if latest is None or latest.receipt is None:
        return None
    recorded = snapshot.observed.get(latest.unit.name)
    observation = snapshot.observations.get(latest.unit.name, {}).get(ObservationType.DRIFT)
    if recorded is None or observation is None or observation.status != DRIFTED:
        return None
    looked_at = (observation.unit.uid, observation.execution_key)
    if recorded.receipt != latest.receipt or looked_at != (latest.unit.uid, latest.receipt.execution_key):
        return None
    return observation.detail or DRIFTED


def outdated_observations(
    snapshot: StateSnapshot, written: Mapping[str, ObservedUnit | None]
) -> dict[str, Mapping[ObservationType, Observation | None]]:
    """The observations that go because the receipt that they are about is replaced, by unit.

    `written` has the observed documents that change, None for those that go with all that is beside them.
    """
    gone: dict[str, Mapping[ObservationType, Observation | None]] = {}
    for unit, document in written.items():
        recorded = snapshot.observed.get(unit)
        found = snapshot.observations.get(unit)
        if found and recorded and document and document.receipt != recorded.receipt:
            gone[unit] = dict.fromkeys(found)
    return gone


def forcing(unit: str, *, unsafe: bool, policy: ApprovalPolicy | None = None, digest: str | None = None) -> str:
    """The options with which `nyl reconcile` executes a unit although its receipt is current.

    One that is `unsafe` needs an approval for it, of the kind that its policy says.
    """
    approval = f" {approve_option(unit, policy, digest)}" if unsafe else ""
    return f"--unit {unit} --reapply --reason <text>{approval}"


def drift_warnings(environment: str, units: Iterable[UnitReport]) -> tuple[Diagnostic, ...]:
    """NYL-UNIT-DRIFTED for each unit that stays drifted, with the way out."""
    return tuple(
        Diagnostic(
            Code.UNIT_DRIFTED,
            f"unit {each.unit} is {_with(each.detail)}",
            _fix(environment, each),
            Severity.WARNING,
            environment,
            each.unit,
        )
        for each in units
        if each.verdict in (Result.DRIFTED, UnitState.DRIFTED)
    )


def _with(detail: str) -> str:
    return detail if detail.startswith(DRIFTED) else f"{DRIFTED}: {detail}"


def _fix(environment: str, unit: UnitReport) -> str:
    options = forcing(unit.unit, unsafe=unit.unsafe, policy=unit.approval)
    forced = f"`nyl reconcile -e {environment} {options}` executes it again"
    if unit.verdict is UnitState.DRIFTED:
        return (
            f"`nyl plan -e {environment}` tells what the next nyl reconcile does with it; {forced} whatever that says"
        )
    return f"correct what drifted and run `nyl verify -e {environment}`, or {forced}"
