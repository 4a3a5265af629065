"""A run that holds its lease: checkpoints, the transition commit, and the ways to end."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta

from nyl.core.diagnostics import NylError
from nyl.git.updates import PushResult, RefUpdate
from nyl.state.access import StateAccess, merged
from nyl.state.backoff import Backoff
from nyl.state.changes import Batch, Consumption, Landed, Transition
from nyl.state.consumption import Consumed
from nyl.state.coordination import Sighting
from nyl.state.coordination_documents import Checkpoint, Lease, LeaseState, Run
from nyl.state.ending import Ending, Released
from nyl.state.landing import Landing, StateMoved
from nyl.state.lease import successor
from nyl.state.lifecycles import Hold
from nyl.state.own_refs import OwnRefs
from nyl.state.positions import Grant, Position
from nyl.state.refusals import contended
from nyl.state.snapshot import StateSnapshot
from nyl.state.taking import RunRequest, take
from nyl.state.withdrawal import withdraw_quietly
from nyl.state.writing import Committer

_TRIES = 5
"""How often a push is built again because refs of this run moved."""
_LANDINGS = 40
"""How often a transition is built again because other environments moved a shared ref: with pauses, for a minute."""


class Session:
    """The holder of an environment's lease. Used from one thread.

    After NYL-REMOTE-UNAVAILABLE the same call can be made again: results that were given once are kept, and a push
    that was made although its answer got lost is recognised.
    """

    def __init__(self, access: StateAccess, request: RunRequest, grant: Grant, snapshot: StateSnapshot) -> None:
        self.snapshot = snapshot
        """The state that decisions look at. `commit` replaces it when it raises StateMoved."""
        self._access = access
        self._request = request
        self._grant = grant
        self._own = OwnRefs(access, request, grant, snapshot)
        self._ending = Ending(access, self._own, grant)

    @property
    def run(self) -> Run:
        """The own record, as it was pushed last."""
        return self._own.position.run

    @property
    def lease(self) -> Lease:
        """The own lease, as it was pushed last. Past its deadline a run must start nothing."""
        return self._own.position.lease

    @property
    def unrecorded(self) -> frozenset[str]:
        """The units whose results were given and are on no ref."""
        return frozenset(self._own.pending)

    def checkpoint(self, batch: Batch) -> Mapping[str, Hold]:
        """Records results and starts in one push, and gives every hold that was sent to this run so far.

        Held units of `batch.starting` get no start record: the caller must not start them. One round trip, unless
        holds arrived since the last. Raises NYL-LEASE-LOST after saving the results on the own run ref,
        NYL-PUSH-REFUSED, NYL-REMOTE-UNAVAILABLE.
        """
        own = self._own
        own.pending.update(batch.checkpoints)
        refusals = 0
        for _ in range(_TRIES):
            starting = {unit: each for unit, each in batch.starting.items() if unit not in own.holds}
            position, result = own.push_batch(replace(batch, starting=starting))
            if own.proves(result):
                own.adopt(position)
                return dict(own.holds)
            sighting = self._access.look()
            moved = own.catch_up(sighting)
            if sighting.lease == position.lease_commit:
                own.adopt(own.position)
                return dict(own.holds)
            refusals = 0 if moved else refusals + 1
            self._access.check_refusals(refusals, result)
        raise contended(self._access.refs, _TRIES)

    def commit(
        self, transition: Transition, archive: tuple[str, ...] = (), results: Mapping[str, Checkpoint] | None = None
    ) -> Landed:
        """Writes the transition to the state refs, in one push that also moves the lease to `landed`.

        `archive` are commits that the history of the observed ref keeps. `results` are those that no checkpoint
        carried; they go to the run ref if the transition cannot land. Raises StateMoved when somebody else wrote
        what this environment reads, after reading it again into `snapshot`; NYL-LEASE-LOST; NYL-STATE-DIVERGED;
        NYL-PUSH-REFUSED after the run ref was marked finished and the lease released; NYL-STATE-CONTENDED.
        """
        self._own.pending.update(results or {})
        landing = Landing(self._access, self._own.committer, transition, self.snapshot, archive)
        before = self._ending.consumed
        self._ending.consumed = before | self._consumed(transition.consumes)
        try:
            return self._land(landing, self._push_landing)
        except StateMoved:
            self._ending.consumed = before
            raise

    def conclude(self, transition: Transition, archive: tuple[str, ...] = ()) -> Landed:
        """Writes the transition and lets go of everything, in one push. Without anything to write it only lets go.

        For operations without a run ref. Raises what `commit` and `release` raise.
        """
        if transition.empty:
            self.release(transition.consumes)
            return Landed(None, None)
        landing = Landing(self._access, self._own.committer, transition, self.snapshot, archive)
        self._ending.consumed = self._consumed(transition.consumes)
        landed = self._land(landing, self._push_conclusion)
        self._ending.done = True
        return landed

    def release(self, consumes: Consumption | None = None) -> Released:
        """Lets go of the environment: lease, own run and signals refs go, and the refs of dead runs that are consumed.

        `consumes` is for whoever has nothing to write; a transition names its own. A broken lease that was
        taken over and is in no transition comes back. See `Released` for holds that arrive meanwhile: `snapshot` is
        read again then. Raises NYL-LEASE-LOST, NYL-REMOTE-UNAVAILABLE or NYL-PUSH-REFUSED, except when a transition
        landed: then the lease holds nobody, and what is left behind is tidied by the next operation.
        """
        ending = self._ending
        if ending.done:
            return Released()
        if not ending.landed and not self.lease.taken_over:
            ending.consumed = self._consumed(consumes or Consumption())
        try:
            released = ending.leave()
            if not released.ended:
                self.snapshot = self._reading(self._access.look())
            return released
        except NylError as trouble:
            if not ending.landed:
                raise
            return Released(trouble=trouble)

    def cancel(self, batch: Batch | None = None) -> Released:
        """Ends a run without a transition: results so far, the run ref marked finished and the lease released, at once.

        Units that were started and have no result stay in the executing list, for the next run to find, and so do
        holds. A run that recorded nothing leaves nothing. Raises NYL-LEASE-LOST after saving the results.
        """
        own, ending = self._own, self._ending
        own.pending.update(batch.checkpoints if batch else {})
        if ending.done:
            return Released()
        if ending.landed:
            return ending.abandon()
        ending.consumed = Consumed()
        if not (own.recorded or own.holds) and ending.leave().ended:
            return Released()
        return ending.finish()

    def abandon(self) -> None:
        """Ends a run because of an error that is reported elsewhere; keeps results, if there are any."""
        try:
            self.cancel()
        except NylError:
            return

    def _land(self, landing: Landing, push: "_Push") -> Landed:
        """Pushes until the transition is on the state refs, however often others write meanwhile."""
        sighting, refusals, backoff = self._grant.sighting, 0, Backoff(self._access.clock)
        for _ in range(_LANDINGS):
            position, result = push(landing, sighting)
            if self._own.proves(result):
                return self._finish_landing(landing, position)
            sighting = self._access.look()
            if landing.reached(sighting):
                return self._finish_landing(landing, position)
            caught_up = self._own.catch_up(sighting)
            refusals = 0 if self._follow(landing, sighting) or caught_up else refusals + 1
            self._check_landing_refusals(refusals, result)
            backoff.pause()
        raise contended(self._access.refs, _LANDINGS)

    def _push_landing(self, landing: Landing, sighting: Sighting) -> tuple[Position, PushResult]:
        own, before = self._own, self._own.position
        consumed = self._ending.consumed
        lease = replace(
            successor(before.lease, LeaseState.LANDED),
            taken_over=(),
            consumed=consumed.runs,
            retired=tuple(sorted(consumed.retired)),
            heard={**consumed.signals, **own.heard},
        )
        (lease_commit,) = landing.write(own.committer.lease(lease, (before.lease_commit,)))
        position = replace(before, lease=lease, lease_commit=lease_commit)
        own.attempt(position)
        lease_update = RefUpdate(self._access.refs.lease, lease_commit, before.lease_commit)
        return position, self._access.push([*landing.updates(), lease_update], "results")

    def _push_conclusion(self, landing: Landing, sighting: Sighting) -> tuple[Position, PushResult]:
        landing.write()
        at, refs = self._own.position, self._access.refs
        mine = [RefUpdate(refs.lease, None, at.lease_commit)]
        if at.run_commit is not None:
            mine.append(RefUpdate(refs.run(at.run.run), None, at.run_commit))
        updates = [*landing.updates(), *mine, *self._ending.consumed.updates(sighting)]
        return at, self._access.push(updates, "conclusion")

    def _finish_landing(self, landing: Landing, position: Position) -> Landed:
        self._own.adopt(position, recorded=False)
        self._ending.landed = True
        self._ending.told = dict(self._own.holds)
        self._access.seen.remember(landing.tips)
        landing.remember()
        return landing.landed

    def _consumed(self, consumption: Consumption) -> Consumed:
        """What goes. Holds that were sent to runs which left nothing else go with what an importer does alone."""
        grant = self._grant if self._request.imports else replace(self._grant, holds={})
        return Consumed.of(grant, consumption)

    def _follow(self, landing: Landing, sighting: Sighting) -> bool:
        try:
            return landing.follow(sighting)
        except StateMoved:
            self.snapshot = self._reading(sighting)
            raise

    def _reading(self, sighting: Sighting) -> StateSnapshot:
        """The state as it is now. Of dead runs it is what was found when the lease was taken that is imported."""
        return snapshot_of(self._access, replace(self._grant, position=self._own.position), sighting)

    def _check_landing_refusals(self, refusals: int, result: PushResult) -> None:
        try:
            self._access.check_refusals(refusals, result)
        except NylError:
            self.abandon()
            raise


_Push = Callable[[Landing, Sighting], tuple[Position, PushResult]]


def open_session(access: StateAccess, request: RunRequest, wait: timedelta | None) -> Session:
    """The lease, and the state as it was read while the lease was held. Raises what taking and reading raise."""
    grant = take(access, request, wait)
    try:
        return Session(access, request, grant, snapshot_of(access, grant, grant.sighting))
    except BaseException:
        committer = Committer(request.identity, access.clock.now())
        withdraw_quietly(access, committer, grant.position, grant.runs)
        raise


def snapshot_of(access: StateAccess, grant: Grant, sighting: Sighting) -> StateSnapshot:
    """The state at what one fetch found, as the holder of a lease looks at it."""
    return replace(
        access.state(sighting),
        lease=grant.position.lease,
        lease_commit=grant.position.lease_commit,
        runs=grant.runs,
        holds=access.holds(sighting, grant.position.run.run),
        dead_holds=merged(grant.holds),
    )
