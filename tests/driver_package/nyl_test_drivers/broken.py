"""A kind whose driver raises."""

from collections.abc import Mapping
from typing import Any

from nyl.units.driver import ExecutionContext, Inputs, Outcome, RecoveryPolicy, ResolvedUnit
from nyl_test_drivers.base import TestDriver


class Broken(TestDriver):
    """Raises where `raiseIn` says: `execute` (the default) or `inputs`."""

    kind = "Broken"
    neutral_fields = ("raiseIn",)

    def schema(self) -> Mapping[str, Any]:
        fields = {"raiseIn": {"enum": ["execute", "inputs"]}, "values": {"type": "object"}}
        return {"type": "object", "properties": fields, "required": []}

    def recovery(self, spec: Mapping[str, Any]) -> RecoveryPolicy:
        return RecoveryPolicy.MANUAL

    def inputs(self, spec: Mapping[str, Any]) -> Inputs:
        if spec.get("raiseIn") == "inputs":
            raise RuntimeError("the inputs went wrong")
        return Inputs()

    def execute(self, unit: ResolvedUnit, context: ExecutionContext) -> Outcome:
        raise RuntimeError("the driver went wrong")
