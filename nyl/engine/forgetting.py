"""`nyl state forget`: dropping tombstones and pending teardowns from state, without touching their resources."""

from collections.abc import Sequence

from nyl.core.codes import Code
from nyl.core.diagnostics import Diagnostic, NylError, Severity
from nyl.engine.inheritance import needless_evidence
from nyl.engine.no_such_unit import no_such_unit
from nyl.engine.operations import Change, Operation, named_units, operate
from nyl.engine.results import Report
from nyl.engine.workspace import Workspace
from nyl.state.changes import Consumption
from nyl.state.documents import DesiredUnit
from nyl.state.lifecycles import LifecycleState, TeardownProgress
from nyl.state.snapshot import StateSnapshot


def forget(workspace: Workspace, operation: Operation, units: Sequence[str]) -> Report:
    """Drops units from the state of an environment.

    Raises NYL-UNIT-UNKNOWN, NYL-STATE-IN-USE for a unit that is neither a tombstone nor waits for its teardown, and
    what `operate` raises.
    """
    named = named_units(operation.environment, units)
    return operate(workspace, operation, lambda snapshot, _actor: forgetting(snapshot, named))


def forgetting(snapshot: StateSnapshot, units: Sequence[str]) -> Change:
    """The change that drops units. Raises NYL-UNIT-UNKNOWN and NYL-STATE-IN-USE."""
    for unit in units:
        document = snapshot.desired.get(unit)
        if document is None:
            raise no_such_unit(snapshot.environment, unit, snapshot.desired)
        obstacle = what_keeps(document)
        if obstacle is not None:
            raise _in_use(snapshot.environment, unit, *obstacle)
    after = dict.fromkeys(units)
    told = {unit: {"result": "forgotten", "uid": snapshot.desired[unit].unit.uid} for unit in units}
    return Change(
        after,
        dict.fromkeys(unit for unit in units if unit in snapshot.observed),
        count=f"{len(units)} forgotten",
        summary={"units": told},
        details={"forgotten": list(units)},
        diagnostics=tuple(_left_in_place(snapshot.environment, snapshot.desired[unit]) for unit in units),
        consumes=Consumption(evidence=needless_evidence(snapshot.evidence, snapshot.observed, after)),
    )


def what_keeps(document: DesiredUnit) -> tuple[str, str] | None:
    """Why a unit cannot be forgotten and the way out, with `{e}` and `{u}` for its names; None when it can be."""
    match document.lifecycle:
        case LifecycleState.RETAINED:
            return None
        case LifecycleState.HELD:
            return "is held", "lift the hold with `nyl resume -e {e} --unit {u}`, and look at it again"
        case LifecycleState.DELETING:
            deletion = document.deletion
            if deletion is None or deletion.teardown is TeardownProgress.PENDING:
                return None
            return (
                "is being torn down, and what is left of it is not known",
                "let `nyl teardown -e {e} --unit {u}` finish it; if that teardown failed or is uncertain, "
                "`nyl recover -e {e} --unit {u} --retry --reason <text>` lets it run again",
            )
        case LifecycleState.ACTIVE:
            return (
                "is active",
                "remove it from source and run `nyl reconcile -e {e}`, after which it can be forgotten, or tear it "
                "down with `nyl teardown -e {e} --unit {u}`",
            )


def _in_use(environment: str, unit: str, why: str, way: str) -> NylError:
    return NylError(
        Code.STATE_IN_USE,
        f"Unit {unit} of {environment} {why}; only a retained tombstone or a pending teardown can be forgotten.",
        way.format(e=environment, u=unit),
        environment=environment,
        unit=unit,
    )


def _left_in_place(environment: str, document: DesiredUnit) -> Diagnostic:
    return Diagnostic(
        Code.UNIT_RELEASED,
        f"the resources of {document.unit.kind} {document.unit.name} of {environment} were left in place",
        "remove them by hand when nothing needs them",
        Severity.WARNING,
        environment,
        document.unit.name,
    )
