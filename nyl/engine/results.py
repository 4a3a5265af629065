"""The one result model: every report, table, summary and exit code is rendered from it."""

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Any, Self

from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Diagnostic, Location, NylError, Severity
from nyl.core.exits import Exit, worst
from nyl.engine.unit_edges import UnitGraph
from nyl.project.units import ApprovalPolicy


class _Verdict(StrEnum):
    """What is said of a unit, and the exit it leads to."""

    exit: Exit

    def __new__(cls, value: str, exit: Exit) -> Self:
        member = str.__new__(cls, value)
        member._value_ = value
        member.exit = exit
        return member


class Result(_Verdict):
    """What a reconcile did with a unit (reference page Runs, Transition commits)."""

    CURRENT = "current", Exit.OK
    EXECUTED = "executed", Exit.OK
    IMPORTED = "imported", Exit.OK
    RECOVERED = "recovered", Exit.OK
    FAILED = "failed", Exit.FAILED
    UNCERTAIN = "uncertain", Exit.UNCERTAIN
    BLOCKED = "blocked", Exit.WAITING
    AWAITING_APPROVAL = "awaiting-approval", Exit.WAITING
    DRIFTED = "drifted", Exit.WAITING
    HELD = "held", Exit.WAITING
    PENDING_TEARDOWN = "pending-teardown", Exit.WAITING
    TEARING_DOWN = "tearing-down", Exit.WAITING
    REMOVED = "removed", Exit.OK
    RETAINED = "retained", Exit.OK
    RELEASED = "released", Exit.OK


class Action(StrEnum):
    """What a run would do with a unit."""

    EXECUTE = "execute"
    NONE = "none"
    BLOCKED = "blocked"
    AWAIT_APPROVAL = "await-approval"
    TEARDOWN = "teardown"
    RETAIN = "retain"
    RELEASE = "release"
    HELD = "held"


class UnitState(_Verdict):
    """How `nyl status` finds a unit."""

    CURRENT = "current", Exit.OK
    READY = "ready", Exit.WAITING
    BLOCKED = "blocked", Exit.WAITING
    RUNNING = "running", Exit.WAITING
    AWAITING_APPROVAL = "awaiting-approval", Exit.WAITING
    DRIFTED = "drifted", Exit.WAITING
    HELD = "held", Exit.WAITING
    PENDING_TEARDOWN = "pending-teardown", Exit.WAITING
    TEARING_DOWN = "tearing-down", Exit.WAITING
    RETAINED = "retained", Exit.OK
    FAILED = "failed", Exit.FAILED
    UNCERTAIN = "uncertain", Exit.UNCERTAIN


class Finding(_Verdict):
    """What `nyl verify` found of a unit."""

    CLEAN = "clean", Exit.OK
    DRIFTED = "drifted", Exit.FAILED
    UNVERIFIED = "unverified", Exit.OK
    """The unit has no current receipt, or its kind cannot verify."""
    ERROR = "error", Exit.ERROR


class LeavingWhy(StrEnum):
    """Why a unit is no longer in the ownership set."""

    REMOVED = "removed"
    DESELECTED = "deselected"
    DISABLED = "disabled"


class LeavingEffect(StrEnum):
    """What its deletion policy makes of a leaving unit."""

    TEARDOWN = "teardown"
    RELEASE = "release"
    RETAIN = "retain"


@dataclass(frozen=True)
class Leaving:
    """A unit that leaves the ownership set."""

    unit: str
    why: LeavingWhy
    effect: LeavingEffect


@dataclass(frozen=True)
class UnitReport:
    """One unit's section. Fields that do not apply to the operation stay None and are not shown.

    `verdict` is a Result, an Action, a UnitState or a Finding and names its JSON field: result, action, state, finding.
    """

    unit: str
    kind: str
    verdict: Result | Action | UnitState | Finding
    reason: str = ""
    """Why the unit runs, or would."""
    detail: str = ""
    """What the reader must know beside the verdict."""
    execution_key: str | None = None
    outputs: Mapping[str, Any] | None = None
    duration_ms: int | None = None
    category: str | None = None
    retryable: bool | None = None
    run: str | None = None
    """The run that a receipt or condition came from."""
    receipt: str | None = None
    """status: `current`, `outdated` or `none`."""
    nyl_version: str | None = None
    """The nyl version in the receipt, where it differs from the running one."""
    exit: Exit | None = None
    """The exit that it leads to, where that is not its verdict's."""
    health: str | None = None
    """verify: the health that the driver observed."""
    explanation: "Explanation | None" = None
    change_digest: str | None = None
    """Digest of the change that the unit's driver planned, as `--approve unit=digest` takes it."""
    changes: str | None = None
    """That change as people read it, masked; None where the kind plans none."""
    unsafe: bool = False
    """Whether it runs again only with an approval. For warnings; not shown."""
    forced: bool = False
    """Whether only --reapply makes it run. For warnings; not shown."""
    location: Location | None = None
    """Where it is declared. For warnings of what failed; not shown."""
    approval: ApprovalPolicy | None = None
    """What its spec says of approvals. For warnings; not shown."""


@dataclass(frozen=True)
class Explanation:
    """How a unit's inputs differ from those of its receipt (`nyl plan --explain`)."""

    fields: tuple[str, ...] = ()
    """JSON pointers of spec fields that were added, removed or changed, each with a sign: `+`, `-` or `~`."""
    files: tuple[str, ...] = ()
    """Files, signed likewise."""
    other: tuple[str, ...] = ()
    """Sentences about anything else, such as the fingerprint or a behavior version."""


@dataclass(frozen=True)
class EnvironmentReport:
    """One environment's section."""

    environment: str
    units: tuple[UnitReport, ...] = ()
    """In unitOrder."""
    run: str | None = None
    source: str | None = None
    desired: str | None = None
    """The commit after the operation, or the one read when nothing was written."""
    observed: str | None = None
    written: frozenset[str] = frozenset()
    """Which of `desired` and `observed` this operation wrote."""
    leaving: tuple[Leaving, ...] = ()
    imported: tuple[str, ...] = ()
    recovered: tuple[str, ...] = ()
    drift_repaired: tuple[str, ...] = ()
    worktree_source: Mapping[str, Any] | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    """What the summary of the transition says beside the units, such as leaseBroken; by its name there."""
    diagnostics: tuple[Diagnostic, ...] = ()
    exit_hints: tuple[Exit, ...] = ()
    """Exits beside those of units and errors, such as 2 for units that leave."""
    tree: str | None = None
    """The tree of `source`, which is the same for commits with the same files."""
    graph: UnitGraph | None = None
    """What the units of the ownership set depend on. For pictures; in no table and no JSON."""

    @classmethod
    def failed(cls, environment: str, error: NylError) -> "EnvironmentReport":
        """The section of an environment that ended with an error."""
        return cls(environment, diagnostics=error.about(environment=environment).diagnostics)

    @property
    def exit(self) -> Exit:
        """The most severe of the units, the diagnostics and the hints."""
        verdicts = (
            each.verdict.exit if each.exit is None else each.exit
            for each in self.units
            if not isinstance(each.verdict, Action)
        )
        return worst([*verdicts, *self.exit_hints, *_error_exits(self.diagnostics)])


class ReportKind(StrEnum):
    """What a report is about."""

    PLAN = "PlanReport"
    RECONCILE = "ReconcileReport"
    STATUS = "StatusReport"
    VERIFY = "VerifyReport"
    VALIDATE = "ValidateReport"
    TEARDOWN = "TeardownReport"
    OPERATION = "OperationReport"


@dataclass(frozen=True)
class Report:
    """What one invocation found or did."""

    kind: ReportKind
    environments: tuple[EnvironmentReport, ...] = ()
    """In the order they were worked on."""
    diagnostics: tuple[Diagnostic, ...] = ()
    """Those that belong to no environment."""
    operation: str | None = None
    """OperationReport: such as `state-init`."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """OperationReport: what was done, by name."""
    exit_hint: Exit = Exit.OK
    """An exit beside those of sections and errors, such as 2 for differences that were asked for."""
    targets: tuple[str, ...] = ()
    """ValidateReport: the DeploymentTargets that were checked."""

    @property
    def exit(self) -> Exit:
        """The most severe of all sections."""
        return worst([self.exit_hint, *(each.exit for each in self.environments), *_error_exits(self.diagnostics)])

    @property
    def all_diagnostics(self) -> tuple[Diagnostic, ...]:
        """Everything to print on stderr, environments first in their order."""
        return tuple(each for section in self.environments for each in section.diagnostics) + self.diagnostics


def _error_exits(diagnostics: tuple[Diagnostic, ...]) -> list[Exit]:
    return [each.code.exit for each in diagnostics if each.severity is Severity.ERROR]
