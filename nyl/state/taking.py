"""Taking a lease: one push that assumes absence, then one fetch in which the own commit decides.

What the push reports is never believed: it can fail after the remote accepted it, and succeed in words when another
runner pushed the same object. A lease commit holds a random nonce, so finding the own commit on the ref proves
ownership, and not finding it disproves it.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from nyl.core.clock import Instant
from nyl.core.diagnostics import NylError
from nyl.core.ids import new_nonce
from nyl.git.config import Identity
from nyl.git.updates import PushResult, RefUpdate
from nyl.state.access import StateAccess
from nyl.state.backoff import Backoff
from nyl.state.coordination import Sighting
from nyl.state.documents import Lease, LeaseState, Run, RunState
from nyl.state.lease import Claim, claim
from nyl.state.refs import RunRefKind, StateRefs
from nyl.state.refusals import coordination_hidden, in_the_way, push_refused
from nyl.state.snapshot import RunRef
from nyl.state.writing import Committer

_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 10.0
_CONFIRMATIONS = 1
"""How often in a row a refusal that no other writer explains is tried again: a run may have come and gone meanwhile."""
_OUTPACED_IN_A_ROW = 8
"""The same where Git itself saw another writer: then only a remote that shows refs at times is to blame."""


@dataclass(frozen=True)
class RunRequest:
    """Who wants to hold an environment. `term` is how long the first phase may take, grace included."""

    run: str
    operation: str
    runner: str
    identity: Identity
    source_commit: str
    term: timedelta
    archive: tuple[str, ...] = ()
    """Commits that the history of the run and of the observed ref keeps, such as a worktree snapshot."""
    imports: bool = False
    """Whether the operation imports what dead runs left: only such a one takes over an expired or broken lease."""
    keeps_run_ref: bool = True
    """Whether the operation runs units, so that what they do must be found on a run ref of its own."""


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


@dataclass(frozen=True)
class _Replaced:
    """What stands on the refs and is replaced or deleted by exact value."""

    lease: str | None = None
    stale: Mapping[str, str] = field(default_factory=dict)
    """Refs of runs that left nothing, and the commits they must still be at."""


def take(access: StateAccess, request: RunRequest, wait: timedelta | None) -> Grant:
    """The lease of the environment, for this run.

    Raises NYL-LEASE-HELD when another run holds it and `wait` is over or None, NYL-RUN-UNIMPORTED when a run that
    ended left results, NYL-PUSH-REFUSED when the remote does not let leases be written or seen. Nothing of ours
    stays behind then.
    """
    return _Taking(access, request, wait).run()


class _Taking:
    def __init__(self, access: StateAccess, request: RunRequest, wait: timedelta | None) -> None:
        self._access = access
        self._request = request
        self._until = access.clock.monotonic() + (wait.total_seconds() if wait else 0.0)
        self._runs: dict[str, RunRef] = {}
        self._refusals = 0
        self._backoff = Backoff(access.clock)

    def run(self) -> Grant:
        replaced = _Replaced()
        while True:
            position, result = self._push(replaced)
            sighting = self._look_after(position)
            if sighting.lease == position.lease_commit:
                grant = self._grant_or_withdraw(position, sighting)
                if grant is not None:
                    return grant
                replaced = self._once_free(self._access.look())
                continue
            self._withdraw_run(sighting, position)
            if result.accepted and sighting.lease is None:
                self._withdraw(position)
                raise coordination_hidden(self._access.refs)
            if sighting.lease == replaced.lease:
                self._count_refusal(result)
            else:
                self._refusals = 0
            replaced = self._once_free(sighting)

    def _look_after(self, position: Position) -> Sighting:
        """Where everything is after a push that may have been made: who cannot tell takes nothing."""
        try:
            return self._access.look()
        except BaseException:
            release_quietly(self._access, position)
            raise

    def _grant_or_withdraw(self, position: Position, sighting: Sighting) -> Grant | None:
        try:
            grant = self._grant(position, sighting)
        except BaseException:
            release_quietly(self._access, position)
            raise
        if grant is None:
            self._withdraw(position)
        return grant

    def _grant(self, position: Position, sighting: Sighting) -> Grant | None:
        """The lease as granted, unless runs that others left without a lease stand in the way."""
        known = {**self._runs, self._request.run: RunRef(position.run_tip, position.run)}
        runs = self._access.coordination.runs(sighting, known)
        others = {run: ref for run, ref in runs.items() if run != self._request.run}
        found = claim(None, others, self._access.clock.now())
        if not found.free:
            return None
        stale = _replaced(sighting, found).stale
        if stale:
            self._access.push([RefUpdate(ref, None, commit) for ref, commit in stale.items()], "tidying")
        return Grant(position, sighting, {run: ref for run, ref in runs.items() if run not in found.stale_runs})

    def _push(self, replaced: _Replaced) -> tuple[Position, PushResult]:
        refs, request, now = self._access.refs, self._request, self._access.clock.now()
        deadline = now + request.term
        lease = _first_lease(refs, request, now, deadline)
        run = _first_run(refs, request, now, deadline)
        committer = Committer(request.identity, now)
        parents = (replaced.lease,) if replaced.lease else ()
        lease_commit, run_commit = self._access.writer.write(
            [committer.lease(lease, parents), committer.first_run(run, request.archive)]
        )
        updates = [
            RefUpdate(refs.lease, lease_commit, replaced.lease),
            RefUpdate(refs.run(request.run), run_commit, None),
            *(RefUpdate(ref, None, commit) for ref, commit in replaced.stale.items()),
        ]
        result = self._access.push(updates, "lease")
        return Position(lease, run, lease_commit, run_commit, run_commit), result

    def _once_free(self, sighting: Sighting) -> _Replaced:
        """What to replace, as soon as nothing is in the way."""
        pause = _FIRST_PAUSE
        while True:
            found = self._claim(sighting)
            if found.free:
                return _replaced(sighting, found)
            left = self._until - self._access.clock.monotonic()
            if left <= 0:
                raise in_the_way(self._access.refs, found)
            self._tell(found)
            self._access.clock.sleep(min(left, pause * random.uniform(0.75, 1.25)))
            pause = min(pause * 2, _LONGEST_PAUSE)
            sighting = self._access.look()

    def _claim(self, sighting: Sighting) -> Claim:
        coordination = self._access.coordination
        lease = coordination.lease(sighting.lease) if sighting.lease else None
        self._runs = coordination.runs(sighting, self._runs)
        return claim(lease, self._runs, self._access.clock.now())

    def _count_refusal(self, result: PushResult) -> None:
        """A push that failed although nobody else wrote was refused by a rule, at the latest the second time."""
        most = _OUTPACED_IN_A_ROW if result.outpaced else _CONFIRMATIONS
        if self._refusals >= most or not result.answered:
            raise push_refused(self._access.refs, result, self._access.remote.description)
        self._refusals += 1
        self._backoff.pause()

    def _tell(self, found: Claim) -> None:
        if found.holder is not None:
            holder = found.holder
            self._access.on_wait(
                f"waiting for run {holder.run} ({holder.operation}) by {holder.runner} "
                f"to release {self._access.refs.environment}"
            )

    def _withdraw(self, position: Position) -> None:
        refs = self._access.refs
        mine = [
            RefUpdate(refs.lease, None, position.lease_commit),
            RefUpdate(refs.run(self._request.run), None, position.run_commit),
        ]
        self._access.push(mine, "withdrawal")

    def _withdraw_run(self, sighting: Sighting, position: Position) -> None:
        """Deletes the own run ref where a remote kept it although it refused the lease."""
        ref = self._access.refs.run(self._request.run)
        if sighting.at(ref) == position.run_commit:
            self._access.push([RefUpdate(ref, None, position.run_commit)], "withdrawal")


def _replaced(sighting: Sighting, found: Claim) -> _Replaced:
    runs, signals = sighting.of_runs(RunRefKind.RUNS), sighting.of_runs(RunRefKind.SIGNALS)
    refs = sighting.refs
    stale = {refs.run(run): runs[run] for run in found.stale_runs}
    stale.update({refs.signals(run): signals[run] for run in found.stale_runs if run in signals})
    return _Replaced(sighting.lease, stale)


def _first_lease(refs: StateRefs, request: RunRequest, now: Instant, deadline: Instant) -> Lease:
    return Lease(
        environment=refs.environment,
        run=request.run,
        operation=request.operation,
        runner=request.runner,
        nonce=new_nonce(),
        state=LeaseState.HELD,
        taken_at=now,
        deadline=deadline,
    )


def _first_run(refs: StateRefs, request: RunRequest, now: Instant, deadline: Instant) -> Run:
    return Run(
        environment=refs.environment,
        run=request.run,
        operation=request.operation,
        runner=request.runner,
        state=RunState.RUNNING,
        source_commit=request.source_commit,
        started_at=now,
        deadline=deadline,
    )


def release_quietly(access: StateAccess, position: Position) -> None:
    """Deletes the own refs of a run that does not go on because of another error, which is the one to report."""
    refs = access.refs
    updates = [
        RefUpdate(refs.lease, None, position.lease_commit),
        RefUpdate(refs.run(position.run.run), None, position.run_commit),
    ]
    try:
        access.push(updates, "withdrawal")
    except NylError:
        return
