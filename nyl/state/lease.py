"""Who holds an environment: decisions over a lease, the run refs beside it, and the time. Nothing here does anything.

Deadlines compare with the wall clock, as they are written in documents that other machines read.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from nyl.core.clock import Instant
from nyl.state.documents import Lease, LeaseState, Run, RunState
from nyl.state.snapshot import RunRef


class LeaseStanding(StrEnum):
    """What stands in the way of an operation that wants the lease."""

    FREE = "free"
    """Nothing; at most a lease that holds nobody, and run refs whose results are in a transition already."""
    HELD = "held"
    """A run that may be alive."""
    EXPIRED = "expired"
    """A run that passed its deadline and recorded something that is not imported."""
    BROKEN = "broken"
    """A lease that an operator broke, whose run is not imported."""
    UNIMPORTED = "unimported"
    """A run that ended by itself and left results that are not imported."""


@dataclass(frozen=True)
class Holder:
    """The run that stands in the way, as lease or run ref name it."""

    run: str
    operation: str
    runner: str
    deadline: Instant


@dataclass(frozen=True)
class Claim:
    """How an environment stands. `stale_runs` are run refs that a new holder deletes, as there is nothing in them."""

    standing: LeaseStanding
    holder: Holder | None = None
    stale_runs: tuple[str, ...] = ()

    @property
    def free(self) -> bool:
        """Whether the lease can be taken now."""
        return self.standing is LeaseStanding.FREE


def claim(lease: Lease | None, runs: Mapping[str, RunRef], now: Instant) -> Claim:
    """How an environment stands, given its lease and every run ref that was read with it."""
    landed = lease.run if lease and lease.state is LeaseState.LANDED else None
    left = {run: ref for run, ref in runs.items() if run != landed}
    broken = lease.run if lease and lease.state is LeaseState.BROKEN else None
    live = [_of_run(ref.record) for run, ref in left.items() if run != broken and is_live(ref.record, now)]
    if lease and lease.state is LeaseState.HELD and lease.deadline > now:
        live.insert(0, _of_lease(lease))
    if live:
        return Claim(LeaseStanding.HELD, live[0])
    if lease and lease.state is LeaseState.BROKEN:
        return Claim(LeaseStanding.BROKEN, _of_lease(lease))
    full = {run: ref for run, ref in left.items() if recorded(ref)}
    if lease and (lease.taken_over or lease.run in full):
        return Claim(_ended(full.get(lease.run)), _of_lease(lease))
    if full:
        oldest = full[min(full)]
        return Claim(_ended(oldest), _of_run(oldest.record))
    return Claim(LeaseStanding.FREE, stale_runs=tuple(sorted(runs)))


def is_live(run: Run, now: Instant) -> bool:
    """Whether a run's own record still holds the environment."""
    return run.state is RunState.RUNNING and run.deadline > now


def recorded(ref: RunRef) -> bool:
    """Whether a run left anything that a later run must import: a start, a new incarnation or a result."""
    return bool(ref.record.executing or ref.desired or ref.checkpoints)


def extended(deadline: Instant, wanted: Instant | None) -> Instant:
    """A deadline that never moves back."""
    return max(deadline, wanted) if wanted else deadline


def successor(lease: Lease, state: LeaseState) -> Lease:
    """The holder's own lease in its next state."""
    return replace(lease, state=state, executing=() if state is not LeaseState.HELD else lease.executing)


def _ended(ref: RunRef | None) -> LeaseStanding:
    finished = ref is not None and ref.record.state is RunState.FINISHED
    return LeaseStanding.UNIMPORTED if finished else LeaseStanding.EXPIRED


def _of_lease(lease: Lease) -> Holder:
    return Holder(lease.run, lease.operation, lease.runner, lease.deadline)


def _of_run(run: Run) -> Holder:
    return Holder(run.run, run.operation, run.runner, run.deadline)
