"""A kind whose driver raises."""

from collections.abc import Mapping
from typing import Any

from nyl.units.driver import Capability, ExecutionContext, ReceiptFacts, RecoveryPolicy, ResolvedUnit, TeardownOrder
from nyl.units.inputs import Inputs
from nyl.units.outcomes import InspectOutcome, Outcome, Succeeded, TeardownOutcome, VerifyOutcome
from nyl_test_drivers.base import TestDriver

_LATER = (Capability.TEARDOWN, Capability.VERIFY, Capability.INSPECT)


class Broken(TestDriver):
    """Raises where `raiseIn` says: `execute` (the default), `inputs`, `teardown`, `verify` or `inspect`."""

    kind = "Broken"
    neutral_fields: tuple[str, ...] = ("raiseIn",)

    def schema(self) -> Mapping[str, Any]:
        fields = {"raiseIn": {"enum": ["execute", "inputs", *_LATER]}, "values": {"type": "object"}}
        return {"type": "object", "properties": fields, "required": []}

    def capabilities(self, spec: Mapping[str, Any]) -> frozenset[Capability]:
        return frozenset(_LATER)

    def recovery(self, spec: Mapping[str, Any]) -> RecoveryPolicy:
        return RecoveryPolicy.INSPECT if spec.get("raiseIn") == "inspect" else RecoveryPolicy.MANUAL

    def teardown_recovery(self, spec: Mapping[str, Any]) -> RecoveryPolicy:
        return RecoveryPolicy.MANUAL

    def inputs(self, spec: Mapping[str, Any]) -> Inputs:
        if spec.get("raiseIn") == "inputs":
            raise RuntimeError("the inputs went wrong")
        return Inputs()

    def execute(self, unit: ResolvedUnit, context: ExecutionContext) -> Outcome:
        if unit.spec.get("raiseIn") in _LATER:
            return Succeeded(outputs=unit.spec.get("values", {}))
        raise RuntimeError("the driver went wrong")

    def teardown(
        self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts, order: TeardownOrder
    ) -> TeardownOutcome:
        raise RuntimeError("the teardown went wrong")

    def verify(self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts) -> VerifyOutcome:
        raise RuntimeError("the verification went wrong")

    def inspect(self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts) -> InspectOutcome:
        raise RuntimeError("the inspection went wrong")
