"""Which units leave the ownership set, why, and what their deletion policy makes of them."""

from collections.abc import Callable, Mapping, Set

from nyl.core.codes import Code
from nyl.core.diagnostics import Diagnostic, Severity
from nyl.engine.ledger import Ledger
from nyl.engine.results import Leaving, LeavingEffect, LeavingWhy
from nyl.engine.settlement import Settlement
from nyl.state.documents import DesiredUnit
from nyl.state.lifecycles import LifecycleState

_LEAVING = (LifecycleState.ACTIVE, LifecycleState.DELETING)


def recorded_before(ledger: Ledger, settlement: Settlement) -> Mapping[str, DesiredUnit]:
    """The documents that a run began with: the state's, and those of dead runs before its own `settlement` of them.

    What a dead run tore down to the end is gone.
    """
    takeover, found = ledger.takeover, dict(ledger.snapshot.desired)
    for name in takeover.touched:
        document = settlement.before.get(name) or ledger.desired_of(name)
        if document is not None:
            found[name] = document
    return {name: each for name, each in found.items() if name not in takeover.removed & ledger.dropped}


def find_leaving(
    desired: Mapping[str, DesiredUnit],
    owned: Set[str],
    why: Callable[[str], LeavingWhy],
    effect: Callable[[DesiredUnit], LeavingEffect],
) -> tuple[Leaving, ...]:
    """The recorded units that source no longer gives to the environment, by name.

    Tombstones have left already; a held unit goes nowhere, and one without an incarnation has nothing to lose.
    """
    return tuple(
        Leaving(name, why(name), effect(document))
        for name, document in sorted(desired.items())
        if name not in owned and document.lifecycle in _LEAVING and document.unit.uid is not None
    )


def leaving_warning(environment: str, leaving: tuple[Leaving, ...]) -> Diagnostic:
    """NYL-PLAN-UNITS-LEAVING, naming every unit."""
    names = ", ".join(f"{each.unit} ({each.why})" for each in leaving)
    return Diagnostic(
        Code.PLAN_UNITS_LEAVING,
        f"{len(leaving)} unit(s) leave the ownership set of {environment}: {names}",
        "restore the units in source or in the unitSelector's labels if they should stay; "
        "pass --fail-on-leaving to plan to make removals fail a pipeline",
        Severity.WARNING,
        environment=environment,
    )
