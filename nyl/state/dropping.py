"""Dropping what the local copy of a state holds and its remote lacks: `nyl state reset`."""

import json
from collections.abc import Iterator, Mapping, Sequence

from nyl.core import faults
from nyl.core.dataclass import dataclass
from nyl.core.ids import new_id
from nyl.git.config import Identity
from nyl.git.embedded import EmbeddedRemote
from nyl.git.updates import RefUpdate
from nyl.state.access import StateAccess
from nyl.state.local_refusals import drops_other_work
from nyl.state.local_work import LocalWork, check_ended, commits_beyond, local_work
from nyl.state.refusals import push_refused
from nyl.state.transitions import (
    ENVIRONMENT,
    EVALUATED_AT,
    LOCAL,
    OPERATION,
    RUNNER,
    VERSION,
    TransitionRecord,
    format_transition,
    parse_transition,
)
from nyl.state.writing import Committer

_DROPPED = "refs/nyl-dropped"
"""Below here lies what was dropped, so that it can still be looked at."""
_UNTOUCHED = frozenset({"current", "blocked", "held", "pending-teardown", "retained", "drifted", "awaiting-approval"})
"""Results of units that nothing was done to."""


@dataclass(frozen=True)
class ResetRequest:
    """Who drops local work, and why. `others` are environments whose work goes in the same invocation."""

    identity: Identity
    runner: str
    reason: str
    version: str
    others: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Dropped:
    """What went: commits of state refs, runs, and the units that either did something to. `kept` is a ref to it all."""

    kept: str | None = None
    commits: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    units: tuple[str, ...] = ()


def drop(access: StateAccess, local: StateAccess, request: ResetRequest) -> Dropped:
    """Removes local work in one transaction that also keeps it under a ref of its own. Asks the remote nothing.

    `access` is the remote's, `local` the local copy's. Raises NYL-LEASE-HELD while a run here may be alive,
    NYL-LEASE-BROKEN while the break of a lease here is not recorded, NYL-PUSH-REFUSED where a state ref is checked out,
    and NYL-STATE-IN-USE where other environments' work would go too.
    """
    known, here = access.seen.last(), EmbeddedRemote(access.repository)
    work = local_work(access, known)
    forgotten = [RefUpdate(ref, None, commit) for ref, commit in local.seen.memories().items()]
    check_ended(access.refs, work)
    if work.is_nothing:
        here.push(forgotten)
        return Dropped()
    local.check_movable()
    commits = commits_beyond(access.repository, work.ahead, known)
    records = [parse_transition(access.message(each)) for each in commits]
    _check_others(access, work, records, request)
    published = set(access.refs.state) - work.ahead.keys()
    going = {ref: commit for ref, commit in work.sighting.commits.items() if ref not in published}
    kept = f"{_DROPPED}/{access.refs.environment}/{new_id()}"
    made = RefUpdate(kept, _record(access, request, going), None)
    faults.point("before push of reset")
    result = here.push([made, *(RefUpdate(ref, None, commit) for ref, commit in going.items()), *forgotten])
    faults.point("after push of reset")
    if not result.accepted:
        raise push_refused(access.refs, result, local.remote.description)
    units = {*_touched(records), *_started(work)}
    return Dropped(kept, tuple(commits), tuple(sorted(work.runs)), tuple(sorted(units)))


def _check_others(
    access: StateAccess, work: LocalWork, records: Sequence[TransitionRecord], request: ResetRequest
) -> None:
    """On a ref that environments share, the work of one cannot go without that of the others."""
    named = {each.trailers[ENVIRONMENT] for each in records if ENVIRONMENT in each.trailers}
    others = named - {access.refs.environment} - request.others
    if others:
        raise drops_other_work(access.refs, tuple(work.ahead), tuple(sorted(others)))


def _record(access: StateAccess, request: ResetRequest, going: Mapping[str, str]) -> str:
    """A commit that leads to everything that goes, and says who dropped it and why."""
    now = access.clock.now()
    trailers = {
        OPERATION: "state-reset",
        ENVIRONMENT: access.refs.environment,
        RUNNER: request.runner,
        EVALUATED_AT: now.iso_seconds(),
        VERSION: request.version,
        LOCAL: "true",
    }
    message = format_transition(f"nyl: state reset {access.refs.environment}", {"reason": request.reason}, trailers)
    files = {"refs.json": (json.dumps(dict(sorted(going.items())), indent=2) + "\n").encode()}
    parents = tuple(dict.fromkeys(going.values()))
    (commit,) = access.writer.write([Committer(request.identity, now).spec(message, files, parents, from_nothing=True)])
    return commit


def _touched(records: Sequence[TransitionRecord]) -> Iterator[str]:
    for record in records:
        for unit, told in record.units.items():
            if isinstance(told, Mapping) and told.get("result") not in _UNTOUCHED:
                yield unit


def _started(work: LocalWork) -> Iterator[str]:
    for ref in work.runs.values():
        yield from (*ref.record.executing, *ref.checkpoints)
