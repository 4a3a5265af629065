"""The driver protocol: what a kind of unit offers, and what it is given. What it answers is in `outcomes`."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import timedelta
from enum import StrEnum
from typing import Any, Protocol

from nyl.core.dataclass import dataclass
from nyl.project.units import OutputDeclaration
from nyl.units.execution_context import ExecutionContext as ExecutionContext
from nyl.units.inputs import Inputs
from nyl.units.outcomes import InspectOutcome, NativeOutcome, Outcome, PlanOutcome, TeardownOutcome, VerifyOutcome


class Capability(StrEnum):
    """What a driver can do beside executing."""

    PLAN = "plan"
    VERIFY = "verify"
    INSPECT = "inspect"
    TEARDOWN = "teardown"
    DIGEST = "digest"


class RecoveryPolicy(StrEnum):
    """What the next run does with an uncertain unit of the kind."""

    CONVERGE = "converge"
    INSPECT = "inspect"
    MANUAL = "manual"


@dataclass(frozen=True)
class ResolvedUnit:
    """A unit as a driver sees it: its spec with every reference replaced by its value."""

    environment: str
    name: str
    kind: str
    spec: Mapping[str, Any]
    outputs: Mapping[str, OutputDeclaration]
    timeout: timedelta


@dataclass(frozen=True)
class ReceiptFacts:
    """What a receipt holds of its execution; nothing where there is no receipt."""

    outputs: Mapping[str, Any] = field(default_factory=dict)
    artifacts: Mapping[str, Any] = field(default_factory=dict)
    uid: str | None = None
    """The incarnation of the unit; None where it has none."""
    drifted: bool = False
    """Whether what was changed by hand is to be put right: drift was found, or an operator forces the unit to run."""


@dataclass(frozen=True)
class TeardownOrder:
    """How a teardown is to go on: from `progress` where an earlier run left it waiting."""

    progress: Mapping[str, Any] | None = None
    confirm_removed: bool = False
    """An operator saw that what the teardown waits for is gone."""
    allow_incomplete: bool = False
    """An operator accepts that something may be left behind."""


class Driver(Protocol):
    """A kind of unit. What it can do beyond this is in the protocols below, one a capability."""

    api_version: str
    kind: str
    behavior_version: int
    default_timeout: timedelta
    reference_fields: tuple[str, ...]
    """Pointers of the spec fields that accept `fromUnit` at any depth below them."""

    neutral_fields: tuple[str, ...]
    """Names of the spec fields that do not enter the execution key."""

    def schema(self) -> Mapping[str, Any]:
        """JSON Schema (2020-12, an object's `properties` and `required`) of the kind's own spec fields."""

    def capabilities(self, spec: Mapping[str, Any]) -> frozenset[Capability]:
        """What the driver can do for a unit with this spec."""

    def recovery(self, spec: Mapping[str, Any]) -> RecoveryPolicy:
        """What to do with an uncertain execution of a unit with this spec."""

    def inputs(self, spec: Mapping[str, Any]) -> Inputs:
        """What a unit with this resolved spec reads."""

    def execute(self, unit: ResolvedUnit, context: ExecutionContext) -> Outcome:
        """Brings the unit about."""


class Plans(Driver, Protocol):
    """A driver with the capability `plan`; with `digest` too, approvals can bind to the change that it plans."""

    def plan(self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts) -> PlanOutcome:
        """What executing the unit would change. It must have no effect."""

    def plan_teardown(self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts) -> PlanOutcome:
        """What tearing the unit down would change. It must have no effect."""


class UsesSecrets(Driver, Protocol):
    """A driver that reads secrets of the project itself, beside those that a unit gives to its tools."""

    def secrets(self, spec: Mapping[str, Any]) -> tuple[str, ...]:
        """The keys of the secrets that a unit with this spec needs. They must be admitted as those of `env` must."""


class TearsDown(Driver, Protocol):
    """A driver with the capability `teardown`."""

    def teardown_recovery(self, spec: Mapping[str, Any]) -> RecoveryPolicy:
        """What to do with an uncertain teardown of a unit with this spec: converge or manual."""

    def teardown(
        self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts, order: TeardownOrder
    ) -> TeardownOutcome:
        """Removes what the unit brought about."""


class Verifies(Driver, Protocol):
    """A driver with the capability `verify`."""

    def verify(self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts) -> VerifyOutcome:
        """Whether what the receipt describes still holds. It must have no effect."""


class Inspects(Driver, Protocol):
    """A driver with the capability `inspect`, for units whose recovery policy is `inspect`."""

    def inspect(self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts) -> InspectOutcome:
        """Whether the effects of an uncertain execution are there. It must have no effect."""


class RunsNatively(Plans, Protocol):
    """A driver whose units have a tool of their own that operators repair them with (`nyl exec`).

    It has the capabilities `plan` and `digest` too: what a repaired unit executes next is approved by its digest.
    """

    def native(
        self, unit: ResolvedUnit, context: ExecutionContext, receipt: ReceiptFacts, arguments: Sequence[str]
    ) -> NativeOutcome:
        """Prepares the tool with some arguments on the unit's own configuration, as an execution would.

        It does not start it: nyl does, and passes on what it prints. What `context.run` runs meanwhile is shown as
        preparation.
        """
