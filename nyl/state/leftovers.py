"""What runs that are over left on the refs, and the next holder replaces or deletes by exact value as it takes over."""

from collections.abc import Iterable

from nyl.core.dataclass import dataclass
from nyl.git.updates import RefUpdate
from nyl.state.coordination import Sighting
from nyl.state.coordination_documents import Lease
from nyl.state.lease import Claim, recorded_runs
from nyl.state.refs import RunRefKind


@dataclass(frozen=True)
class Leftovers:
    """The lease that stands there, and what goes with it in one push."""

    commit: str | None = None
    """Where the lease ref is; None where there is no lease."""
    lease: Lease | None = None
    tidying: tuple[RefUpdate, ...] = ()
    """Refs of runs with nothing in them that is not in a transition."""


def leftovers(sighting: Sighting, lease: Lease | None, found: Claim, signalled: Iterable[str]) -> Leftovers:
    """What to replace and to delete. Runs of `signalled` keep their signals ref, as nobody applied its holds yet."""
    signals, kept = sighting.of_runs(RunRefKind.SIGNALS), set(signalled)
    runs = sighting.of_runs(RunRefKind.RUNS)
    stale = {run: runs[run] for run in found.stale_runs}
    retired = set(lease.retired) & recorded_runs(lease, stale) if lease else set()
    updates = [each for run, commit in stale.items() for each in gone(sighting, run, commit, run in retired)]
    heard = {run: signals[run] for run in (*stale, *(signals.keys() - runs.keys())) if run in signals}
    updates += [RefUpdate(sighting.refs.signals(run), None, commit) for run, commit in heard.items() if run not in kept]
    return Leftovers(sighting.lease, lease, tuple(updates))


def gone(sighting: Sighting, run: str, commit: str, retired: bool) -> list[RefUpdate]:
    """A run ref that goes; where it is retired, its commits stay on an evidence ref."""
    refs = sighting.refs
    kept = [RefUpdate(refs.evidence(run), commit, sighting.at(refs.evidence(run)))] if retired else []
    return [*kept, RefUpdate(refs.run(run), None, commit)]
