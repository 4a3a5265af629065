"""A kind that plans what it changes, and reports digests of that."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nyl.units.driver import Capability, ExecutionContext, ReceiptFacts, RecoveryPolicy, ResolvedUnit, TeardownOrder
from nyl.units.outcomes import (
    AwaitingApproval,
    Failed,
    FailureCategory,
    NativeCommand,
    NativeOutcome,
    Outcome,
    Planned,
    PlanOutcome,
    Removed,
    TeardownOutcome,
)
from nyl_test_drivers.base import TestDriver


class Preview(TestDriver):
    """Every field beside `values` is neutral, and every path may be absolute.

    `change`: a file whose text is what the unit changes, so that it can be another by the time the unit executes. What
    a teardown changes is the same text with a minus before it.
    `log`: a file that gets a line `<unit> <text>` for every effect.
    `manual`: an uncertain execution waits for an operator.
    """

    kind = "Preview"
    neutral_fields: tuple[str, ...] = ("change", "log", "manual")

    def schema(self) -> Mapping[str, Any]:
        text = {"type": "string", "minLength": 1}
        fields = {"change": text, "log": text, "manual": {"type": "boolean"}}
        return {"type": "object", "properties": {"values": {"type": "object"}, **fields}, "required": []}

    def capabilities(self, spec: Mapping[str, Any]) -> frozenset[Capability]:
        return frozenset({Capability.PLAN, Capability.DIGEST, Capability.TEARDOWN})

    def recovery(self, spec: Mapping[str, Any]) -> RecoveryPolicy:
        return RecoveryPolicy.MANUAL if spec.get("manual") else RecoveryPolicy.CONVERGE

    def teardown_recovery(self, spec: Mapping[str, Any]) -> RecoveryPolicy:
        return RecoveryPolicy.CONVERGE

    def plan(self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts) -> PlanOutcome:
        """The text of the file."""
        return _planned(_change(unit))

    def plan_teardown(self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts) -> PlanOutcome:
        """The same with a minus."""
        return _planned(f"-{_change(unit)}")

    def native(
        self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts, arguments: Sequence[str]
    ) -> NativeOutcome:
        """The arguments are the tool with its own, which gets the values as JSON in NYL_TEST_VALUES."""
        context.run(["echo", f"preparing {unit.name} of {receipt.uid}"])
        if list(arguments) == ["unprepared"]:
            return Failed(FailureCategory.EXECUTION, True, "the tool could not be prepared")
        return NativeCommand(arguments, {"NYL_TEST_VALUES": json.dumps(unit.spec.get("values", {}))})

    def execute(self, unit: ResolvedUnit, context: ExecutionContext) -> Outcome:
        change = _change(unit)
        if _is_other(change, context):
            return AwaitingApproval(_planned(change).digest)
        _log(unit, change)
        return super().execute(unit, context)

    def teardown(
        self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts, order: TeardownOrder
    ) -> TeardownOutcome:
        change = f"-{_change(unit)}"
        if _is_other(change, context):
            return AwaitingApproval(_planned(change).digest)
        _log(unit, change)
        return Removed()


def digest_of(change: str) -> str:
    """The digest of a change, as `--approve unit=digest` takes it."""
    return f"sha256:{hashlib.sha256(change.encode()).hexdigest()}"


def _planned(change: str) -> Planned:
    return Planned(change, digest_of(change))


def _is_other(change: str, context: ExecutionContext) -> bool:
    return context.approved_digest not in (None, digest_of(change))


def _change(unit: ResolvedUnit) -> str:
    source = Path(unit.spec["change"]) if "change" in unit.spec else None
    return source.read_text("utf-8").strip() if source is not None and source.exists() else unit.name


def _log(unit: ResolvedUnit, change: str) -> None:
    if "log" in unit.spec:
        with Path(unit.spec["log"]).open("a", encoding="utf-8") as log:
            log.write(f"{unit.name} {change}\n")
