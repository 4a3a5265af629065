"""A kind whose teardown waits, and whose state somebody else can change."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nyl.units.driver import Capability, ExecutionContext, ReceiptFacts, RecoveryPolicy, ResolvedUnit, TeardownOrder
from nyl.units.outcomes import (
    Failed,
    FailureCategory,
    Outcome,
    Removed,
    TeardownOutcome,
    Verified,
    VerifyOutcome,
    Waiting,
)
from nyl_test_drivers.base import TestDriver


class Waiter(TestDriver):
    """Every field beside `values` is neutral, and every path may be absolute.

    `until`: a file that a teardown waits for; its progress counts how often it `looked`. An operator who confirms the
    removal or accepts an incomplete one ends the wait.
    `incomplete`: what no teardown can remove, so that it does not start unless an operator accepts that.
    `manual`: an uncertain teardown waits for an operator.
    `status`: a file whose first word is the health; what follows it has drifted. Without it everything has. Its whole
    text is attested under `status`.
    `log`: a file that gets a line `<unit> <effect>` for every effect: executed, removal-published, removed.
    """

    kind = "Waiter"
    neutral_fields: tuple[str, ...] = ("until", "incomplete", "manual", "status", "log")

    def schema(self) -> Mapping[str, Any]:
        text = {"type": "string", "minLength": 1}
        fields = {"until": text, "incomplete": text, "manual": {"type": "boolean"}, "status": text, "log": text}
        return {"type": "object", "properties": {"values": {"type": "object"}, **fields}, "required": []}

    def capabilities(self, spec: Mapping[str, Any]) -> frozenset[Capability]:
        verifies = {Capability.VERIFY} if "status" in spec else set()
        return frozenset({Capability.TEARDOWN, *verifies})

    def teardown_recovery(self, spec: Mapping[str, Any]) -> RecoveryPolicy:
        return RecoveryPolicy.MANUAL if spec.get("manual") else RecoveryPolicy.CONVERGE

    def execute(self, unit: ResolvedUnit, context: ExecutionContext) -> Outcome:
        _log(unit, "executed")
        return super().execute(unit, context)

    def teardown(
        self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts, order: TeardownOrder
    ) -> TeardownOutcome:
        left = unit.spec.get("incomplete", "")
        if left and not order.allow_incomplete:
            return Failed(FailureCategory.EXECUTION, True, f"{left} would be left behind; pass --allow-incomplete")
        if order.progress is None:
            _log(unit, "removal-published")
        looked = (order.progress or {}).get("looked", 0) + 1
        until = Path(unit.spec["until"]) if "until" in unit.spec else None
        gone = until is None or until.exists() or order.confirm_removed
        if until is not None and not gone and not order.allow_incomplete:
            return Waiting(f"{until.name} is not there yet", {"looked": looked})
        _log(unit, "removed")
        return Removed(left or ("" if gone else "nobody saw the removal"))

    def verify(self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts) -> VerifyOutcome:
        status = Path(unit.spec["status"])
        if not status.exists():
            return Verified(True, f"{status.name} is gone", "missing")
        health, _, drift = status.read_text().strip().partition(" ")
        return Verified(bool(drift), drift, health or None, {"status": {"text": f"{health} {drift}".strip()}})


def _log(unit: ResolvedUnit, effect: str) -> None:
    if "log" in unit.spec:
        with Path(unit.spec["log"]).open("a", encoding="utf-8") as log:
            log.write(f"{unit.name} {effect}\n")
