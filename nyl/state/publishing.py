"""Bringing work from the local copy of a state to its remote: `nyl state publish`."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.git.ancestry import is_ancestor
from nyl.git.embedded import EmbeddedRemote
from nyl.git.updates import RefUpdate
from nyl.state.access import StateAccess
from nyl.state.coordination import Sighting
from nyl.state.coordination_documents import LeaseState
from nyl.state.lease import breaks_of
from nyl.state.local_refusals import remote_moved
from nyl.state.local_work import LocalWork, check_ended, commits_beyond, local_work
from nyl.state.refs import RunRefKind
from nyl.state.refusals import given_up, push_refused
from nyl.state.session import Session
from nyl.state.store import StateStore
from nyl.state.taking import RunRequest


@dataclass(frozen=True)
class Published:
    """What a remote got: where its state refs are now, the commits that were new to it, and runs to import."""

    tips: Mapping[str, str]
    commits: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()


def publish(online: StateStore, request: RunRequest, wait: timedelta | None) -> Published:
    """Pushes what the local copy holds to its remote, in one push, and removes it from the local copy.

    The remote's lease is held meanwhile, so that no run starts from what is about to change. What dead runs there left
    stays for the next run to import. Raises NYL-LEASE-HELD while a run is under way, here or there; NYL-LEASE-BROKEN
    when a run here must be imported first, or one there and there is nothing to publish; NYL-STATE-DIVERGED when the
    remote moved; what writing to a remote raises. Then nothing was written anywhere.
    """
    access = online.access
    work = local_work(access, access.seen.seen())
    check_ended(access.refs, work)
    if work.is_nothing:
        await_import(online, request, wait)
        return Published({})
    before = access.look()
    access.seen.check(before.commits)
    if all(before.at(ref) is None for ref in access.refs.state):
        published = _pushed(access, work, before)
    else:
        session = online.take(request, wait)
        try:
            if request.given_up():
                raise given_up(access.refs.environment, request.operation)
            published = _onto(access, session)
        finally:
            session.abandon()
    _forget(access, work.sighting)
    return published


def await_import(online: StateStore, request: RunRequest, wait: timedelta | None) -> None:
    """Raises NYL-LEASE-BROKEN while a break of the lease there is not recorded and `wait`, if given, is not over.

    Work that waits to be published goes first: while it does, nothing here may import what the dead run left.
    """
    access = online.access
    if breaks_of(access.lease(access.look())):
        online.take(replace(request, imports=False), wait).release()


def _onto(access: StateAccess, session: Session) -> Published:
    """The push onto a state whose lease is held, unless the remote has it all already."""
    snapshot, refs = session.snapshot, access.refs
    tips = {refs.desired: snapshot.desired_commit, refs.observed: snapshot.observed_commit}
    work = local_work(access, tips)
    moved = [ref for ref, commit in work.ahead.items() if not is_ancestor(access.repository, tips[ref], [commit])]
    if moved:
        raise remote_moved(refs, moved[0], tips[moved[0]], access.remote.description)
    return Published(tips) if work.is_nothing else _pushed(access, work, Sighting(refs, tips))


def _pushed(access: StateAccess, work: LocalWork, before: Sighting) -> Published:
    refs = access.refs
    check_ended(refs, work)
    runs = tuple(sorted(work.runs))
    updates = [
        *(RefUpdate(ref, commit, before.at(ref)) for ref, commit in work.ahead.items()),
        *_of_runs(work, runs),
    ]
    commits = tuple(commits_beyond(access.repository, work.ahead, before.commits))
    result = access.push(updates, "local work")
    tips = {**before.commits, **work.ahead}
    if not result.accepted:
        found = access.look()
        if any(found.at(each.ref) != each.new for each in updates):
            raise push_refused(refs, result, access.remote.description)
    access.seen.remember(work.ahead)
    return Published({ref: tips[ref] for ref in refs.state if ref in tips}, commits, runs)


def _of_runs(work: LocalWork, runs: tuple[str, ...]) -> list[RefUpdate]:
    """Run refs that must still be imported, the holds that were sent to them, and evidence refs."""
    sighting = work.sighting
    kinds = {
        RunRefKind.RUNS: frozenset(runs),
        RunRefKind.SIGNALS: frozenset(runs),
        RunRefKind.EVIDENCE: frozenset(sighting.of_runs(RunRefKind.EVIDENCE)),
    }
    found = ((sighting.refs.parse_run(ref), ref, commit) for ref, commit in sighting.commits.items())
    pushed = [RefUpdate(ref, commit, None) for parsed, ref, commit in found if parsed and parsed[1] in kinds[parsed[0]]]
    # A run that ended between its transition and its release left it to the next one to retire what it consumed.
    retired = work.lease.retired if work.lease and work.lease.state is LeaseState.LANDED else ()
    consumed = sighting.of_runs(RunRefKind.RUNS)
    return [
        *pushed,
        *(RefUpdate(sighting.refs.evidence(run), consumed[run], None) for run in retired if run in consumed),
    ]


def _forget(access: StateAccess, published: Sighting) -> None:
    """Removes the local copies of what the remote has now, unless something moved them or a working tree is there.

    Whatever stays is a copy of something published, and in nobody's way.
    """
    here = EmbeddedRemote(access.repository)
    busy = here.checked_out(access.refs.state)
    updates = [RefUpdate(ref, None, commit) for ref, commit in published.commits.items() if ref not in busy]
    try:
        here.push(updates)
    except NylError:
        return
