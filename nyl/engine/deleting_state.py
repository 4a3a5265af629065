"""`nyl state delete`: ending the state of an environment in which nothing is left."""

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.engine.operations import Change, Operation, operate
from nyl.engine.results import Report
from nyl.engine.workspace import Workspace
from nyl.state.changes import Consumption
from nyl.state.lifecycles import LifecycleState
from nyl.state.snapshot import StateSnapshot

_SHOWN = 8


def delete_state(workspace: Workspace, operation: Operation) -> Report:
    """Ends the state of an environment: a last commit removes its files, and its history stays.

    Raises NYL-STATE-IN-USE while an incarnation is left, and what `operate` raises.
    """
    return operate(workspace, operation, lambda snapshot, _actor: ending(snapshot))


def ending(snapshot: StateSnapshot) -> Change:
    """The change that ends a state. Raises NYL-STATE-IN-USE while an incarnation is left."""
    left = sorted(name for name, each in snapshot.desired.items() if each.unit.uid is not None)
    if left:
        raise _in_use(snapshot, left)
    dropped = sorted(snapshot.desired)
    return Change(
        summary={"deleted": {"environment": snapshot.environment, "unitsWithoutIncarnation": dropped}},
        details={"history": "kept on the state refs"},
        consumes=Consumption(evidence=frozenset(snapshot.evidence)),
        ends=True,
    )


def _in_use(snapshot: StateSnapshot, left: list[str]) -> NylError:
    environment = snapshot.environment
    tombstones = [name for name in left if snapshot.desired[name].lifecycle is LifecycleState.RETAINED]
    shown = ", ".join(left[:_SHOWN]) + (f" and {len(left) - _SHOWN} more" if len(left) > _SHOWN else "")
    forget = f", or drop tombstones with `nyl state forget -e {environment} --unit {tombstones[0]}`"
    return NylError(
        Code.STATE_IN_USE,
        f"The state of {environment} still has {len(left)} incarnation(s): {shown}.",
        f"tear everything down with `nyl teardown -e {environment} --all`, or in one go with "
        f"`nyl state delete -e {environment} --teardown`{forget if tombstones else ''}",
        environment=environment,
    )
