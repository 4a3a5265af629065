"""Incarnations of units, looked up in the states of their environments by their uids.

Follows the last paragraph of Multi-environment runs of the Runs page: a stored incarnation protects what it owns until
it is removed, and one in a state that cannot be read may still be there.
"""

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.engine.owner_states import lived_at, lives_at
from nyl.engine.remotes import SourceRemote
from nyl.engine.states import States
from nyl.engine.workspace import Workspace
from nyl.git.ancestry import fetch_commit
from nyl.kubernetes.index import Index
from nyl.project.resources import Environment
from nyl.state.snapshot import StateSnapshot
from nyl.units.source_project import Incarnation

_DECLARE = "declare it again, until that unit is torn down or dropped with `nyl state forget`"
_HAND_OVER = (
    "tear that unit down from its project, publish to another pathPrefix, or hand the tree over once nothing publishes "
    "it from there any more: set `owner` to null in its _nyl/index.json on the branch"
)


def find_owner(workspace: Workspace, index: Index) -> Incarnation:
    """What the state of its environment, as it is now, says of the unit that owns a tree.

    A run that did not record its results yet counts too. An environment without any state has no incarnations. A state
    that never was where the index says that the owner's is belongs to another project, and does not know the owner.
    """
    owner = index.owner
    if owner is None:
        return Incarnation(False)
    declared = workspace.worktree.environments.get(owner.environment)
    if declared is None:
        return Incarnation(True, None, f"the working tree declares no Environment {owner.environment}", _DECLARE)
    try:
        snapshot = _snapshot(workspace, declared)
        unit = incarnation_in(snapshot, owner.uid) if snapshot else None
        if unit is not None:
            return Incarnation(True, unit)
        foreign = _why_foreign(workspace, index, declared, snapshot)
    except NylError as error:
        return Incarnation(True, None, error.diagnostic.message.rstrip("."), error.diagnostic.fix)
    return Incarnation(True, None, foreign, _HAND_OVER) if foreign else Incarnation(False)


def _snapshot(workspace: Workspace, declared: Environment) -> StateSnapshot | None:
    try:
        return States(workspace).store(declared).read()
    except NylError as error:
        if error.diagnostic.code is Code.STATE_MISSING:
            return None
        raise


def _why_foreign(
    workspace: Workspace, index: Index, declared: Environment, snapshot: StateSnapshot | None
) -> str | None:
    """Why a state that does not know an owner says nothing of it; None where it is the owner's own state."""
    place = index.owner.place if index.owner else None
    if place is None:
        # An index of an older nyl, or of a repository without a URL.
        remote = SourceRemote(workspace)  # A shallow clone has few of the commits that the project has.
        if index.commit is not None and fetch_commit(remote.repository, remote.refs, index.commit):
            return None
        return (
            "its index does not say where its state is, and this repository and its remote lack the commit that it was "
            "rendered from"
        )
    if lives_at(place, workspace, declared.state) or (snapshot and lived_at(place, snapshot.record.events)):
        return None
    return f"its state is in {place}, and not that of the Environment {declared.name} of this project"


def incarnation_in(snapshot: StateSnapshot, uid: str) -> str | None:
    """The name of the unit that a state, or a run on it, has an incarnation of; None for none."""
    for documents in (snapshot.desired, *(each.desired for each in snapshot.runs.values())):
        for name, document in documents.items():
            if document.unit.uid == uid:
                return name
    return None
