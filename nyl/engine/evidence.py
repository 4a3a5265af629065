"""What Nyl still holds of the executions of a unit, and whether an operator may adopt it.

Follows the section Recovering a unit of the Recovery page.
"""

from collections.abc import Mapping
from typing import Any

from nyl.core.dataclass import dataclass
from nyl.engine.inheritance import is_receipt
from nyl.state.coordination_documents import Checkpoint
from nyl.state.documents import DesiredUnit, Work
from nyl.state.lifecycles import LifecycleState
from nyl.state.snapshot import RunRef, StateSnapshot


@dataclass(frozen=True)
class Evidence:
    """A checkpoint of a unit on an evidence ref. `refusal` is why it cannot be adopted, '' where it can."""

    run: str
    checkpoint: Checkpoint
    refusal: str

    @property
    def adoptable(self) -> bool:
        """Whether it can become the unit's receipt."""
        return not self.refusal

    def described(self) -> dict[str, Any]:
        """As reports show it."""
        observed = self.checkpoint.observed
        receipt, condition = observed.receipt, observed.condition
        told = receipt if condition is None else None
        finished = told.finished_at if told else condition.since if condition else None
        return {
            "run": self.run,
            "executionKey": told.execution_key if told else condition.execution_key if condition else None,
            "uid": observed.unit.uid,
            "result": _result(self.checkpoint),
            "finishedAt": finished.iso() if finished else None,
            "adoptable": self.adoptable,
            "why": self.refusal or "its execution key and uid are those of the unit's desired document",
        }


def evidence_of(unit: str, snapshot: StateSnapshot) -> tuple[Evidence, ...]:
    """Every checkpoint of a unit on the evidence refs, newest run first."""
    document = snapshot.desired.get(unit)
    return tuple(
        Evidence(run, ref.checkpoints[unit], _refusal(ref.checkpoints[unit], document))
        for run, ref in _newest_first(snapshot.evidence)
        if unit in ref.checkpoints
    )


def _newest_first(evidence: Mapping[str, RunRef]) -> list[tuple[str, RunRef]]:
    return sorted(evidence.items(), reverse=True)


def _refusal(checkpoint: Checkpoint, document: DesiredUnit | None) -> str:
    receipt = checkpoint.observed.receipt
    if not is_receipt(checkpoint) or receipt is None:
        return "it is no receipt"
    if document is None:
        return "the unit has no desired document"
    if document.lifecycle is LifecycleState.HELD:
        return "the unit is held"
    if checkpoint.observed.unit.uid != document.unit.uid:
        return f"its uid is not that of the unit's desired document, {document.unit.uid}"
    if receipt.execution_key != document.execution_key:
        return f"its execution key is not that of the unit's desired document, {document.execution_key}"
    return ""


def _result(checkpoint: Checkpoint) -> str:
    if checkpoint.removed:
        return "removed"
    condition = checkpoint.observed.condition
    if condition is not None:
        return str(condition.state)
    return "executed" if checkpoint.work is Work.EXECUTION else "tearing-down"
