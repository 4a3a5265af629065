"""Finding the state of an environment that the project may have ceased to declare: the refs still have it."""

from dataclasses import replace

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
    of the environment, and NYL-STATE-MOVED where the record says that it went elsewhere.
    """
    states = States(workspace)
    if name not in workspace.worktree.environments and is_name(name):
        found = _recorded(states, name)
        if found is not None:
            return found
    return states.unchecked(environment_named(workspace, name))


def _recorded(states: States, name: str) -> StateStore | None:
    usual = StateLocation.usual(name)
    store = states.unchecked_at(name, usual)
    access, sighting = store.access, store.access.look()
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
