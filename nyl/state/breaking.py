"""Declaring the holder of an environment gone (`nyl lease break`), and letting its lease go without any state."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

from nyl.core.clock import Instant
from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.core.ids import new_nonce
from nyl.git.config import Identity
from nyl.git.updates import RefStatus, RefUpdate
from nyl.state.access import StateAccess
from nyl.state.coordination_documents import Break, Lease, LeaseState, Run, RunState
from nyl.state.lease import breaks_of, dead_runs, is_live, successor
from nyl.state.positions import Grant
from nyl.state.refs import StateRefs
from nyl.state.refusals import contended, push_refused
from nyl.state.snapshot import RunRef
from nyl.state.taking import RunRequest, take
from nyl.state.withdrawal import withdraw_quietly
from nyl.state.writing import Committer

_TRIES = 5
"""How often a break is made again because the lease moved meanwhile."""


def break_lease(access: StateAccess, identity: Identity, reason: str) -> Lease | None:
    """Breaks the lease of whoever holds the environment, by its exact value; gives the broken lease.

    None when nobody holds it. Two round trips. Raises NYL-LEASE-UNBREAKABLE when it was broken already.
    """
    refs, sighting, refusals = access.refs, access.look(), 0
    for _ in range(_TRIES):
        now, commit = access.clock.now(), sighting.lease
        lease = access.coordination.lease(commit) if commit else None
        holder = held_lease(refs, lease, access.coordination.runs(sighting, {}), now)
        if holder is None:
            return None
        broken = _broken(holder, lease, Break(holder.run, str(identity), now, reason))
        spec = Committer(identity, now).lease(broken, (commit,) if commit else ())
        (broken_commit,) = access.writer.write([spec])
        result = access.push([RefUpdate(refs.lease, broken_commit, commit)], "break")
        if result.accepted and result.statuses.get(refs.lease) is RefStatus.MOVED:
            return broken
        sighting = access.look()
        if sighting.lease == broken_commit:
            return broken
        refusals = 0 if sighting.lease != commit else refusals + 1
        access.check_refusals(refusals, result)
    raise contended(refs, _TRIES)


def held_lease(refs: StateRefs, lease: Lease | None, runs: Mapping[str, RunRef], now: Instant) -> Lease | None:
    """The lease to break: that of the holder, or one made up for a live run whose lease is gone.

    None when nobody holds the environment. Raises NYL-LEASE-UNBREAKABLE for a lease that was broken already.
    """
    if lease is not None and lease.state is LeaseState.HELD:
        return lease
    if lease is not None and lease.broken is not None:
        raise _broken_already(refs, lease.broken)
    live = runs.keys() - dead_runs(lease, runs, now)
    if not live:
        return None
    record = runs[max(live)].record
    return Lease(
        environment=refs.environment,
        run=record.run,
        operation=record.operation,
        runner=record.runner,
        nonce=new_nonce(),
        state=LeaseState.HELD,
        taken_at=record.started_at,
        deadline=record.deadline,
    )


def release_broken(access: StateAccess, request: RunRequest, wait: timedelta | None) -> tuple[str, ...]:
    """Deletes a broken lease without importing its run, as there is no state to import it to; run refs stay.

    The refs of the runs that it ended get a deadline that is over, and the newest of them keeps the breaks; where none
    is left, one begins that keeps them. Gives the runs whose refs stay; none where no lease was broken. Raises what
    taking a lease raises, and NYL-PUSH-REFUSED where the remote does not let the lease go: it is broken again then.
    """
    grant = take(access, request, wait)
    now, lease = access.clock.now(), grant.position.lease
    committer = Committer(request.identity, now)
    if not lease.taken_over:
        withdraw_quietly(access, committer, grant.position, grant.runs)
        return ()
    ended, before = _ended(grant, now), {run: ref.commit for run, ref in grant.runs.items()}
    over = [committer.run(record, {}, (before[run],) if run in before else ()) for run, record in ended.items()]
    ends = [
        RefUpdate(access.refs.run(run), commit, before.get(run))
        for run, commit in zip(ended, access.writer.write(over), strict=True)
    ]
    released = RefUpdate(access.refs.lease, None, grant.position.lease_commit)
    if not access.push([released, *ends], "release").accepted:  # a run that is alive after all moved its ref
        result = access.push([released], "release")
        if not result.accepted and access.look().lease == grant.position.lease_commit:
            withdraw_quietly(access, committer, grant.position, grant.runs)
            raise push_refused(access.refs, result, access.remote.description)
    return tuple(sorted({*ended, *grant.runs}))


def _ended(grant: Grant, now: Instant) -> dict[str, Run]:
    """What becomes of the records of the runs that a break ended, by run. One of them keeps the breaks."""
    lease, found = grant.position.lease, grant.runs
    ended = {run: replace(ref.record, deadline=now) for run, ref in found.items() if is_live(ref.record, now)}
    newest = max(found, default=None)
    record = _without_ref(grant, now) if newest is None else ended.get(newest, found[newest].record)
    return {**ended, record.run: replace(record, breaks=(*record.breaks, *lease.taken_over))}


def _without_ref(grant: Grant, now: Instant) -> Run:
    """A record for the run that the lease was broken of and that left none, as its lease tells of it."""
    held = grant.replaced or grant.position.lease
    return replace(
        grant.position.run,
        run=held.run,
        operation=held.operation,
        runner=held.runner,
        state=RunState.FINISHED,
        started_at=held.taken_at,
        deadline=now,
    )


def _broken(holder: Lease, before: Lease | None, made: Break) -> Lease:
    """The holder's lease, broken; earlier breaks that no transition recorded yet stay known."""
    earlier = tuple(each for each in breaks_of(before) if each.run != made.run)
    return replace(successor(holder, LeaseState.BROKEN), nonce=new_nonce(), broken=made, taken_over=earlier)


def _broken_already(refs: StateRefs, broken: Break) -> NylError:
    environment = refs.environment
    return NylError(
        Code.LEASE_UNBREAKABLE,
        f"The lease of {environment} was broken already, by {broken.by}, and run {broken.run} is not imported yet.",
        f"run `nyl recover -e {environment}` to import it, or `nyl reconcile -e {environment}`",
        environment=environment,
    )
