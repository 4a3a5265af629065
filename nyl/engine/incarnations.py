"""Incarnations of units, looked up in the states of their environments by their uids.

Follows the last paragraph of Multi-environment runs of the Runs page: a stored incarnation protects what it owns until
it is removed, and one in a state that cannot be read may still be there.
"""

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.engine.states import States
from nyl.engine.workspace import Workspace
from nyl.state.snapshot import StateSnapshot
from nyl.units.source_project import Incarnation


def find_incarnation(workspace: Workspace, environment: str, uid: str) -> Incarnation:
    """What the state of an environment, as it is now, says of an incarnation.

    A run that did not record its results yet counts too. An environment without any state has no incarnations.
    """
    declared = workspace.worktree.environments.get(environment)
    if declared is None:
        way_out = "declare it again, until that unit is torn down or dropped with `nyl state forget`"
        return Incarnation(True, obstacle=f"the working tree declares no Environment {environment}; {way_out}")
    try:
        snapshot = States(workspace).store(declared).read()
    except NylError as error:
        if error.diagnostic.code is Code.STATE_MISSING:
            return Incarnation(False)
        return Incarnation(True, obstacle=error.diagnostic.message.rstrip("."))
    unit = incarnation_in(snapshot, uid)
    return Incarnation(unit is not None, unit)


def incarnation_in(snapshot: StateSnapshot, uid: str) -> str | None:
    """The name of the unit that a state, or a run on it, has an incarnation of; None for none."""
    for documents in (snapshot.desired, *(each.desired for each in snapshot.runs.values())):
        for name, document in documents.items():
            if document.unit.uid == uid:
                return name
    return None
