"""A holder's own refs: where they are, what they hold, and how they are found again after an answer was lost."""

from collections.abc import Mapping
from dataclasses import replace

from nyl.core.diagnostics import NylError
from nyl.git.updates import PushResult, RefStatus, RefUpdate
from nyl.state.access import StateAccess
from nyl.state.changes import Batch
from nyl.state.coordination import Sighting
from nyl.state.coordination_documents import Checkpoint, Lease, Run, RunState
from nyl.state.lease import extended
from nyl.state.lifecycles import Hold
from nyl.state.positions import Grant, Position
from nyl.state.refs import RunRefKind
from nyl.state.refusals import lease_lost
from nyl.state.run_places import place_of
from nyl.state.snapshot import StateSnapshot
from nyl.state.taking import RunRequest
from nyl.state.writing import Committer, batch_files

_SAVES = 3
"""How often a run that lost its lease tries to leave its results on its run ref."""


class OwnRefs:
    """The lease, run and signals refs of the run that holds an environment."""

    def __init__(self, access: StateAccess, request: RunRequest, grant: Grant, snapshot: StateSnapshot) -> None:
        signals = grant.sighting.of_runs(RunRefKind.SIGNALS).get(request.run)
        # What the run read is on its run ref as soon as it records anything.
        run = replace(
            grant.position.run,
            read_observed=snapshot.observed_commit,
            after=tuple(sorted(grant.runs)),
            location=place_of(access.refs.location),
        )
        self.position = replace(grant.position, run=run, signals_commit=signals)
        self.holds: dict[str, Hold] = dict(snapshot.holds)
        """Every hold that was sent to this run so far."""
        self.pending: dict[str, Checkpoint] = {}
        """Results that are on no ref yet."""
        self._access = access
        self._request = request
        self._attempts: dict[str, Position] = {}
        self._recorded = False

    @property
    def recorded(self) -> bool:
        """Whether the run has anything that a later run would have to import."""
        return self._recorded or bool(self.pending)

    @property
    def heard(self) -> dict[str, str]:
        """Where the own signals ref was read last: its holds are known."""
        at = self.position
        return {at.run.run: at.signals_commit} if at.signals_commit is not None else {}

    @property
    def committer(self) -> Committer:
        """Who commits, now."""
        return Committer(self._request.identity, self._access.clock.now())

    def push_batch(self, batch: Batch) -> tuple[Position, PushResult]:
        """One push of the pending results and of a batch's starts, to run ref and lease."""
        refs, before = self._access.refs, self.position
        run, lease = _advanced(before, self.pending, batch)
        files = batch_files(replace(batch, checkpoints=self.pending))
        lease_commit, run_commit = self._access.writer.write(
            [
                self.committer.lease(lease, (before.lease_commit,)),
                self.committer.run(run, files, (before.run_tip,)),
            ]
        )
        # Pushing the signals ref to where it is makes Git compare it: holds that arrived make the push fail. Absence
        # cannot be expected of a ref that is left alone, so one that somebody deleted is created again.
        signals = before.signals_commit or run_commit
        position = Position(lease, run, lease_commit, run_commit, run_commit, signals)
        self.attempt(position)
        updates = [
            RefUpdate(refs.lease, lease_commit, before.lease_commit),
            RefUpdate(refs.run(run.run), run_commit, before.run_commit),
            RefUpdate(refs.signals(run.run), signals, before.signals_commit),
        ]
        return position, self._access.push(updates, "checkpoints")

    def attempt(self, position: Position) -> None:
        """Remembers where a push would bring the own refs, in case its answer gets lost."""
        self._attempts[position.lease_commit] = position

    def adopt(self, position: Position, recorded: bool = True) -> None:
        """Takes a push as made; what was pending is recorded."""
        self.position = position
        self._recorded = self._recorded or recorded
        self.pending.clear()
        self._attempts.clear()

    def proves(self, result: PushResult) -> bool:
        """Whether an answer alone proves that a push was made: the lease moved to a commit that only we know."""
        return result.accepted and result.statuses.get(self._access.refs.lease) is RefStatus.MOVED

    def catch_up(self, sighting: Sighting) -> bool:
        """Takes note of where the own refs are; False when all are where they were known to be.

        Raises NYL-LEASE-LOST, after saving the results, when the lease is not the own one.
        """
        before = self.position
        self._find_lease(sighting)
        run_commit = sighting.at(self._access.refs.run(self._request.run))
        signals = sighting.of_runs(RunRefKind.SIGNALS).get(self._request.run)
        if signals != before.signals_commit:
            self.holds.update(self._access.holds(sighting, self._request.run))
        self.position = replace(self.position, run_commit=run_commit, signals_commit=signals)
        return self.position != before

    def finish(self) -> Position:
        """Writes the run's last commit, with all pending results, marked finished. It is not pushed yet."""
        before = self.position
        run = replace(_advanced(before, self.pending, Batch())[0], state=RunState.FINISHED)
        spec = self.committer.run(run, batch_files(Batch(self.pending)), (before.run_tip,))
        (run_tip,) = self._access.writer.write([spec])
        return replace(before, run=run, run_tip=run_tip)

    def lost(self, sighting: Sighting) -> Exception:
        """The error for a lease that is somebody else's, after the results were saved on the own run ref."""
        return lease_lost(self._access.refs, self._request.run, self._save(sighting))

    def _find_lease(self, sighting: Sighting) -> None:
        if sighting.lease == self.position.lease_commit:
            return
        own = self._attempts.get(sighting.lease or "")
        if own is None:
            raise self.lost(sighting)
        self.position = own
        self._recorded = True

    def _save(self, sighting: Sighting) -> bool:
        """Whether the results are on the run ref, marked finished. A ref that was imported is not brought back."""
        ref = self._access.refs.run(self._request.run)
        if not self.recorded:
            self._leave(ref, sighting)
        if not self.recorded or (sighting.at(ref) is None and not self.pending):
            return False
        at = self.position
        if not self.pending and at.run.state is RunState.FINISHED and sighting.at(ref) == at.run_tip:
            return True
        for _ in range(_SAVES):
            self._keep_breaks(sighting.at(ref))
            finished = self.finish()
            result = self._access.push([RefUpdate(ref, finished.run_tip, sighting.at(ref))], "saved results")
            if not result.accepted:
                sighting = self._access.look()
            if result.accepted or sighting.at(ref) == finished.run_tip:
                self.adopt(replace(finished, run_commit=finished.run_tip))
                return True
        return False

    def _keep_breaks(self, commit: str | None) -> None:
        """Takes the breaks into the own record that whoever let the broken lease go left on the own run ref."""
        if commit is None or commit == self.position.run_tip:
            return
        try:
            there = self._access.coordination.run(self._request.run, commit)
        except NylError:  # damaged by somebody: the results still have to go there
            return
        self.position = replace(self.position, run=replace(self.position.run, breaks=there.record.breaks))

    def _leave(self, ref: str, sighting: Sighting) -> None:
        """Deletes a run ref with nothing on it, which would hold the environment until its deadline."""
        commit, signals = sighting.at(ref), self._access.refs.signals(self._request.run)
        if commit is not None and commit == self.position.run_commit:
            heard = self.position.signals_commit
            beside = [RefUpdate(signals, None, heard)] if heard and sighting.at(signals) == heard else []
            self._access.push([RefUpdate(ref, None, commit), *beside], "withdrawal")


def _advanced(before: Position, checkpoints: Mapping[str, Checkpoint], batch: Batch) -> tuple[Run, Lease]:
    """Run and lease after a batch: what ended is no longer executing, what starts is, the deadline never moves back."""
    deadline = extended(before.lease.deadline, batch.deadline)
    ended = (set(checkpoints) | batch.withdrawn) - set(batch.starting)
    executing = {unit: key for unit, key in before.run.executing.items() if unit not in ended}
    executing.update({unit: document.execution_key for unit, document in batch.starting.items()})
    over = batch.withdrawn.union(batch.starting)
    approvals = {unit: each for unit, each in before.run.approvals.items() if unit not in over}
    approvals.update(batch.approvals)
    return (
        replace(before.run, executing=executing, deadline=deadline, approvals=approvals),
        replace(before.lease, executing=tuple(sorted(executing)), deadline=deadline),
    )
