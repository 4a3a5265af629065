"""An operator's decision about one unit: its condition is cleared, or the receipt of a checkpoint is adopted. Pure.

Follows the section Recovering a unit of the Recovery page. Nothing here executes anything.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.engine.evidence import Evidence, evidence_of
from nyl.engine.inheritance import needless_evidence
from nyl.engine.no_such_unit import no_such_unit
from nyl.engine.operations import Change
from nyl.state.changes import Consumption
from nyl.state.documents import Condition, ConditionState, ObservedUnit, Work
from nyl.state.lifecycles import LifecycleState
from nyl.state.snapshot import StateSnapshot


def retry(snapshot: StateSnapshot, unit: str, reason: str) -> Change:
    """The unit without its condition: the next run does again what is to be done. Its last receipt and repair stay.

    Raises NYL-UNIT-UNKNOWN, and NYL-RECOVER-REFUSED for a unit without a condition.
    """
    observed, condition = _with_condition(snapshot, unit)
    cleared = replace(observed, condition=None)
    after = cleared if cleared.receipt or cleared.teardown or cleared.repair else None
    told = {"result": "retry", "reason": reason}
    return _change(snapshot, unit, after, condition, told)


def accept(snapshot: StateSnapshot, unit: str, run: str, reason: str) -> Change:
    """The unit with the receipt that a run checkpointed for it, its outputs and artifacts included.

    It tells nothing of what a later repair did, which stays.

    Raises NYL-UNIT-UNKNOWN, and NYL-RECOVER-REFUSED where there is no condition to settle, the unit is held, or the
    run left no receipt with the execution key and uid of the unit's desired document.
    """
    observed, condition = _with_condition(snapshot, unit)
    document = snapshot.desired[unit]
    if document.lifecycle is LifecycleState.HELD:
        raise _refused(
            snapshot,
            unit,
            f"Unit {unit} of {snapshot.environment} is held, so that it runs nothing that a checkpoint could match.",
            f"run `nyl resume -e {snapshot.environment} --unit {unit}` first, then accept the checkpoint",
        )
    found = _chosen(snapshot, unit, run)
    receipt = found.checkpoint.observed.receipt
    assert receipt is not None
    after = ObservedUnit(document.unit, receipt, repair=observed.repair, extra=observed.extra)
    told = {"executionKey": receipt.execution_key, "result": "accepted", "run": run, "reason": reason}
    return replace(_change(snapshot, unit, after, condition, told), artifacts={unit: dict(found.checkpoint.artifacts)})


def _with_condition(snapshot: StateSnapshot, unit: str) -> tuple[ObservedUnit, Condition]:
    environment, observed = snapshot.environment, snapshot.observed.get(unit)
    if unit not in snapshot.desired:
        raise no_such_unit(environment, unit, snapshot.desired)
    if observed is None or observed.condition is None:
        raise _refused(
            snapshot,
            unit,
            f"Unit {unit} of {environment} is neither uncertain nor failed, so that there is nothing to recover.",
            f"run `nyl status -e {environment}` to see how its units stand",
        )
    return observed, observed.condition


def _chosen(snapshot: StateSnapshot, unit: str, run: str) -> Evidence:
    known = evidence_of(unit, snapshot)
    found = next((each for each in known if each.run == run), None)
    if found is None:
        held = ", ".join(each.run for each in known) or "none"
        raise _refused(
            snapshot,
            unit,
            f"There is no checkpoint of unit {unit} by run {run}; Nyl holds those of these runs: {held}.",
            _otherwise(snapshot, unit),
        )
    if found.refusal:
        raise _refused(
            snapshot,
            unit,
            f"The checkpoint of unit {unit} by run {run} cannot be adopted: {found.refusal}.",
            _otherwise(snapshot, unit),
        )
    return found


def _otherwise(snapshot: StateSnapshot, unit: str) -> str:
    return (
        f"check what the execution did; `nyl recover -e {snapshot.environment} --unit {unit} --retry --reason <text>` "
        "lets the unit run again"
    )


def _change(
    snapshot: StateSnapshot, unit: str, after: ObservedUnit | None, condition: Condition, told: Mapping[str, str]
) -> Change:
    evidence = [each.described() for each in evidence_of(unit, snapshot)]
    needless = needless_evidence(snapshot.evidence, snapshot.observed, {unit: after})
    return Change(
        observed={unit: after},
        count=f"1 {told['result']}",
        summary={"units": {unit: dict(told)}, "condition": described(condition)},
        details={"condition": described(condition), "evidence": evidence},
        consumes=Consumption(evidence=needless),
    )


def described(condition: Condition) -> dict[str, Any]:
    """A condition as reports show it."""
    told: dict[str, Any] = {
        "reason": condition.reason,
        "run": condition.run,
        "since": condition.since.iso(),
        "state": str(condition.state),
    }
    if condition.state is ConditionState.FAILED:
        told |= {"category": condition.category, "retryable": condition.retryable}
    if condition.work is not Work.EXECUTION:
        told["work"] = str(condition.work)
    return told


def _refused(snapshot: StateSnapshot, unit: str, message: str, fix: str) -> NylError:
    return NylError(Code.RECOVER_REFUSED, message, fix, environment=snapshot.environment, unit=unit)
