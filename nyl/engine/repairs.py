"""Repairs with a unit's own tool: when one may start, what is recorded of it, and what it asks of approvals. Pure.

Follows the first paragraph of the Recovery page: the repair is recorded before the tool starts, and the first execution
after the hold is lifted requires explicit approval of the resulting plan.
"""

import shlex
from collections.abc import Callable
from dataclasses import replace

from nyl.core.articles import with_article
from nyl.core.codes import Code
from nyl.core.diagnostics import Diagnostic, NylError, Severity
from nyl.engine.authorization import approve_option
from nyl.engine.no_such_unit import no_such_unit
from nyl.project.units import ApprovalBinding, ApprovalPolicy
from nyl.state.documents import DesiredUnit, ObservedUnit, Repair
from nyl.state.lifecycles import LifecycleState
from nyl.state.snapshot import StateSnapshot

_LONGEST = 200
"""Characters of a command that are told; the state has all of it."""
_REVIEWED = ApprovalPolicy(ApprovalBinding.PLAN, require_digest=True)


def repair_of(observed: ObservedUnit | None) -> Repair | None:
    """The repair of a unit that no execution followed yet."""
    return observed.repair if observed else None


def effective_policy(declared: ApprovalPolicy | None, observed: ObservedUnit | None) -> ApprovalPolicy | None:
    """How a unit is approved: as it declares, or after a repair by the digest of the change, whatever it declares."""
    return _REVIEWED if repair_of(observed) is not None else declared


def told(repair: Repair) -> str:
    """A repair in a clause, such as `repaired with nyl exec by Alice at 2026-…: state rm x`; a long one shortened."""
    reason = f" ({repair.reason})" if repair.reason else ""
    command = shlex.join(repair.command)
    shown = command if len(command) <= _LONGEST else f"{command[:_LONGEST]}…"
    return f"repaired with nyl exec by {repair.by} at {repair.at.iso_seconds()}: {shown}{reason}"


def review_needed(repair: Repair | None) -> str:
    """Why a repaired unit needs an approval; empty without a repair."""
    if repair is None:
        return ""
    return f"it was {told(repair)}; its approval must name the digest of the change that results"


def needs_review(environment: str, unit: str, repair: Repair) -> Diagnostic:
    """The warning that a unit whose hold is lifted waits for an approval, with the way to one."""
    return Diagnostic(
        Code.APPROVAL_MISSING,
        f"unit {unit} of {environment} goes on only with an approval: {review_needed(repair)}",
        f"run `nyl plan -e {environment}`, which shows the change and its digest, then run "
        f"`nyl reconcile -e {environment} {approve_option(unit, _REVIEWED)}`",
        Severity.WARNING,
        environment,
        unit,
    )


def to_repair(snapshot: StateSnapshot, unit: str, runs_natively: Callable[[DesiredUnit], bool]) -> DesiredUnit:
    """The document of the unit that a repair works on.

    Raises NYL-UNIT-UNKNOWN, and NYL-EXEC-REFUSED for a unit that is not held, has no incarnation, or whose kind has no
    tool of its own.
    """
    document, environment = snapshot.desired.get(unit), snapshot.environment
    if document is None:
        raise no_such_unit(environment, unit, snapshot.desired)
    if document.lifecycle is not LifecycleState.HELD:
        raise _refused(
            snapshot,
            unit,
            f"Unit {unit} of {environment} is not held, so that a run could change it meanwhile.",
            f"run `nyl hold -e {environment} --unit {unit} --reason <text>` first",
        )
    if document.unit.uid is None:
        raise _refused(
            snapshot,
            unit,
            f"Unit {unit} of {environment} has no incarnation, so that there is nothing to repair.",
            f"run `nyl resume -e {environment} --unit {unit}`; the next nyl reconcile creates it if source declares it",
        )
    if not runs_natively(document):
        raise _refused(
            snapshot,
            unit,
            f"Unit {unit} of {environment} is {with_article(document.unit.kind)}, "
            "which has no tool that nyl could run for it.",
            f"repair it by hand; then `nyl resume -e {environment} --unit {unit}` lets it go on",
        )
    return document


def repaired(document: DesiredUnit, observed: ObservedUnit | None, repair: Repair) -> ObservedUnit:
    """What is known of a unit once a repair of it begins. Everything else stays, and of several repairs the last."""
    known = observed or ObservedUnit(document.unit)
    return replace(known, repair=repair)


def same_configuration(prepared: DesiredUnit, now: DesiredUnit) -> bool:
    """Whether a unit's tool would still work on what was prepared for it."""
    return replace(prepared, hold=None, deletion=None) == replace(now, hold=None, deletion=None)


def _refused(snapshot: StateSnapshot, unit: str, message: str, fix: str) -> NylError:
    return NylError(Code.EXEC_REFUSED, message, fix, environment=snapshot.environment, unit=unit)
