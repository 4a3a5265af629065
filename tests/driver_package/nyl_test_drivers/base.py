"""What the test kinds share."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from nyl.units.driver import Capability, ExecutionContext, RecoveryPolicy, ResolvedUnit
from nyl.units.inputs import Inputs
from nyl.units.outcomes import Outcome, Succeeded

GROUP = "test.nyl.example/v1"


class TestDriver:
    """A kind without spec fields that succeeds at once."""

    api_version = GROUP
    kind = "Test"
    behavior_version = 1
    default_timeout = timedelta(minutes=5)
    reference_fields: tuple[str, ...] = ("/values",)
    neutral_fields: tuple[str, ...] = ()

    def schema(self) -> Mapping[str, Any]:
        return {"type": "object", "properties": {"values": {"type": "object"}}, "required": []}

    def capabilities(self, spec: Mapping[str, Any]) -> frozenset[Capability]:
        return frozenset()

    def recovery(self, spec: Mapping[str, Any]) -> RecoveryPolicy:
        return RecoveryPolicy.CONVERGE

    def inputs(self, spec: Mapping[str, Any]) -> Inputs:
        return Inputs()

    def execute(self, unit: ResolvedUnit, context: ExecutionContext) -> Outcome:
        """Gives the unit's values back as outputs."""
        return Succeeded(outputs=unit.spec.get("values", {}))
