"""What is told of deletions that wait, are held, or leave something behind, each with the way out."""

from collections.abc import Iterator

from nyl.core.codes import Code
from nyl.core.diagnostics import Diagnostic, Severity
from nyl.engine.authorization import approve_option
from nyl.engine.deletion_verdicts import Deletions
from nyl.engine.lifecycle import Kind, is_in_progress, is_permitted
from nyl.engine.teardown_decision import TeardownDecision, TeardownStanding
from nyl.state.documents import DesiredUnit
from nyl.state.lifecycles import DeletionIntent, DeletionReason, LifecycleState

_WAITS = {
    TeardownStanding.UNPERMITTED: Code.TEARDOWN_PENDING,
    TeardownStanding.UNAPPROVED: Code.TEARDOWN_PENDING,
    TeardownStanding.BEHIND: Code.TEARDOWN_PENDING,
    TeardownStanding.WAITING: Code.TEARDOWN_WAITING,
    TeardownStanding.HAS_DEPENDENTS: Code.TEARDOWN_HAS_DEPENDENTS,
    TeardownStanding.UNREADY: Code.TEARDOWN_INCOMPLETE,
}


def deletion_warnings(environment: str, deletions: Deletions) -> tuple[Diagnostic, ...]:
    """What a run tells of units that are on their way out, in the order of their teardown, and of what it left."""
    return (*waiting_warnings(environment, deletions), *_left_behind(environment, deletions))


def waiting_warnings(environment: str, deletions: Deletions) -> tuple[Diagnostic, ...]:
    """The errors and warnings of units whose deletion is not over, which is all that a look at the state can tell."""
    return tuple(_waiting_units(environment, deletions))


def _waiting_units(environment: str, deletions: Deletions) -> Iterator[Diagnostic]:
    record, ended = deletions.record, deletions.outcome.ended
    for name, decision in record.decisions.items():
        document = record.documents[name]
        if name in record.errors:
            yield from record.errors[name].about(environment=environment, unit=name).diagnostics
        if _changed_kind(document) and name not in deletions.ledger.dropped:
            yield _kind_change(environment, name, document)
        if decision.standing in _WAITS and name not in ended:
            yield _waits(environment, name, document, decision)


def _left_behind(environment: str, deletions: Deletions) -> Iterator[Diagnostic]:
    for name, document in deletions.record.documents.items():
        kind = deletions.settlement.owned.get(name)
        if kind is not None and _changed_kind(document) and name in deletions.ledger.dropped:
            yield _kind_changed(environment, document, kind)
    for name in deletions.released:
        kept = deletions.ledger.desired_of(name)
        yield _released(environment, name, held=kept is not None and kept.lifecycle is LifecycleState.HELD)
    for name, what in deletions.incomplete.items():
        yield _incomplete(environment, name, what)


def _changed_kind(document: DesiredUnit) -> bool:
    return document.deletion is not None and document.deletion.reason is DeletionReason.KIND_CHANGE


def _waits(environment: str, unit: str, document: DesiredUnit, decision: TeardownDecision) -> Diagnostic:
    message, fix = {
        TeardownStanding.UNPERMITTED: _unpermitted,
        TeardownStanding.UNAPPROVED: _unapproved,
        TeardownStanding.BEHIND: _behind,
        TeardownStanding.WAITING: _waiting,
        TeardownStanding.HAS_DEPENDENTS: _has_dependents,
        TeardownStanding.UNREADY: _unready,
    }[decision.standing](environment, unit, document, decision)
    return Diagnostic(_WAITS[decision.standing], message, fix, Severity.WARNING, environment, unit)


def _unpermitted(environment: str, unit: str, document: DesiredUnit, decision: TeardownDecision) -> tuple[str, str]:
    forget = f"let it go without a teardown with `nyl state forget -e {environment} --unit {unit}`"
    changed = _changed_kind(document)
    why = "changed its kind" if changed else "left the ownership set"
    restore = "restore its former kind" if changed else "restore it in source"
    unapproved = f", and {decision.reason}" if decision.reason else ""
    options = "--allow-teardown" + (f" and {_approving(unit, decision)}" if unapproved else "")
    return (
        f"unit {unit} of {environment} {why}; its teardown waits for --allow-teardown{unapproved}",
        f"pass {options} to nyl reconcile to tear it down, {restore} to keep it, or {forget}",
    )


def _unapproved(environment: str, unit: str, document: DesiredUnit, decision: TeardownDecision) -> tuple[str, str]:
    allow = "" if is_permitted(document) else " --allow-teardown"
    return (
        f"the teardown of unit {unit} of {environment} waits for an approval: {decision.reason}",
        f"check what `nyl plan -e {environment}` says of it, then run "
        f"`nyl reconcile -e {environment}{allow} {_approving(unit, decision)}`",
    )


def _approving(unit: str, decision: TeardownDecision) -> str:
    return approve_option(unit, decision.policy, decision.digest)


def _behind(environment: str, unit: str, document: DesiredUnit, decision: TeardownDecision) -> tuple[str, str]:
    torn_down = document.deletion is None or document.deletion.intent is DeletionIntent.TEARDOWN
    what = "its teardown waits" if torn_down else "it is kept as it is"
    others = ", ".join(decision.others)
    return (
        f"unit {unit} of {environment} is deleted; {what} until what depends on it is gone: {others}",
        f"see to {others} first: `nyl status -e {environment}` says what each of them waits for",
    )


def _waiting(environment: str, unit: str, document: DesiredUnit, decision: TeardownDecision) -> tuple[str, str]:
    others, allow = ", ".join(decision.others), "" if is_permitted(document) else " --allow-teardown"
    confirm = " ".join(f"--unit {each}" for each in decision.others)
    return (
        f"unit {unit} of {environment} waits for the teardown of {others}, which is not over yet",
        f"run `nyl reconcile -e {environment}{allow}` once the wait is over, or confirm the removal with "
        f"`nyl teardown -e {environment} {confirm} --confirm-removed`",
    )


def _has_dependents(environment: str, unit: str, _: DesiredUnit, decision: TeardownDecision) -> tuple[str, str]:
    own = [each for each in decision.others if "/" not in each and " " not in each]
    forget = "".join(f", or forget it first with `nyl state forget -e {environment} --unit {each}`" for each in own[:1])
    return (
        f"unit {unit} of {environment} is not torn down, because these use it and stay: {', '.join(decision.others)}",
        f"pass --allow-dependents to tear it down all the same{forget}",
    )


def _unready(environment: str, unit: str, document: DesiredUnit, _: TeardownDecision) -> tuple[str, str]:
    return (
        f"the teardown of unit {unit} of {environment} could not complete, so that it does not start: "
        f"{'; '.join(document.readiness)}",
        "meet these requirements in source, with the unit declared, and reconcile it before it is torn down; or pass "
        "--allow-incomplete to tear it down all the same, and check what remains",
    )


def _kind_change(environment: str, unit: str, document: DesiredUnit) -> Diagnostic:
    held, begun = document.lifecycle is LifecycleState.HELD, is_in_progress(document)
    first = f"lift its hold with `nyl resume -e {environment} --unit {unit}`, and then " if held else ""
    ways = (
        f"see its teardown through: `nyl status -e {environment}` says what it waits for"
        if begun
        else "pass --allow-teardown to nyl reconcile, restore the old kind in source, or forget the old incarnation "
        f"with `nyl state forget -e {environment} --unit {unit}`"
    )
    return Diagnostic(
        Code.UNIT_KIND_CHANGE,
        f"unit {unit} of {environment} changed its kind; the {document.unit.kind} that it was "
        + ("is held" if held else "is deleted, and the new kind starts once that is gone"),
        f"{first}{ways}",
        Severity.WARNING,
        environment,
        unit,
    )


def _kind_changed(environment: str, document: DesiredUnit, kind: Kind) -> Diagnostic:
    """Of a unit whose old incarnation the run ended, so that the next one creates it."""
    unit = document.unit
    return Diagnostic(
        Code.UNIT_KIND_CHANGE,
        f"unit {unit.name} of {environment} changed its kind; the {unit.kind} that it was is gone from the state, and "
        f"the next run creates the {kind[1]}",
        f"run `nyl reconcile -e {environment}` again",
        Severity.WARNING,
        environment,
        unit.name,
    )


def _released(environment: str, unit: str, *, held: bool) -> Diagnostic:
    left = "it is held without an incarnation, so that no run creates it again," if held else "its files are gone"
    return Diagnostic(
        Code.UNIT_RELEASED,
        f"unit {unit} of {environment} was released: {left} and its resources stay",
        "remove the resources by hand when nothing needs them; the transition commit lists what was left",
        Severity.WARNING,
        environment,
        unit,
    )


def _incomplete(environment: str, unit: str, what: str) -> Diagnostic:
    return Diagnostic(
        Code.TEARDOWN_INCOMPLETE,
        f"the teardown of unit {unit} of {environment} is complete without a claim of removal: {what}",
        "check what remains, and remove it by hand",
        Severity.WARNING,
        environment,
        unit,
    )
