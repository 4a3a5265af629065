"""Taking a lease: one push that assumes absence, then one fetch in which the own commit decides.

What the push reports is never believed: it can fail after the remote accepted it, and succeed in words when another
runner pushed the same object. A lease commit holds a random nonce, so finding the own commit on the ref proves
ownership, and not finding it disproves it.
"""

import random
from collections.abc import Callable, Sequence
from datetime import timedelta

from nyl.core.clock import Instant
from nyl.core.dataclass import dataclass
from nyl.core.ids import new_nonce
from nyl.git.config import Identity
from nyl.git.updates import PushResult, RefUpdate
from nyl.state.access import StateAccess
from nyl.state.backoff import Backoff
from nyl.state.coordination import Sighting
from nyl.state.coordination_documents import Break, Lease, LeaseState, Run, RunState
from nyl.state.lease import Claim, LeaseStanding, breaks_of, claim, dead_runs
from nyl.state.leftovers import Leftovers, leftovers
from nyl.state.lifecycles import Hold
from nyl.state.positions import Grant, Position
from nyl.state.refs import RunRefKind
from nyl.state.refusals import coordination_hidden, given_up, in_the_way, push_refused, wait_given_up
from nyl.state.snapshot import RunRef
from nyl.state.withdrawal import withdraw, withdraw_quietly
from nyl.state.writing import Committer

_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 10.0
_LOOK_UP = 0.2
"""Seconds within which a cancelled operation stops waiting."""
_CONFIRMATIONS = 1
"""How often in a row a refusal that no other writer explains is tried again: a run may have come and gone meanwhile."""
_OUTPACED_IN_A_ROW = 8
"""The same where Git itself saw another writer: then only a remote that shows refs at times is to blame."""


def _goes_on() -> bool:
    """Of an operation that nobody cancels."""
    return False


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
    given_up: Callable[[], bool] = _goes_on
    """Whether the operation was cancelled, so that it waits for the lease no longer."""

    def first_lease(self, environment: str, now: Instant, taken_over: tuple[Break, ...]) -> Lease:
        """The lease as it is taken."""
        return Lease(
            environment=environment,
            run=self.run,
            operation=self.operation,
            runner=self.runner,
            nonce=new_nonce(),
            state=LeaseState.HELD,
            taken_at=now,
            deadline=now + self.term,
            taken_over=taken_over,
        )

    def first_run(self, environment: str, now: Instant) -> Run:
        """The run's record before it did anything."""
        return Run(
            environment=environment,
            run=self.run,
            operation=self.operation,
            runner=self.runner,
            state=RunState.RUNNING,
            source_commit=self.source_commit,
            started_at=now,
            deadline=now + self.term,
        )


def take(access: StateAccess, request: RunRequest, wait: timedelta | None) -> Grant:
    """The lease of the environment, for this run. One that imports dead runs also gets it from those.

    Raises NYL-LEASE-HELD when another run holds it and `wait` is over or None, NYL-LEASE-BROKEN and
    NYL-RUN-UNIMPORTED when a run that ended is not imported, NYL-PUSH-REFUSED when the remote does not let leases be
    written or seen. Nothing of ours stays behind then.
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
        replaced = Leftovers()
        while True:
            if self._request.given_up():
                raise given_up(self._access.refs.environment, self._request.operation)
            position, updates = self._wanted(replaced)
            result, sighting = self._push(position, updates)
            if sighting.lease == position.lease_commit:
                grant = self._grant_or_withdraw(position, sighting, replaced)
                if grant is not None:
                    return grant
                replaced = self._once_takeable(self._access.look())
                continue
            self._withdraw_run(sighting, position)
            if result.accepted and sighting.lease is None:
                withdraw(self._access, self._committer, position, self._runs)
                raise coordination_hidden(self._access.refs)
            if sighting.lease == replaced.commit:
                self._count_refusal(result)
            else:
                self._refusals = 0
            replaced = self._once_takeable(sighting)

    @property
    def _committer(self) -> Committer:
        return Committer(self._request.identity, self._access.clock.now())

    def _push(self, position: Position, updates: Sequence[RefUpdate]) -> tuple[PushResult, Sighting]:
        """What the push said, and where everything is after it. Who cannot tell whether it was made takes nothing."""
        try:
            return self._access.push(updates, "lease"), self._access.look()
        except BaseException:
            withdraw_quietly(self._access, self._committer, position, self._runs)
            raise

    def _grant_or_withdraw(self, position: Position, sighting: Sighting, replaced: Leftovers) -> Grant | None:
        try:
            grant = self._grant(position, sighting, replaced)
        except BaseException:
            withdraw_quietly(self._access, self._committer, position, self._runs)
            raise
        if grant is None:
            withdraw(self._access, self._committer, position, self._runs)
        return grant

    def _grant(self, position: Position, sighting: Sighting, replaced: Leftovers) -> Grant | None:
        """The lease as granted, unless runs that others left without a lease stand in the way."""
        found, runs, holds = self._standing(sighting, replaced.lease)
        if not self._takeable(found):
            return None
        known = set(replaced.tidying)
        tidying = [each for each in leftovers(sighting, replaced.lease, found, holds).tidying if each not in known]
        if tidying:
            self._access.push(tidying, "tidying")
        return Grant(position, sighting, {run: runs[run] for run in found.dead_runs}, holds, replaced.lease)

    def _wanted(self, replaced: Leftovers) -> tuple[Position, list[RefUpdate]]:
        """Where our refs are to be, and the push that brings them there."""
        refs, request, now = self._access.refs, self._request, self._access.clock.now()
        lease = request.first_lease(refs.environment, now, breaks_of(replaced.lease))
        run = request.first_run(refs.environment, now)
        committer = Committer(request.identity, now)
        parents = (replaced.commit,) if replaced.commit else ()
        lease_commit, run_tip = self._access.writer.write(
            [committer.lease(lease, parents), committer.first_run(run, request.archive)]
        )
        updates = [RefUpdate(refs.lease, lease_commit, replaced.commit), *replaced.tidying]
        if request.keeps_run_ref:
            updates += [RefUpdate(ref, run_tip, None) for ref in (refs.run(request.run), refs.signals(request.run))]
        self._runs[request.run] = RunRef(run_tip, run)
        kept = run_tip if request.keeps_run_ref else None
        return Position(lease, run, lease_commit, run_tip, kept, kept), updates

    def _once_takeable(self, sighting: Sighting) -> Leftovers:
        """What to replace, as soon as nothing is in the way."""
        pause = _FIRST_PAUSE
        while True:
            lease = self._access.lease(sighting)
            found, _, holds = self._standing(sighting, lease)
            if self._takeable(found):
                return leftovers(sighting, lease, found, holds)
            left = self._until - self._access.clock.monotonic()
            if left <= 0:
                raise in_the_way(sighting, found)
            self._tell(found)
            self._pause(min(left, pause * random.uniform(0.75, 1.25)))
            pause = min(pause * 2, _LONGEST_PAUSE)
            sighting = self._access.look()

    def _pause(self, seconds: float) -> None:
        clock = self._access.clock
        until = clock.monotonic() + seconds
        while (left := until - clock.monotonic()) > 0:
            if self._request.given_up():
                raise wait_given_up(self._access.refs)
            clock.sleep(min(left, _LOOK_UP))

    def _standing(
        self, sighting: Sighting, lease: Lease | None
    ) -> tuple[Claim, dict[str, RunRef], dict[str, dict[str, Hold]]]:
        """How the environment stands beside a lease: the claim, the runs of others, and the holds nobody applied."""
        own, coordination, now = self._request.run, self._access.coordination, self._access.clock.now()
        self._runs = coordination.runs(sighting, self._runs)
        runs = {run: ref for run, ref in self._runs.items() if run != own}
        signals = {run: at for run, at in sighting.of_runs(RunRefKind.SIGNALS).items() if run != own}
        alive = runs.keys() - dead_runs(lease, runs, now)
        holds = coordination.unrecorded_holds(signals, lease, alive)
        return claim(lease, runs, now, frozenset(holds)), runs, holds

    def _takeable(self, found: Claim) -> bool:
        return found.importable if self._request.imports else found.free

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
            environment = self._access.refs.environment
            end = f"to release {environment}" if found.standing is LeaseStanding.HELD else "to be imported"
            who = f"run {holder.run} ({holder.operation}) by {holder.runner}"
            self._access.on_wait(f"waiting for {who} of {environment} {end}")

    def _withdraw_run(self, sighting: Sighting, position: Position) -> None:
        """Deletes the own refs that a remote kept although it refused the lease."""
        refs, commit = self._access.refs, position.run_commit
        own = [ref for ref in (refs.run(self._request.run), refs.signals(self._request.run)) if sighting.at(ref)]
        if own and commit is not None:
            self._access.push([RefUpdate(ref, None, commit) for ref in own], "withdrawal")
