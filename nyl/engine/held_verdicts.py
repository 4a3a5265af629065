"""What is told of held units: what waits for their resume, and the warning that it does."""

from nyl.core.codes import Code
from nyl.core.diagnostics import Diagnostic, Severity
from nyl.engine.decision import Standing
from nyl.engine.holds import Wanted, held, held_detail, with_pending
from nyl.engine.ledger import Ledger
from nyl.engine.preflight import CheckedUnit
from nyl.engine.resolution import Resolution
from nyl.engine.results import UnitReport
from nyl.state.documents import DesiredUnit
from nyl.state.lifecycles import LifecycleState


def what_waits(unit: CheckedUnit, resolution: Resolution, ledger: Ledger, source_commit: str) -> str:
    """What a held unit of the ownership set is kept from, by a look at the state as well as by a run."""
    document = _held_document(unit, resolution, ledger, source_commit)
    return held_detail(document, ledger.observed_of(unit.name), resolution.decision.reason)


def shown_kind(unit: CheckedUnit, resolution: Resolution, ledger: Ledger) -> str:
    """The kind of the unit: a held incarnation's own, whatever source makes of it meanwhile."""
    recorded = ledger.desired_of(unit.name)
    runs = recorded is not None and recorded.unit.uid is not None and resolution.standing is Standing.HELD
    return recorded.unit.kind if recorded is not None and runs else unit.rendered.kind


def held_warning(environment: str, unit: UnitReport) -> Diagnostic | None:
    """A warning of a unit whose hold keeps something from being done; None for any other unit."""
    if str(unit.verdict) != LifecycleState.HELD or not unit.detail:
        return None
    return Diagnostic(
        Code.UNIT_HELD,
        f"unit {unit.unit} of {environment} is held: {unit.detail}",
        f"lift the hold with `nyl resume -e {environment} --unit {unit.unit}`",
        Severity.WARNING,
        environment,
        unit.unit,
    )


def _held_document(unit: CheckedUnit, resolution: Resolution, ledger: Ledger, source_commit: str) -> DesiredUnit | None:
    """The document of a held unit as a run leaves it."""
    recorded, hold = ledger.desired_of(unit.name), ledger.holds.get(unit.name)
    if recorded is None:
        return None
    kind = (unit.rendered.api_version, unit.rendered.kind)
    document = held(recorded, hold) if hold is not None else recorded
    return with_pending(document, Wanted(source_commit, kind, resolution.key))
