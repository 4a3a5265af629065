"""What a driver answers: the outcome of each thing that it is asked to do, as plain data."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from enum import StrEnum
from pathlib import Path
from typing import Any

from nyl.core.dataclass import dataclass


class FailureCategory(StrEnum):
    """Where a failure came from."""

    EXECUTION = "execution"
    CREDENTIALS = "credentials"
    OUTPUTS = "outputs"
    START = "start"
    LOCKED = "locked"
    VERSION = "version"
    DRIVER_ERROR = "driver-error"
    OWNERSHIP = "ownership"


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
    """A teardown is complete."""

    incomplete: str = ""
    """What may be left behind, where the driver makes no claim of removal."""
    confirmed: str = ""
    """How a wait came to its end, where it was not by an operator's word."""


@dataclass(frozen=True)
class Waiting:
    """A teardown was started and goes on in a later run, which gets `progress` back."""

    reason: str
    progress: Mapping[str, Any] = field(default_factory=dict)
    again: bool = False
    """Whether it goes on in this run already, once `progress` is recorded and unless a hold came meanwhile."""


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


@dataclass(frozen=True)
class NativeCommand:
    """A unit's own tool, prepared to work on the unit's configuration; whoever asked for it starts it."""

    argv: Sequence[str]
    variables: Mapping[str, str] = field(default_factory=dict)
    """What is added to the admitted ones."""
    cwd: Path | None = None
    """Where it runs; None is the project's folder in the checkout."""
    keeps: Mapping[Path, Path] = field(default_factory=dict)
    """Files that it may leave where it ran, and where each is kept then, since the checkout is thrown away."""


NativeOutcome = NativeCommand | Failed


InspectOutcome = Succeeded | NotApplied | Unknown
"""Succeeded: the effects of the execution are there, with the outputs and artifacts that it would have given."""
