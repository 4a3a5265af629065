"""Finding the state of an environment that the project may have ceased to declare: the refs still have it."""

from dataclasses import replace

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.core.names import is_name
from nyl.engine.administration import environment_named
from nyl.engine.states import States
from nyl.engine.workspace import Workspace
from nyl.project.resources import StateLocation
from nyl.state.refusals import state_moved
from nyl.state.store import StateStore


def recorded_store(workspace: Workspace, name: str) -> StateStore:
    """The state of an environment where its declaration says it is, else where its record on the usual refs says so.

    Whatever the local copy holds: for what writes to no state ref. Raises NYL-ENVIRONMENT-UNKNOWN where neither tells
    of the environment or the remote does not answer, and NYL-STATE-MOVED where the record says that it went elsewhere.
    """
    states = States(workspace)
    try:
        environment = environment_named(workspace, name)
    except NylError as unknown:
        is_unknown = unknown.diagnostic.code is Code.ENVIRONMENT_UNKNOWN
        found = _recorded(states, name, unknown) if is_unknown and is_name(name) else None
        if found is None:
            raise
        return found
    return states.unchecked(environment)


def _recorded(states: States, name: str, unknown: NylError) -> StateStore | None:
    usual = StateLocation.usual(name)
    store = states.unchecked_at(name, usual)
    access = store.access
    try:
        sighting = access.look()
    except NylError as silent:
        raise _untold(unknown, silent) from silent
    if not sighting.commits:
        return None
    commits = [commit for ref in store.refs.state if (commit := sighting.at(ref))]
    record = next(filter(None, map(access.documents.record, commits)), None)
    if record is None:
        return store
    if record.moved is not None:
        raise state_moved(store.refs, record.moved)
    prefix = record.location.get("coordinationRefPrefix", usual.coordination_prefix)
    return states.unchecked_at(name, replace(usual, coordination_prefix=prefix))


def _untold(unknown: NylError, silent: NylError) -> NylError:
    """The error for an environment that is not declared, where its recorded state could not be asked for."""
    found, why = unknown.diagnostic, silent.diagnostic
    message = f"{found.message} Whether it was declared before cannot be told. {why.message}"
    return NylError(found.code, message, f"{found.fix}; for one that was declared before, {why.fix}")
