"""The driver protocol: what a kind of unit offers, and the plain data that crosses the boundary."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from nyl.core.tool_result import ToolResult
from nyl.project.units import OutputDeclaration
from nyl.units.inputs import Inputs


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


class FailureCategory(StrEnum):
    """Where a failure came from."""

    EXECUTION = "execution"
    CREDENTIALS = "credentials"
    OUTPUTS = "outputs"
    START = "start"
    DRIVER_ERROR = "driver-error"


@dataclass(frozen=True)
class ResolvedUnit:
    """A unit as a driver sees it: its spec with every reference replaced by its value."""

    environment: str
    name: str
    kind: str
    spec: Mapping[str, Any]
    outputs: Mapping[str, OutputDeclaration]
    timeout: timedelta


class ExecutionContext(Protocol):
    """What a driver may use while it works on one unit."""

    checkout: Path
    """The project's folder in the unit's own checkout; tools run here."""

    checkouts: Mapping[str, Path]
    """Root of the checkout of every source field, by its pointer."""

    revision: str
    """The commit that `checkout` holds; empty where that is not known."""

    temporary: Path
    """A private folder that is deleted afterwards."""

    @property
    def cache(self) -> Path:
        """A private folder that all units of this machine share, for what tools download and can download again."""

    receipt: "ReceiptFacts"
    """In an execution what the last one left, and the uid of the unit's incarnation; empty elsewhere."""

    approved_digest: str | None
    """The digest of the change that an operator reviewed and approved; None where none was named.

    An execution or teardown that gets one plans again before its first effect, and ends with AwaitingApproval when the
    digest is another by now.
    """

    variables: Mapping[str, str]
    """The admitted environment: PATH, HOME, TMPDIR, LANG, the passed-through variables and the secrets."""

    def run(
        self,
        argv: Sequence[str],
        *,
        variables: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        capture_stdout: bool = False,
    ) -> ToolResult:
        """Runs a tool: own process group, streamed and masked output, the unit's deadline and cancellation.

        `variables` are added to the admitted ones. With `capture_stdout` stdout is private and returned.
        """

    def readable(self, output: bytes) -> str:
        """What a tool printed privately, as text that may be shown: masked, without escape sequences and controls."""

    def start_over(self) -> None:
        """Makes the checkouts and the private folder again what they were at first.

        For a driver that planned again: nothing that this left behind is taken for a part of the execution. Raises
        NylError or OSError.
        """

    def warn(self, message: str, fix: str) -> None:
        """Reports a warning about the unit (NYL-UNIT-OUTPUT)."""

    def mask(self, secret: str) -> None:
        """Hides a value from everything that is shown or logged from now on."""


@dataclass(frozen=True)
class Succeeded:
    """The unit's effects are complete."""

    outputs: Mapping[str, Any] = field(default_factory=dict)
    artifacts: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Failed:
    """The execution made no effect that it did not report."""

    category: FailureCategory
    retryable: bool
    message: str


@dataclass(frozen=True)
class Uncertain:
    """Effects may or may not have happened."""

    reason: str


@dataclass(frozen=True)
class AwaitingApproval:
    """An execution or teardown did nothing yet, because what it would change is not what was approved."""

    digest: str
    """Change digest of what it would change now."""


Outcome = Succeeded | Failed | Uncertain | AwaitingApproval


@dataclass(frozen=True)
class Planned:
    """What an execution or teardown would change, found out without any effect."""

    text: str
    """The change as people read it; empty when nothing would change."""
    digest: str
    """`sha256:` and 64 hex digits: equal for the same change on any machine, different for any other change."""


PlanOutcome = Planned | Failed


@dataclass(frozen=True)
class Removed:
    """A teardown is complete. `incomplete` says what may be left behind, where the driver makes no claim of removal."""

    incomplete: str = ""


@dataclass(frozen=True)
class Waiting:
    """A teardown was started and goes on in a later run, which gets `progress` back."""

    reason: str
    progress: Mapping[str, Any] = field(default_factory=dict)


TeardownOutcome = Removed | Waiting | Failed | Uncertain | AwaitingApproval


@dataclass(frozen=True)
class Verified:
    """Whether what a receipt describes still holds."""

    drifted: bool
    detail: str = ""
    """What drifted, in a few words."""
    health: str | None = None
    """A word such as `healthy` or `degraded`, where the driver observes it."""
    attestations: Mapping[str, Any] = field(default_factory=dict)


VerifyOutcome = Verified | Failed


@dataclass(frozen=True)
class NotApplied:
    """An inspected execution had no effect."""


@dataclass(frozen=True)
class Unknown:
    """Nobody can tell whether an inspected execution had effects."""

    reason: str


InspectOutcome = Succeeded | NotApplied | Unknown
"""Succeeded: the effects of the execution are there, with the outputs and artifacts that it would have given."""


@dataclass(frozen=True)
class ReceiptFacts:
    """What a receipt holds of its execution; nothing where there is no receipt."""

    outputs: Mapping[str, Any] = field(default_factory=dict)
    artifacts: Mapping[str, Any] = field(default_factory=dict)
    uid: str | None = None
    """The incarnation of the unit; None where it has none."""


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
