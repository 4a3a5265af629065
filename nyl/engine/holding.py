"""`nyl hold` and `nyl resume`: freezing units during an incident, and letting them go again.

Follows the section Holds of the page Deletion and holds.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Diagnostic, NylError, Severity
from nyl.core.names import NAME_RULE, is_name
from nyl.core.suggestions import did_you_mean
from nyl.engine.administration import environment_named, state_of
from nyl.engine.commit_identity import commit_identity
from nyl.engine.holds import Declared, held_anyway, resumed
from nyl.engine.no_such_unit import no_such_unit
from nyl.engine.operations import Actor, Change, Operation, named_units, operate
from nyl.engine.repairs import needs_review, repair_of
from nyl.engine.results import EnvironmentReport, Report, ReportKind
from nyl.engine.workspace import Workspace
from nyl.state.lifecycles import Hold, LifecycleState
from nyl.state.refusals import Occupied
from nyl.state.snapshot import StateSnapshot

_SHORT_OPERATION = timedelta(seconds=30)
"""How long a hold waits by itself for an operation that runs no unit, and so reads no holds."""
_TRIES = 3
_SHOWN = 64
"""How many characters of a name that is none are shown."""


@dataclass(frozen=True)
class _Holding:
    """The units to hold, and what the working tree declares of them."""

    units: tuple[str, ...]
    reason: str
    kinds: dict[str, tuple[str, str]]
    head: str

    def change(self, snapshot: StateSnapshot, actor: Actor) -> Change:
        """The held documents. Units that are held already stay as they are."""
        hold, record = self.hold(actor), snapshot.environment_record
        declared = Declared(record.source_commit if record else self.head, self.kinds)
        documents = {}
        for unit in self.units:
            recorded = snapshot.desired.get(unit)
            document = held_anyway(snapshot.environment, unit, recorded, hold, declared)
            if document is not recorded:
                documents[unit] = document
        return Change(
            documents,
            count=f"{len(documents)} held",
            summary={"units": {unit: _told("held", self.reason) for unit in documents}},
            details={"held": sorted(self.units)},
            diagnostics=self.unknown(snapshot.environment, frozenset(snapshot.desired)),
        )

    def hold(self, actor: Actor) -> Hold:
        """Who holds, when and why."""
        return Hold(str(actor.identity), actor.at, self.reason)

    def unknown(self, environment: str, recorded: frozenset[str]) -> tuple[Diagnostic, ...]:
        """A warning for each unit that nobody declares and no document tells of."""
        known = recorded | self.kinds.keys()
        return tuple(_unknown_unit(environment, unit, known) for unit in self.units if unit not in known)


def hold(workspace: Workspace, operation: Operation, units: Sequence[str], reason: str) -> Report:
    """Holds units, whatever state they are in (`nyl hold`).

    While a run works, the holds are sent to it: it starts none of the units, and writes the holds with its results.
    Raises NYL-UNIT-UNKNOWN for what cannot be the name of a unit, and what `operate` raises.
    """
    wanted = _holding(workspace, operation, units, reason)
    attempt = replace(operation, wait_lease=None)
    for _ in range(_TRIES):
        try:
            return operate(workspace, attempt, wanted.change)
        except Occupied as occupied:
            sent = _send(workspace, operation, wanted, occupied) if occupied.held else None
            if sent is not None:
                return sent
            patience = max(operation.wait_lease or timedelta(0), _SHORT_OPERATION if occupied.held else timedelta(0))
            if attempt.wait_lease == patience or not patience:
                raise
            attempt = replace(operation, wait_lease=patience)
    return operate(workspace, attempt, wanted.change)


def _send(workspace: Workspace, operation: Operation, wanted: _Holding, occupied: Occupied) -> Report | None:
    """The report of holds that a live run writes; None when the holder reads none."""
    run = occupied.holder.run
    identity = commit_identity(workspace, operation.author)
    word = wanted.hold(Actor(identity, run, workspace.clock.now()))
    store = state_of(workspace, operation.environment)
    if not store.send_holds(run, dict.fromkeys(wanted.units, word), identity, occupied.sighting):
        return None
    details = {"held": sorted(wanted.units), "writtenBy": f"run {run}, which holds {operation.environment} now"}
    section = EnvironmentReport(operation.environment)
    return Report(ReportKind.OPERATION, (section,), operation=operation.name, details=details)


def resume(workspace: Workspace, operation: Operation, units: Sequence[str]) -> Report:
    """Lifts the holds of units (`nyl resume`): they go on where they were, or with the deletion that waited.

    Raises NYL-UNIT-UNKNOWN for a unit that no document tells of, and what `operate` raises.
    """
    named = named_units(operation.environment, units)
    return operate(workspace, operation, lambda snapshot, _actor: _resumption(snapshot, named))


def _resumption(snapshot: StateSnapshot, units: tuple[str, ...]) -> Change:
    documents = {}
    for unit in units:
        recorded = snapshot.desired.get(unit)
        if recorded is None:
            raise _nothing_to_resume(snapshot, unit)
        document = resumed(recorded)
        if document is not recorded:
            documents[unit] = document
    return Change(
        documents,
        count=f"{len(documents)} resumed",
        summary={"units": {unit: _told("resumed", "") for unit in documents}},
        details={"resumed": sorted(documents)},
        diagnostics=tuple(
            needs_review(snapshot.environment, unit, repair)
            for unit in sorted(documents)
            if (repair := repair_of(snapshot.observed.get(unit))) is not None
        ),
    )


def _holding(workspace: Workspace, operation: Operation, units: Sequence[str], reason: str) -> _Holding:
    environment = environment_named(workspace, operation.environment)
    declared = workspace.worktree.selected(environment)
    kinds = {each.name: (each.api_version, each.kind) for each in declared}
    head, named = workspace.head or "0" * 40, named_units(operation.environment, units)
    for unit in named:
        if not is_name(unit):
            raise _no_name(operation.environment, unit)
    return _Holding(named, reason, kinds, head)


def _told(result: str, reason: str) -> dict[str, str]:
    return {"result": result, **({"reason": reason} if reason else {})}


def _unknown_unit(environment: str, unit: str, known: frozenset[str]) -> Diagnostic:
    close = did_you_mean(unit, known, "if it was mistyped,")
    return Diagnostic(
        Code.UNIT_UNKNOWN,
        f"environment {environment} knows no unit {unit}; it is held all the same, so that no run creates it",
        f"{close} take it back with `nyl resume -e {environment} --unit {unit}`",
        Severity.WARNING,
        environment,
        unit,
    )


def _no_name(environment: str, unit: str) -> NylError:
    shown = unit if len(unit) <= _SHOWN else f"{unit[:_SHOWN]}…"
    message = f"No unit can have the name {shown!r}, so that there is none of {environment} to hold."
    return NylError(Code.UNIT_UNKNOWN, message, NAME_RULE, environment=environment)


def _nothing_to_resume(snapshot: StateSnapshot, unit: str) -> NylError:
    holding = sorted(name for name, each in snapshot.desired.items() if each.lifecycle is LifecycleState.HELD)
    fix = f"choose one that is held: {', '.join(holding)}"
    if not holding:
        fix = f"nothing is to be done: no unit of {snapshot.environment} is held"
    return no_such_unit(snapshot.environment, unit, holding, fix)
