"""What a verification asks about, what it records, and what it tells: decisions without any effect.

Follows the sections Verifying receipts and Repairing drift of the Recovery page.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from nyl.core.articles import with_article
from nyl.core.clock import Instant
from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Diagnostic, Severity
from nyl.engine.authorization import approve_option
from nyl.engine.drift import CLEAN, DRIFTED, forcing
from nyl.engine.results import Finding, UnitReport
from nyl.project.resources import DriftRepair
from nyl.project.units import ApprovalPolicy
from nyl.state.documents import DesiredUnit, Observation, ObservationType, ObservedUnit, Receipt
from nyl.state.lifecycles import LifecycleState
from nyl.state.snapshot import StateSnapshot
from nyl.units.outcomes import Failed, Verified, VerifyOutcome

_COUNTED = (Finding.DRIFTED, Finding.ERROR)


@dataclass(frozen=True)
class Look:
    """What a driver said of one receipt, and when."""

    document: DesiredUnit
    receipt: Receipt
    outcome: VerifyOutcome
    at: Instant

    @property
    def unit(self) -> str:
        """The unit's name."""
        return self.document.unit.name

    @property
    def report(self) -> UnitReport:
        """The unit's section of the report."""
        outcome, document = self.outcome, self.document
        if isinstance(outcome, Failed):
            finding, detail, health = Finding.ERROR, outcome.message, None
        else:
            finding = Finding.DRIFTED if outcome.drifted else Finding.CLEAN
            detail, health = outcome.detail, outcome.health
        return UnitReport(
            self.unit,
            document.unit.kind,
            finding,
            detail=detail,
            run=self.receipt.run,
            receipt="current",
            health=health,
        )


def why_unverified(document: DesiredUnit, observed: ObservedUnit | None, *, can_verify: bool) -> str | None:
    """Why a recorded unit has no current receipt that its driver could be asked about; None where it has."""
    receipt = observed.receipt if observed else None
    if receipt is None or observed is None:
        return "it has no receipt"
    if document.lifecycle not in (LifecycleState.ACTIVE, LifecycleState.HELD):
        return f"it is {document.lifecycle.value}"
    if observed.condition is not None:
        return f"it is {observed.condition.state.value}: {observed.condition.reason}"
    if receipt.execution_key != document.execution_key:
        return "its receipt is out of date"
    return None if can_verify else f"{with_article(document.unit.kind)} like it cannot be verified"


def findings(look: Look, run: str) -> dict[ObservationType, Observation]:
    """The observations that a driver's answer gives; none where it could not tell."""
    outcome, unit = look.outcome, look.document.unit
    if not isinstance(outcome, Verified):
        return {}

    def observation(what: ObservationType, status: str, detail: str, data: Mapping[str, object]) -> Observation:
        return Observation(unit, what, status, run, look.at, look.receipt.execution_key, detail, data)

    status = DRIFTED if outcome.drifted else CLEAN
    found = {ObservationType.DRIFT: observation(ObservationType.DRIFT, status, outcome.detail, {})}
    if outcome.health is not None:
        found[ObservationType.HEALTH] = observation(ObservationType.HEALTH, outcome.health, "", {})
    if outcome.attestations:
        found[ObservationType.ATTESTATIONS] = observation(
            ObservationType.ATTESTATIONS, "reported", "", dict(outcome.attestations)
        )
    return found


def news(
    found: Mapping[ObservationType, Observation], known: Mapping[ObservationType, Observation]
) -> dict[ObservationType, Observation]:
    """The observations that say something else than what is recorded; when they were made is nothing else."""
    return {what: each for what, each in found.items() if what not in known or _said(known[what]) != _said(each)}


def _said(observation: Observation) -> tuple[object, ...]:
    return (
        observation.unit.uid,
        observation.execution_key,
        observation.status,
        observation.detail,
        dict(observation.data),
    )


def still_there(look: Look, desired: DesiredUnit | None, observed: ObservedUnit | None) -> bool:
    """Whether the receipt that was looked at is still what the unit's state says, and current."""
    same = desired is not None and desired.unit.uid == look.document.unit.uid
    return (
        same
        and observed is not None
        and observed.receipt == look.receipt
        and why_unverified(desired or look.document, observed, can_verify=True) is None
    )


def still_valid(
    units: Sequence[UnitReport], looks: Sequence[Look], snapshot: StateSnapshot
) -> tuple[tuple[UnitReport, ...], tuple[Look, ...]]:
    """The findings about receipts that nothing replaced while the drivers worked; the other units are unverified."""
    valid = tuple(
        each for each in looks if still_there(each, snapshot.desired.get(each.unit), snapshot.observed.get(each.unit))
    )
    gone = {each.unit for each in looks} - {each.unit for each in valid}
    changed = "its receipt changed while it was verified"
    told = tuple(
        replace(each, verdict=Finding.UNVERIFIED, detail=changed, health=None) if each.unit in gone else each
        for each in units
    )
    return told, valid


def verify_headline(environment: str, units: Sequence[UnitReport]) -> str:
    """`nyl: verify dev (1 drifted)`."""
    counts = Counter(each.verdict for each in units)
    told = ", ".join(f"{counts[each]} {each}" for each in _COUNTED if counts[each])
    return f"nyl: verify {environment}" + (f" ({told})" if told else "")


def verify_summary(units: Sequence[UnitReport]) -> dict[str, object]:
    """What was found of every unit that could be verified."""
    return {
        "units": {
            each.unit: {"finding": str(each.verdict)}
            | ({"detail": each.detail} if each.detail else {})
            | ({"health": each.health} if each.health else {})
            for each in sorted(units, key=lambda each: each.unit)
            if each.verdict is not Finding.UNVERIFIED
        }
    }


@dataclass(frozen=True)
class DriftedUnit:
    """A unit that drifted, and what decides on what becomes of it."""

    environment: str
    document: DesiredUnit
    detail: str
    safe: bool
    """Whether running it again is safe."""
    repair: DriftRepair
    policy: ApprovalPolicy | None = None
    """What its recorded spec says of approvals, or a repair of it."""
    repaired: bool = False
    """Whether it was repaired with its own tool, so that it runs whatever `repair` says once that is approved."""

    @property
    def needs_approval(self) -> bool:
        """Whether it runs again only with an approval."""
        return not self.safe or self.policy is not None


def verify_drift_warning(drifted: DriftedUnit) -> Diagnostic:
    """NYL-VERIFY-DRIFT: what drifted, and what the next reconcile does with it."""
    unit = drifted.document.unit.name
    detail = f": {drifted.detail}" if drifted.detail else ""
    return Diagnostic(
        Code.VERIFY_DRIFT,
        f"unit {unit} drifted{detail}; {_what_follows(drifted)}",
        _what_to_do(drifted),
        Severity.WARNING,
        drifted.environment,
        unit,
    )


def _what_follows(drifted: DriftedUnit) -> str:
    if drifted.document.lifecycle is LifecycleState.HELD:
        return "it is held, and no reconcile repairs it before the hold is lifted"
    if drifted.repaired:
        return "it was repaired with nyl exec, so that the next nyl reconcile waits for an approval of the change"
    if drifted.repair is DriftRepair.MANUAL:
        return "driftRepair: manual leaves it drifted until it is forced"
    if drifted.policy is not None:
        return "it executes only with an approval (approval: manual), so that the next nyl reconcile waits for one"
    if not drifted.safe:
        return "it is not safe to run again, so that the next nyl reconcile waits for an approval of it"
    return "the next nyl reconcile executes it again"


def _what_to_do(drifted: DriftedUnit) -> str:
    environment, unit = drifted.environment, drifted.document.unit.name
    approve = f" {approve_option(unit, drifted.policy)}" if drifted.needs_approval else ""
    if drifted.document.lifecycle is LifecycleState.HELD:
        return f"run `nyl resume -e {environment} --unit {unit}` once it may change"
    if drifted.repair is DriftRepair.MANUAL and not drifted.repaired:
        return (
            "undo what changed it by hand, or execute it again with "
            f"`nyl reconcile -e {environment} {forcing(unit, unsafe=drifted.needs_approval, policy=drifted.policy)}`"
        )
    return f"undo what changed it by hand, or run `nyl reconcile -e {environment}{approve}`"


def verify_failed(environment: str, unit: str, why: str) -> Diagnostic:
    """NYL-VERIFY-FAILED: a driver could not tell."""
    return Diagnostic(
        Code.VERIFY_FAILED,
        f"unit {unit} could not be verified: {why}",
        f"correct that and run `nyl verify -e {environment}` again; what is recorded of the unit stays as it was",
        Severity.ERROR,
        environment,
        unit,
    )
