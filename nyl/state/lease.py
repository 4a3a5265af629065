"""Who holds an environment: decisions over a lease, the run refs beside it, and the time. Nothing here does anything.

Deadlines compare with the wall clock, as they are written in documents that other machines read.
"""

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum

from nyl.core.clock import Instant
from nyl.core.dataclass import dataclass
from nyl.state.coordination_documents import Break, Lease, LeaseState, Run, RunState
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
    """How an environment stands.

    `stale_runs` are run refs that a new holder deletes, as there is nothing in them that is not in a transition.
    `dead_runs` are those that an importer takes over from.
    """

    standing: LeaseStanding
    holder: Holder | None = None
    stale_runs: tuple[str, ...] = ()
    dead_runs: tuple[str, ...] = ()

    @property
    def free(self) -> bool:
        """Whether any operation can take the lease now."""
        return self.standing is LeaseStanding.FREE

    @property
    def importable(self) -> bool:
        """Whether an operation that imports dead runs can take the lease now."""
        return self.standing is not LeaseStanding.HELD


def claim(
    lease: Lease | None, runs: Mapping[str, RunRef], now: Instant, signalled: frozenset[str] = frozenset()
) -> Claim:
    """How an environment stands, given its lease and every run ref that was read with it.

    `signalled` are runs that were sent holds which no transition has recorded. A broken lease ends every run beside
    it: whoever does not hold the lease has lost it.
    """
    landed = recorded_runs(lease, _commits(runs))
    left = {run: ref for run, ref in runs.items() if run not in landed}
    full = {run: ref for run, ref in left.items() if recorded(ref) or run in signalled}
    dead, stale = tuple(sorted(full)), tuple(sorted(runs.keys() - full.keys()))
    if lease and lease.state is LeaseState.BROKEN:
        return Claim(LeaseStanding.BROKEN, _of_broken(lease), stale, dead)
    live = _live_holder(lease, left, now)
    if live:
        return Claim(LeaseStanding.HELD, live)
    if lease and (lease.taken_over or lease.run in full):
        return Claim(_ended(full.get(lease.run)), _of_lease(lease), stale, dead)
    if full:
        oldest = full[min(full)]
        return Claim(_ended(oldest), holder_of(oldest.record), stale, dead)
    return Claim(LeaseStanding.FREE, stale_runs=stale)


def recorded_runs(lease: Lease | None, runs: Mapping[str, str]) -> frozenset[str]:
    """The runs whose results are in a transition: that of a landed lease, and those that it consumed as they were.

    `runs` are the run refs and the commits that they are at.
    """
    if lease is None or lease.state is not LeaseState.LANDED:
        return frozenset()
    consumed = {run for run, commit in lease.consumed.items() if runs.get(run) == commit}
    return frozenset(consumed | {lease.run})


def breaks_of(lease: Lease | None) -> tuple[Break, ...]:
    """Every break that no transition has recorded, oldest first: their runs are dead whatever their deadline."""
    if lease is None:
        return ()
    own = (lease.broken,) if lease.state is LeaseState.BROKEN and lease.broken else ()
    return (*lease.taken_over, *own)


def unrecorded_breaks(lease: Lease | None, runs: Mapping[str, RunRef]) -> tuple[Break, ...]:
    """Those breaks, and those that run refs keep of a lease that was let go without state, oldest first."""
    landed = recorded_runs(lease, _commits(runs))
    kept = (each for run, ref in runs.items() if run not in landed for each in ref.record.breaks)
    return tuple(sorted(dict.fromkeys((*kept, *breaks_of(lease))), key=lambda each: each.at))


def dead_runs(lease: Lease | None, runs: Mapping[str, RunRef], now: Instant) -> frozenset[str]:
    """The runs that no longer work: ended, past their deadline, or broken."""
    if lease and lease.state is LeaseState.BROKEN:
        return frozenset(runs)
    broken = {each.run for each in breaks_of(lease)}
    gone = broken | recorded_runs(lease, _commits(runs))
    return frozenset(run for run, ref in runs.items() if run in gone or not is_live(ref.record, now))


def is_live(run: Run, now: Instant) -> bool:
    """Whether a run's own record still holds the environment."""
    return run.state is RunState.RUNNING and run.deadline > now


def recorded(ref: RunRef) -> bool:
    """Whether a run left anything that a later run must import: a start, a new incarnation, a result or a break."""
    return bool(ref.record.executing or ref.desired or ref.checkpoints or ref.record.breaks)


def extended(deadline: Instant, wanted: Instant | None) -> Instant:
    """A deadline that never moves back."""
    return max(deadline, wanted) if wanted else deadline


def successor(lease: Lease, state: LeaseState) -> Lease:
    """The holder's own lease in its next state."""
    return replace(lease, state=state, executing=() if state is not LeaseState.HELD else lease.executing)


def put_back(lease: Lease, holder: Holder | None, nonce: str) -> Lease:
    """The broken lease that an importer took over, as it was: for one that ends without having recorded the break.

    `holder` is what the broken run's own record says, where there is one.
    """
    *earlier, last = lease.taken_over
    known = holder or _of_lease(lease)
    return replace(
        lease,
        run=last.run,
        operation=known.operation,
        runner=known.runner,
        deadline=known.deadline,
        nonce=nonce,
        state=LeaseState.BROKEN,
        executing=(),
        broken=last,
        taken_over=tuple(earlier),
    )


def holder_of(run: Run) -> Holder:
    """The holder that a run's own record names."""
    return Holder(run.run, run.operation, run.runner, run.deadline)


def _live_holder(lease: Lease | None, left: Mapping[str, RunRef], now: Instant) -> Holder | None:
    """Whoever may be alive; the lease's own run before others."""
    if lease and lease.state is LeaseState.HELD and lease.deadline > now:
        return _of_lease(lease)
    broken = {each.run for each in breaks_of(lease)}
    live = (ref.record for run, ref in left.items() if run not in broken and is_live(ref.record, now))
    return next((holder_of(each) for each in live), None)


def _commits(runs: Mapping[str, RunRef]) -> dict[str, str]:
    return {run: ref.commit for run, ref in runs.items()}


def _ended(ref: RunRef | None) -> LeaseStanding:
    finished = ref is not None and ref.record.state is RunState.FINISHED
    return LeaseStanding.UNIMPORTED if finished else LeaseStanding.EXPIRED


def _of_lease(lease: Lease) -> Holder:
    return Holder(lease.run, lease.operation, lease.runner, lease.deadline)


def _of_broken(lease: Lease) -> Holder:
    return replace(_of_lease(lease), run=lease.broken.run) if lease.broken else _of_lease(lease)
