"""A run that holds its lease: checkpoints, the transition commit, and the ways to end."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from nyl.core.diagnostics import NylError
from nyl.git.updates import PushResult, RefUpdate
from nyl.state.access import StateAccess
from nyl.state.backoff import Backoff
from nyl.state.changes import Batch, Landed, Transition
from nyl.state.coordination import Sighting
from nyl.state.documents import Checkpoint, Lease, LeaseState, Run
from nyl.state.landing import Landing, StateMoved
from nyl.state.lease import successor
from nyl.state.lifecycles import Hold
from nyl.state.own_refs import OwnRefs
from nyl.state.refusals import contended, push_refused
from nyl.state.snapshot import StateSnapshot
from nyl.state.taking import Grant, Position, RunRequest

_TRIES = 5
"""How often a push is built again because refs of this run moved."""
_LANDINGS = 40
"""How often a transition is built again because other environments moved a shared ref: with pauses, for a minute."""
_CONFIRMATIONS = 2
"""How often in a row a refusal that no other writer explains is tried again: one may have been at it just then."""


@dataclass(frozen=True)
class Released:
    """How letting go of the environment went.

    `late_holds` arrived after the run looked last; they stay on its signals ref for the next run. `trouble` is why
    refs were left behind, which hold nobody.
    """

    late_holds: Mapping[str, Hold] = field(default_factory=dict)
    trouble: NylError | None = None


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
        self._own = OwnRefs(access, request, grant, snapshot.holds)
        self._landed: Landed | None = None
        self._ended = False

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
            self._check_refusals(refusals, result)
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
        refusals, backoff = 0, Backoff(self._access.clock)
        for _ in range(_LANDINGS):
            position, result = self._push_landing(landing)
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

    def release(self) -> Released:
        """Deletes lease, own run ref and own signals ref: nothing of this run holds the environment any more.

        Raises NYL-LEASE-LOST, NYL-REMOTE-UNAVAILABLE or NYL-PUSH-REFUSED, except when a transition landed: then the
        lease holds nobody, and what is left behind is tidied by the next operation.
        """
        try:
            return self._end(self._own.position, None)
        except NylError as trouble:
            if self._landed is None:
                raise
            return Released(trouble=trouble)

    def cancel(self, batch: Batch | None = None) -> Released:
        """Ends a run without a transition: results so far, the run ref marked finished and the lease released, at once.

        Units that were started and have no result stay in the executing list, for the next run to find. A run that
        recorded nothing leaves nothing. Raises NYL-LEASE-LOST after saving the results.
        """
        own = self._own
        own.pending.update(batch.checkpoints if batch else {})
        if self._ended or not own.recorded:
            return self._end(own.position, None)
        finished = own.finish()
        return self._end(finished, finished.run_tip)

    def abandon(self) -> None:
        """Ends a run because of an error that is reported elsewhere; keeps results, if there are any."""
        try:
            self.cancel()
        except NylError:
            return

    def _push_landing(self, landing: Landing) -> tuple[Position, PushResult]:
        own, before = self._own, self._own.position
        lease = successor(before.lease, LeaseState.LANDED)
        lease_commit = landing.write(own.committer.lease(lease, (before.lease_commit,)))
        position = replace(before, lease=lease, lease_commit=lease_commit)
        own.attempt(position)
        lease_update = RefUpdate(self._access.refs.lease, lease_commit, before.lease_commit)
        return position, self._access.push([*landing.updates(), lease_update], "results")

    def _finish_landing(self, landing: Landing, position: Position) -> Landed:
        self._own.adopt(position, recorded=False)
        self._landed = landing.landed
        self._access.seen.remember(landing.tips)
        landing.remember()
        return self._landed

    def _follow(self, landing: Landing, sighting: Sighting) -> bool:
        try:
            return landing.follow(sighting)
        except StateMoved:
            self.snapshot = self._access.snapshot(sighting, self._request.run, self.snapshot.runs)
            raise

    def _check_refusals(self, refusals: int, result: PushResult) -> None:
        if refusals > _CONFIRMATIONS or (refusals and not result.answered):
            raise push_refused(self._access.refs, result, self._access.remote.description)

    def _check_landing_refusals(self, refusals: int, result: PushResult) -> None:
        try:
            self._check_refusals(refusals, result)
        except NylError:
            self.abandon()
            raise

    def _end(self, last: Position, run_commit: str | None) -> Released:
        """Deletes the lease; brings the run ref to its last commit, or deletes it too. Once is enough."""
        if self._ended:
            return Released()
        own, refs = self._own, self._access.refs
        seen, keep_signals = dict(own.holds), run_commit is not None and bool(own.holds)
        refusals = 0
        for _ in range(_TRIES):
            result = self._access.push(self._last_updates(run_commit, keep_signals), "release")
            if own.proves(result):
                break
            sighting = self._access.look()
            if sighting.lease is None and sighting.at(refs.run(last.run.run)) == run_commit:
                break
            if self._landed is not None and sighting.lease != own.position.lease_commit:
                break  # the next holder tidied
            refusals = 0 if own.catch_up(sighting) else refusals + 1
            keep_signals = keep_signals or own.holds != seen
            self._check_refusals(refusals, result)
        else:
            raise contended(refs, _TRIES)
        own.adopt(last)
        self._ended = True
        return Released({unit: hold for unit, hold in own.holds.items() if unit not in seen})

    def _last_updates(self, run_commit: str | None, keep_signals: bool) -> list[RefUpdate]:
        refs, at = self._access.refs, self._own.position
        updates = [RefUpdate(refs.lease, None, at.lease_commit)]
        if at.run_commit is not None or run_commit is not None:
            updates.append(RefUpdate(refs.run(at.run.run), run_commit, at.run_commit))
        if at.signals_commit is not None and not keep_signals:
            updates.append(RefUpdate(refs.signals(at.run.run), None, at.signals_commit))
        return updates
