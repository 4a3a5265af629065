"""Documents of the refs that coordinate runs, as data: leases, run records and checkpoints.

Their YAML forms and schemas are those of the other documents, in `codec` and `schemas/`.
"""

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from nyl.core.clock import Instant
from nyl.core.dataclass import dataclass
from nyl.state.documents import Data, ObservedUnit, Work


class LeaseState(StrEnum):
    """Whether a lease holds its environment."""

    HELD = "held"
    LANDED = "landed"
    FINISHED = "finished"
    BROKEN = "broken"


@dataclass(frozen=True)
class Break:
    """That an operator declared a run's lease broken."""

    run: str
    by: str
    at: Instant
    reason: str
    extra: Data = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Lease:
    """Who holds an environment, until when: lease.yaml on the lease ref."""

    environment: str
    run: str
    operation: str
    runner: str
    nonce: str
    state: LeaseState
    taken_at: Instant
    deadline: Instant
    executing: tuple[str, ...] = ()
    broken: Break | None = None
    taken_over: tuple[Break, ...] = ()
    """Breaks that no transition has recorded yet, oldest first."""
    consumed: Mapping[str, str] = field(default_factory=dict)
    """On a landed lease, the runs that the transition imported and the commits their refs were at: their refs go."""
    retired: tuple[str, ...] = ()
    """Those among them whose run ref becomes an evidence ref."""
    heard: Mapping[str, str] = field(default_factory=dict)
    """On a landed lease, the runs whose holds are in the transition and the commits their signals refs were at."""
    extra: Data = field(default_factory=dict, hash=False)


class RunState(StrEnum):
    """Whether a run's process still works."""

    RUNNING = "running"
    FINISHED = "finished"


@dataclass(frozen=True)
class Run:
    """What a run is doing: run.yaml on its run ref."""

    environment: str
    run: str
    operation: str
    runner: str
    state: RunState
    source_commit: str
    started_at: Instant
    deadline: Instant
    executing: Mapping[str, str] = field(default_factory=dict)
    """Unit -> the execution key it runs with."""
    read_observed: str | None = None
    """Commit of the observed ref that the run had read: what changed since is newer than its results."""
    after: tuple[str, ...] = ()
    """The dead runs that it found and took over from, so that its results are newer than theirs."""
    approvals: Mapping[str, Data] = field(default_factory=dict, hash=False)
    """Unit -> the record of the approval that it was started with."""
    breaks: tuple[Break, ...] = ()
    """Breaks of a lease that was let go without state to record them in: whoever imports the run records them."""
    location: Data = field(default_factory=dict, hash=False)
    """The refs and the folder of the state that it had read; nothing in records of earlier versions."""
    extra: Data = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Checkpoint:
    """How one execution or teardown of a run ended: checkpoints/<unit>.yaml on the run ref."""

    observed: ObservedUnit
    artifacts: Mapping[str, Data] = field(default_factory=dict)
    effects: bool = True
    """Whether the unit may have had effects."""
    work: Work = Work.EXECUTION
    removed: bool = False
    """That a teardown is complete: the unit's files go. `incomplete` then says what may be left behind."""
    incomplete: str = ""
    confirmed: str = ""
    """How a teardown that waited came to its end."""
