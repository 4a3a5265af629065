"""What a user asked of an operation, as the command line gives it."""

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

from nyl.core.dataclass import dataclass
from nyl.git.config import Identity


@dataclass(frozen=True)
class Selection:
    """Which environments: by name (-e), by label (-l, `key=value` pairs that must all match) or by group (-g)."""

    names: tuple[str, ...] = ()
    labels: Mapping[str, str] | None = None
    groups: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing was named, so that an operation on everything means everything."""
        return not (self.names or self.labels is not None or self.groups)


@dataclass(frozen=True)
class ValidateRequest:
    """`nyl validate`. No selection: the whole project. `at` is a revision, None the working tree."""

    selection: Selection
    at: str | None = None


@dataclass(frozen=True)
class Proposal:
    """A commit that is to come to a branch, by a push or a merge: planned as if it were there, and protected, already.

    `branch` None stands for whichever branch sources come from.
    """

    commit: str
    branch: str | None = None


@dataclass(frozen=True)
class PlanRequest:
    """`nyl plan`. `units` are as typed, `unit` or `environment/unit`."""

    selection: Selection
    units: tuple[str, ...] = ()
    source: str | None = None
    worktree: bool = False
    explain: tuple[str, ...] = ()
    """Units whose inputs are compared with those of their receipts, as typed."""
    explains_all: bool = False
    """Whether that is done for every unit that would run again as well, as comments tell it."""
    fail_on_leaving: bool = False
    detailed_exitcode: bool = False
    proposal: Proposal | None = None
    concurrency: int | None = None
    """How many units are worked on at once; None takes the project's."""


@dataclass(frozen=True)
class ReconcileRequest:
    """`nyl reconcile`. `author` None is Git's own identity; `concurrency` None takes the project's."""

    selection: Selection
    units: tuple[str, ...] = ()
    source: str | None = None
    worktree: bool = False
    concurrency: int | None = None
    fail_fast: bool = False
    author: Identity | None = None
    wait_lease: timedelta | None = None
    unit_log_dir: Path | None = None
    allow_teardown: bool = False
    allow_dependents: bool = False
    allow_incomplete: bool = False
    leaving: bool = False
    """Only the units outside the ownership set."""
    approve: tuple[str, ...] = ()
    """Units that are approved for the key they have at first, some with the digest of a change, as typed."""
    approve_all: bool = False
    """Approve whatever waits for an approval at first."""
    approved_by: tuple[str, ...] = ()
    approval_source: str | None = None
    """Where `approved_by` is known from."""
    reapply: bool = False
    """Execute the named units although their receipts are current."""
    reason: str | None = None
    local: bool = False
    """Work on the local copy of the state, without its remote."""


@dataclass(frozen=True)
class TeardownRequest:
    """`nyl teardown`: some units of an environment, or `everything`."""

    environment: str
    units: tuple[str, ...] = ()
    everything: bool = False
    hold: bool = False
    reason: str | None = None
    source: str | None = None
    confirm_removed: bool = False
    allow_dependents: bool = False
    allow_incomplete: bool = False
    concurrency: int | None = None
    fail_fast: bool = False
    author: Identity | None = None
    wait_lease: timedelta | None = None
    unit_log_dir: Path | None = None
    approve: tuple[str, ...] = ()
    """Units whose teardown is approved, some with the digest of a change, as typed."""
    approve_all: bool = False
    """Approve the teardown of all of them."""
    approved_by: tuple[str, ...] = ()
    approval_source: str | None = None
    """Where `approved_by` is known from."""


@dataclass(frozen=True)
class StatusRequest:
    """`nyl status`. No selection: every environment, one line each. `revision` reads state as of a commit."""

    selection: Selection
    revision: str | None = None


@dataclass(frozen=True)
class VerifyRequest:
    """`nyl verify`. `author` None is Git's own identity; `concurrency` None takes the project's."""

    selection: Selection
    concurrency: int | None = None
    author: Identity | None = None
    wait_lease: timedelta | None = None
