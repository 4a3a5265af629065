"""`nyl state delete`: ending the state of an environment in which nothing is left."""

from dataclasses import replace

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.core.exits import Exit
from nyl.engine.administration import state_of
from nyl.engine.commit_identity import commit_identity
from nyl.engine.dead_runs import imported_state
from nyl.engine.operations import Change, Operation, operate, take
from nyl.engine.requests import TeardownRequest
from nyl.engine.results import Report, ReportKind
from nyl.engine.teardown import tear_down_environment
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


def decommission(workspace: Workspace, operation: Operation) -> Report:
    """Tears everything down as `nyl teardown --all` does, and then ends the state (`--teardown`).

    The state stays where something could not be torn down; the report says what. Raises NYL-LEASE-BROKEN and
    NYL-RUN-UNIMPORTED before anything is torn down: units that a dead run left uncertain are somebody's to look at.
    """
    identity, store = commit_identity(workspace, operation.author), state_of(workspace, operation.environment)
    imported_state(store, workspace.clock.now(), lambda: take(workspace, store, operation, identity))
    request = TeardownRequest(
        operation.environment,
        everything=True,
        reason="decommission",
        author=operation.author,
        wait_lease=operation.wait_lease,
    )
    section = tear_down_environment(workspace, request)
    if section.exit is not Exit.OK:
        told = {each.unit: str(each.verdict) for each in section.units}
        return Report(ReportKind.OPERATION, (section,), operation=operation.name, details={"left": told})
    report = delete_state(workspace, operation)
    ended = replace(report.environments[0], diagnostics=(*section.diagnostics, *report.environments[0].diagnostics))
    return replace(report, environments=(ended,))


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
    drop = [
        f", or drop the tombstone {name} with `nyl state forget -e {environment} --unit {name}`" for name in tombstones
    ]
    return NylError(
        Code.STATE_IN_USE,
        f"The state of {environment} still has {len(left)} incarnation(s): {shown}.",
        f"tear everything down with `nyl teardown -e {environment} --all`, or in one go with "
        f"`nyl state delete -e {environment} --teardown`{''.join(drop[:1])}",
        environment=environment,
    )
