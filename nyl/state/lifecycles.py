"""Where an incarnation stands, as the lifecycle block of a desired document says it.

Follows the section The lifecycle of a unit of the page Deletion and holds.
"""

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Any

from nyl.core.clock import Instant
from nyl.core.dataclass import dataclass


class LifecycleState(StrEnum):
    """Where an incarnation stands."""

    ACTIVE = "active"
    DELETING = "deleting"
    HELD = "held"
    RETAINED = "retained"


class DeletionReason(StrEnum):
    """Why an incarnation is deleted."""

    OMISSION = "omission"
    """It left the ownership set."""
    TEARDOWN = "teardown"
    """An operator tears down a unit that is outside the ownership set."""
    REPLACE = "replace"
    """An operator tears down a unit of the ownership set; the next reconcile creates it anew."""
    KIND_CHANGE = "kind-change"
    DECOMMISSION = "decommission"
    """The whole environment goes."""


class DeletionIntent(StrEnum):
    """What becomes of the resources."""

    RETAIN = "retain"
    TEARDOWN = "teardown"


class TeardownProgress(StrEnum):
    """Whether the driver's teardown was started."""

    PENDING = "pending"
    IN_PROGRESS = "in-progress"


@dataclass(frozen=True)
class TeardownRequested:
    """Who asked for a teardown, when and why; `confirm_removed`: having seen that what it waits for is gone."""

    by: str
    at: Instant
    reason: str
    confirm_removed: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Deletion:
    """The deletion of an incarnation. With `requested` its teardown needs no --allow-teardown."""

    reason: DeletionReason
    intent: DeletionIntent
    teardown: TeardownProgress = TeardownProgress.PENDING
    requested: TeardownRequested | None = None
    hold: bool = False
    """Whether the unit is held once it is torn down, so that no run creates it again."""
    extra: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class PendingChange:
    """What source would change of a held unit: its key there, or that it leaves or changes its kind.

    `source_commit` is the first commit with this change; later commits with the same change do not move it.
    """

    source_commit: str
    execution_key: str | None = None
    deletion: DeletionReason | None = None
    extra: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Hold:
    """Who held a unit, when and why; `before` is the state that a resume returns to."""

    by: str
    at: Instant
    reason: str
    before: LifecycleState = LifecycleState.ACTIVE
    pending: PendingChange | None = None
    extra: Mapping[str, Any] = field(default_factory=dict, hash=False)
