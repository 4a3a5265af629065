"""Where the refs of a holder are, and what it found when it became one."""

from collections.abc import Mapping
from dataclasses import field

from nyl.core.dataclass import dataclass
from nyl.state.coordination import Sighting
from nyl.state.coordination_documents import Lease, Run
from nyl.state.lifecycles import Hold
from nyl.state.snapshot import RunRef


@dataclass(frozen=True)
class Position:
    """Where a run's own refs are after one of its pushes. None where a ref is absent."""

    lease: Lease
    run: Run
    lease_commit: str
    run_tip: str
    """The last own commit of the run, which the next continues, even where the ref is gone."""
    run_commit: str | None
    signals_commit: str | None = None


@dataclass(frozen=True)
class Grant:
    """A lease that is ours, and what the fetch that proved it found."""

    position: Position
    sighting: Sighting
    runs: Mapping[str, RunRef]
    """The dead runs that left something."""
    holds: Mapping[str, Mapping[str, Hold]] = field(default_factory=dict)
    """Run -> holds that were sent to it and that nobody applied, for every run that is over."""
    replaced: Lease | None = None
    """The lease that stood there before."""
