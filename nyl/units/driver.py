"""The driver protocol: what a kind of unit offers, and the plain data that crosses the boundary."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from nyl.project.units import OutputDeclaration


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
class SourceField:
    """One field of a spec that names content: a path in S, or in a revision of a repository.

    `pointer` is the JSON pointer of the field in the spec. `repository` is a URL, `repository_ref` the name of a
    GitRepository; without either it is the project's own repository. With `revision` None the field reads S.
    """

    pointer: str
    path: str
    repository: str | None = None
    repository_ref: str | None = None
    revision: str | None = None
    commit: str | None = None


@dataclass(frozen=True)
class InputFiles:
    """Files that enter a unit's key: globs below the root of one source ('' is S at the project's folder)."""

    globs: tuple[str, ...]
    source: str = ""


@dataclass(frozen=True)
class Inputs:
    """What a unit reads. `private` units get a checkout of exactly these files; others a full one of S."""

    sources: tuple[SourceField, ...] = ()
    files: tuple[InputFiles, ...] = ()
    fingerprint: tuple[str, ...] | None = None
    private: bool = False
    requires_commit: bool = False


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
class ToolResult:
    """How a tool ended. Exactly one of exit code and signal is set.

    Neither is when it was never started (`start_error`), or when the system lost its exit status.
    """

    exit_code: int | None
    signal: int | None = None
    timed_out: bool = False
    cancelled: bool = False
    start_error: str | None = None
    missing: bool = False
    """Whether it was not started because there is no such program."""
    stdout: bytes = b""
    """What a captured stdout held; at most 64 MiB, `truncated` when there was more."""
    truncated: bool = False


class ExecutionContext(Protocol):
    """What a driver may use while it works on one unit."""

    checkout: Path
    """The project's folder in the unit's own checkout; tools run here."""

    checkouts: Mapping[str, Path]
    """Root of the checkout of every source field, by its pointer."""

    temporary: Path
    """A private folder that is deleted afterwards."""

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


Outcome = Succeeded | Failed | Uncertain


class Driver(Protocol):
    """A kind of unit. Methods that a driver has no capability for are never called."""

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
