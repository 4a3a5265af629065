"""Creating an environment's state: `nyl state init`."""

from collections.abc import Callable

from nyl.core.clock import Instant
from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.core.ids import new_nonce
from nyl.git.config import Identity
from nyl.git.updates import RefUpdate
from nyl.state import codec
from nyl.state.access import StateAccess
from nyl.state.backoff import Backoff
from nyl.state.coordination import Sighting
from nyl.state.documents import Data, StateRecord
from nyl.state.history import transitions
from nyl.state.refs import StateRefs
from nyl.state.refusals import contended
from nyl.state.run_places import place_of
from nyl.state.transitions import (
    ENVIRONMENT,
    EVALUATED_AT,
    LOCAL,
    OPERATION,
    RUN_ID,
    RUNNER,
    VERSION,
    format_transition,
)
from nyl.state.writing import Committer, FileChanges

DELETION = "state-delete"
"""The operation of the transition that ends a state."""

_TRIES = 40
"""How often in a row others may be quicker on a shared ref: with pauses, for a minute."""


@dataclass(frozen=True)
class Founder:
    """Who creates a state: the author of its first commit, the runner and the version of nyl that it names."""

    identity: Identity
    runner: str
    version: str


def initialize(access: StateAccess, founder: Founder) -> StateRecord:
    """Writes state.yaml: as the common first commit of both state refs, or on top of refs that exist already.

    Raises NYL-STATE-EXISTS when the environment's state is there, or a ref holds something that is no nyl state;
    NYL-LEASE-HELD and NYL-LEASE-BROKEN where a run of an earlier state has the lease, or had it.
    """
    return _begin(access, founder, check_free, lambda _now: ())


def initialize_anew(access: StateAccess, founder: Founder) -> StateRecord:
    """Writes state.yaml on top of the history of a state that was deleted or moved away; nothing of it is read again.

    Raises NYL-STATE-EXISTS when the environment's state is still there, or a ref holds something that is no nyl state;
    NYL-LEASE-HELD and NYL-LEASE-BROKEN where a run of an earlier state has the lease, or had it.
    """

    def events(now: Instant) -> tuple[Data, ...]:
        return ({"event": "fresh", "at": now.iso(), "by": str(founder.identity)},)

    return _begin(access, founder, _check_ended, events)


def _begin(
    access: StateAccess,
    founder: Founder,
    check: Callable[[StateAccess, Sighting], None],
    events: Callable[[Instant], tuple[Data, ...]],
) -> StateRecord:
    sighting = access.look()
    refusals, backoff = 0, Backoff(access.clock)
    for _ in range(_TRIES):
        check(access, sighting)
        access.check_unclaimed(sighting)
        now = access.clock.now()
        record = StateRecord(access.refs.environment, now, str(founder.identity), described(access), events(now))
        commits = _write(access, sighting, founder, record)
        updates = [RefUpdate(ref, commit, sighting.at(ref)) for ref, commit in commits.items()]
        result = access.push(updates, "state")
        if result.accepted:
            access.seen.remember(commits)
            return record
        before, sighting = sighting, access.look()
        if all(sighting.at(ref) == commit for ref, commit in commits.items()):
            access.seen.remember(commits)
            return record
        moved = any(sighting.at(ref) != before.at(ref) for ref in access.refs.state)
        refusals = 0 if moved else refusals + 1
        access.check_refusals(refusals, result)
        backoff.pause()
    raise contended(access.refs, _TRIES)


def _write(access: StateAccess, sighting: Sighting, founder: Founder, record: StateRecord) -> dict[str, str]:
    now, refs = record.initialized_at, access.refs
    trailers = {
        OPERATION: "state-init",
        # The random id tells the commits of two inits of the same second apart.
        RUN_ID: new_nonce(),
        ENVIRONMENT: refs.environment,
        RUNNER: founder.runner,
        EVALUATED_AT: now.iso_seconds(),
        VERSION: founder.version,
        **({LOCAL: "true"} if access.is_local else {}),
    }
    message = format_transition(f"nyl: state init {refs.environment}", {}, trailers)
    committer = Committer(founder.identity, now)
    parents = list(dict.fromkeys(sighting.at(ref) for ref in refs.state))
    specs = [
        committer.spec(message, _first_files(access, record, parent), (parent,) if parent else ()) for parent in parents
    ]
    by_parent = dict(zip(parents, access.writer.write(specs), strict=True))
    return {ref: by_parent[sighting.at(ref)] for ref in refs.state}


def _first_files(access: StateAccess, record: StateRecord, parent: str | None) -> FileChanges:
    """The only file of a state that begins: whatever the parent has of an earlier one goes."""
    earlier = filter(access.paths.owns, access.documents.tree(parent)) if parent else ()
    return {**dict.fromkeys(earlier), access.paths.state: codec.encode(codec.STATE_RECORD, record)}


def check_free(access: StateAccess, sighting: Sighting) -> None:
    """Raises NYL-STATE-EXISTS where a state of the environment, or anything else, is in the way of a new one."""
    refs, paths = access.refs, access.paths
    present = {ref: commit for ref in refs.state if (commit := sighting.at(ref)) is not None}
    for ref, commit in present.items():
        if access.documents.find(commit, paths.state) is not None:
            raise _exists(refs, f"is initialised already on {ref} of {access.remote.description}")
        if ended(access, commit):
            raise _ended_before(refs, ref, access.remote.description)
        if not access.documents.holds_state(commit):
            raise NylError(
                Code.STATE_EXISTS,
                f"{ref} of {access.remote.description} exists and is no state ref of nyl; the state of "
                f"{refs.environment} is not put into it.",
                "set spec.state.desiredRef and observedRef of the Environment to branches of their own",
                environment=refs.environment,
            )
    if present and len(present) < len(refs.state):
        absent = next(ref for ref in refs.state if ref not in present)
        raise _exists(refs, f"is shared with other environments on {next(iter(present))}, but {absent} is gone")


def _check_ended(access: StateAccess, sighting: Sighting) -> None:
    """Raises NYL-STATE-EXISTS where the environment's state is there, or a ref holds something that is no nyl state."""
    for ref in access.refs.state:
        commit = sighting.at(ref)
        if commit is None or ended(access, commit):
            continue
        record = access.documents.record(commit)
        if record is None or record.moved is None:
            place = f"{ref} of {access.remote.description}"
            there = f"is initialised on {place} and was neither deleted nor moved away"
            raise _exists(access.refs, there if record else f"was never on {place}, which holds something else")


def ended(access: StateAccess, commit: str) -> bool:
    """Whether the last transition of the environment on a state ref deleted its state."""
    if access.documents.find(commit, access.paths.state) is not None:
        return False
    last = next(transitions(access, commit), None)
    return last is not None and last.record.trailers.get(OPERATION) == DELETION


def _ended_before(refs: StateRefs, ref: str, where: str) -> NylError:
    return NylError(
        Code.STATE_EXISTS,
        f"{ref} of {where} holds the history of an earlier state of {refs.environment}, which was deleted.",
        f"run `nyl state init -e {refs.environment} --fresh` to start anew on top of that history",
        environment=refs.environment,
    )


def _exists(refs: StateRefs, how: str) -> NylError:
    return NylError(
        Code.STATE_EXISTS,
        f"The state of {refs.environment} {how}.",
        f"go on with `nyl plan -e {refs.environment}`; if another project's environment of this name keeps its state "
        "there, rename this one, or give it refs and a coordinationRefPrefix of its own under spec.state; to start "
        f"anew, delete this state with `nyl state delete -e {refs.environment}` first",
        environment=refs.environment,
    )


def described(access: StateAccess) -> dict[str, str]:
    """Where a state lives, as its record says it."""
    location = access.refs.location
    repository = {"repository": location.repository.url} if location.repository else {}
    return {**repository, **place_of(location), "coordinationRefPrefix": location.coordination_prefix}
