"""The OciImage driver: a unit that is an image in a registry, built from folders of commits."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from nyl.project.records import UNITS
from nyl.units.driver import Capability, ReceiptFacts, RecoveryPolicy, ResolvedUnit
from nyl.units.execution_context import ExecutionContext
from nyl.units.images.schema import SCHEMA
from nyl.units.images.spec import image_spec, secret_keys
from nyl.units.inputs import Inputs
from nyl.units.outcomes import Outcome, VerifyOutcome


class OciImageDriver:
    """Kind OciImage of units.gitops.nyl/v1."""

    api_version = UNITS
    kind = "OciImage"
    behavior_version = 1
    default_timeout = timedelta(minutes=60)
    reference_fields: tuple[str, ...] = ("/buildArgs",)
    neutral_fields: tuple[str, ...] = ("builder", "cache", "moveTags")

    def schema(self) -> Mapping[str, Any]:
        """JSON Schema of the kind's own spec fields."""
        return SCHEMA

    def capabilities(self, spec: Mapping[str, Any]) -> frozenset[Capability]:
        """An image can be verified. Nothing removes one: others may run it."""
        return frozenset({Capability.VERIFY})

    def recovery(self, spec: Mapping[str, Any]) -> RecoveryPolicy:
        """Building and pushing again settles an uncertain execution."""
        return RecoveryPolicy.CONVERGE

    def inputs(self, spec: Mapping[str, Any]) -> Inputs:
        """The folders as their ignore files leave them, and the Dockerfile."""
        return image_spec(spec).inputs

    def secrets(self, spec: Mapping[str, Any]) -> tuple[str, ...]:
        """The secrets of registryAuth."""
        return secret_keys(spec)

    def execute(self, unit: ResolvedUnit, context: ExecutionContext) -> Outcome:
        """Builds the image, pushes it under the tag of its key, and sets its other tags."""
        from nyl.units.images.publishing import publish

        return publish(unit, context)

    def verify(self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts) -> VerifyOutcome:
        """Asks the registry whether it still holds what the receipt names."""
        from nyl.units.images.publishing import look

        return look(unit, context, receipt)
