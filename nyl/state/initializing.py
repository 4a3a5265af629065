"""Creating an environment's state: `nyl state init`."""

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.core.ids import new_nonce
from nyl.git.config import Identity
from nyl.git.updates import RefUpdate
from nyl.project.resources import StateLocation
from nyl.state import codec
from nyl.state.access import StateAccess
from nyl.state.backoff import Backoff
from nyl.state.coordination import Sighting
from nyl.state.documents import StateRecord
from nyl.state.refs import StateRefs
from nyl.state.refusals import contended, push_refused
from nyl.state.transitions import ENVIRONMENT, EVALUATED_AT, OPERATION, RUN_ID, RUNNER, VERSION, format_transition
from nyl.state.writing import Committer

_TRIES = 40
"""How often in a row others may be quicker on a shared ref: with pauses, for a minute."""
_CONFIRMATIONS = 2
"""How often in a row a refusal that no other writer explains is tried again: one may have been at it just then."""


def initialize(access: StateAccess, identity: Identity, runner: str, version: str) -> StateRecord:
    """Writes state.yaml: as the common first commit of both state refs, or on top of refs that exist already.

    Raises NYL-STATE-EXISTS when the environment's state is there, or a ref holds something that is no nyl state.
    """
    sighting = access.look()
    refusals, backoff = 0, Backoff(access.clock)
    for _ in range(_TRIES):
        _check_free(access, sighting)
        record, commits = _write(access, sighting, identity, runner, version)
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
        if refusals > _CONFIRMATIONS or (refusals and not result.answered):
            raise push_refused(access.refs, result, access.remote.description)
        backoff.pause()
    raise contended(access.refs, _TRIES)


def _write(
    access: StateAccess, sighting: Sighting, identity: Identity, runner: str, version: str
) -> tuple[StateRecord, dict[str, str]]:
    now, refs = access.clock.now(), access.refs
    record = StateRecord(refs.environment, now, str(identity), _location(refs.location))
    trailers = {
        OPERATION: "state-init",
        # The random id tells the commits of two inits of the same second apart.
        RUN_ID: new_nonce(),
        ENVIRONMENT: refs.environment,
        RUNNER: runner,
        EVALUATED_AT: now.iso_seconds(),
        VERSION: version,
    }
    message = format_transition(f"nyl: state init {refs.environment}", {}, trailers)
    files = {access.paths.state: codec.encode(codec.STATE_RECORD, record)}
    committer = Committer(identity, now)
    parents = list(dict.fromkeys(sighting.at(ref) for ref in refs.state))
    specs = [committer.spec(message, files, (parent,) if parent else ()) for parent in parents]
    by_parent = dict(zip(parents, access.writer.write(specs), strict=True))
    return record, {ref: by_parent[sighting.at(ref)] for ref in refs.state}


def _check_free(access: StateAccess, sighting: Sighting) -> None:
    refs, paths = access.refs, access.paths
    present = {ref: commit for ref in refs.state if (commit := sighting.at(ref)) is not None}
    for ref, commit in present.items():
        if access.documents.find(commit, paths.state) is not None:
            raise _exists(refs, f"is initialised already on {ref} of {access.remote.description}")
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


def _exists(refs: StateRefs, how: str) -> NylError:
    return NylError(
        Code.STATE_EXISTS,
        f"The state of {refs.environment} {how}.",
        f"go on with `nyl plan -e {refs.environment}`; to start anew, move the old refs away first",
        environment=refs.environment,
    )


def _location(location: StateLocation) -> dict[str, str]:
    repository = {"repository": location.repository.url} if location.repository else {}
    path = {"path": location.path} if location.path else {}
    return {
        **repository,
        "desiredRef": location.desired_ref,
        "observedRef": location.observed_ref,
        **path,
        "coordinationRefPrefix": location.coordination_prefix,
    }
