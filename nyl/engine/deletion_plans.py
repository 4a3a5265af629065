"""What a reconcile with --allow-teardown would do with the units outside the ownership set, for a look ahead."""

from collections.abc import Mapping

from nyl.engine.authorization import approve_option
from nyl.engine.deletion_verdicts import Deletions
from nyl.engine.lifecycle import is_in_progress, is_permitted
from nyl.engine.repairs import effective_policy, repair_of
from nyl.engine.results import Action, Leaving, LeavingEffect, UnitReport
from nyl.engine.teardown_decision import NOTHING_ELSE, TeardownDecision, TeardownStanding
from nyl.project.common_fields import approval_policy
from nyl.state.documents import DesiredUnit, ObservedUnit
from nyl.state.lifecycles import LifecycleState

_ACTIONS = {
    LeavingEffect.TEARDOWN: Action.TEARDOWN,
    LeavingEffect.RETAIN: Action.RETAIN,
    LeavingEffect.RELEASE: Action.RELEASE,
}
_HINDERED = {
    TeardownStanding.FAILED: Action.BLOCKED,
    TeardownStanding.UNCERTAIN: Action.BLOCKED,
    TeardownStanding.HELD: Action.HELD,
}


def planned_deletions(deletions: Deletions, leaving: Mapping[str, Leaving]) -> dict[str, UnitReport]:
    """The units that are on their way out, by name, in the order of their teardown."""
    return {name: _deletion(deletions, name, leaving.get(name)) for name in deletions.decided()}


def planned_rest(deletions: Deletions) -> dict[str, UnitReport]:
    """The others, by name: tombstones, and files of units that have no incarnation."""
    found = {}
    for name in deletions.let_go():
        detail = "it has no incarnation, so that only its file goes"
        found[name] = UnitReport(name, deletions.kind_of(name), Action.RELEASE, detail=detail)
    for name, document in deletions.kept():
        held = document.lifecycle is LifecycleState.HELD
        action, reason = (Action.HELD, "") if held else (Action.NONE, "retained")
        found[name] = UnitReport(name, document.unit.kind, action, reason=reason, run=deletions.run_of(name))
    return found


def _deletion(deletions: Deletions, name: str, leaving: Leaving | None) -> UnitReport:
    record = deletions.record
    decision, document, effect = record.decisions[name], record.documents[name], record.effects[name]
    verdict = _HINDERED.get(decision.standing, _ACTIONS[effect])
    detail = _overrides(decision, document, deletions.ledger.observed_of(name)) or deletions.detail_of(name)
    if verdict is Action.BLOCKED:
        detail = f"{decision.standing.value}, waits for an operator: {detail}"
    why = _why(document, leaving)
    return UnitReport(name, document.unit.kind, verdict, reason=why, detail=detail, run=deletions.run_of(name))


def _why(document: DesiredUnit, leaving: Leaving | None) -> str:
    if leaving is not None:
        return f"left the ownership set ({leaving.why})"
    return f"deleted ({document.deletion.reason})" if document.deletion else ""


def _overrides(decision: TeardownDecision, document: DesiredUnit, observed: ObservedUnit | None) -> str:
    """The options without which a teardown that could start does not."""
    used = decision.standing is TeardownStanding.HAS_DEPENDENTS
    if not used and decision.standing not in (*NOTHING_ELSE, TeardownStanding.UNREADY):
        return ""
    policy = effective_policy(approval_policy(document.resolved_spec), observed)
    goes_on = is_in_progress(document) and repair_of(observed) is None
    options = [
        *([] if is_permitted(document) else ["--allow-teardown"]),
        *(["--allow-dependents"] if used else []),
        *(["--allow-incomplete"] if document.readiness and not is_in_progress(document) else []),
        *([approve_option(document.unit.name, policy)] if policy and not goes_on else []),
    ]
    why = f", as it is {decision.reason}" if used else ""
    if document.readiness:
        why += f", as {'; '.join(document.readiness)}"
    return f"needs {' and '.join(options)}{why}" if options else ""
