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
class SourceChoice:
    """What the command line says of the source: --source, or --worktree; or which commit is proposed."""

    override: str | None = None
    worktree: bool = False
    proposal: Proposal | None = None

    @property
    def is_given(self) -> bool:
        """Whether anything but the environments' own sources was asked for."""
        return self != SourceChoice()


@dataclass(frozen=True)
class ApprovalChoice:
    """What is approved, by whom, and where that is on record."""

    units: tuple[str, ...] = ()
    """Units that are approved as they stand at first, some with the digest of a change, as typed."""
    everything: bool = False
    """Approve whatever waits for an approval at first."""
    by: tuple[str, ...] = ()
    source: str | None = None
    """Where `by` is known from."""

    @property
    def any(self) -> bool:
        """Whether anything is approved at all."""
        return self.everything or bool(self.units)


@dataclass(frozen=True)
class DeletionChoice:
    """What a reconcile may do with units outside the ownership set."""

    teardown: bool = False
    dependents: bool = False
    incomplete: bool = False
    only: bool = False
    """Whether it does nothing else."""

    @property
    def is_given(self) -> bool:
        """Whether any of it was asked for."""
        return self.teardown or self.dependents or self.incomplete or self.only


@dataclass(frozen=True)
class PlanRequest:
    """`nyl plan`. `units` are as typed, `unit` or `environment/unit`."""

    selection: Selection
    units: tuple[str, ...] = ()
    source: SourceChoice = SourceChoice()
    explain: tuple[str, ...] = ()
    """Units whose inputs are compared with those of their receipts, as typed."""
    explains_all: bool = False
    """Whether that is done for every unit that would run again as well, as comments tell it."""
    fail_on_leaving: bool = False
    detailed_exitcode: bool = False
    concurrency: int | None = None
    """How many units are worked on at once; None takes the project's."""


@dataclass(frozen=True)
class ReconcileRequest:
    """`nyl reconcile`. `author` None is Git's own identity; `concurrency` None takes the project's."""

    selection: Selection
    units: tuple[str, ...] = ()
    source: SourceChoice = SourceChoice()
    concurrency: int | None = None
    fail_fast: bool = False
    author: Identity | None = None
    wait_lease: timedelta | None = None
    unit_log_dir: Path | None = None
    deletions: DeletionChoice = DeletionChoice()
    approval: ApprovalChoice = ApprovalChoice()
    reapply: bool = False
    """Execute the named units although their receipts are current."""
    reason: str | None = None
    local: bool = False
    """Work on the local copy of the state, without its remote."""
    repeats: bool = False
    """Whether CI ran it before, and runs it again."""


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
    approval: ApprovalChoice = ApprovalChoice()


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
