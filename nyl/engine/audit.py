"""What a transition tells an auditor of a run: repaired drift, forced executions, and approvals.

Follows the section Transition commits of the Runs page. Each entry appears only when there is something to tell.
"""

from collections.abc import Mapping

from nyl.engine.decision import Decision
from nyl.engine.outcomes import Ended
from nyl.engine.recording import RunFacts
from nyl.state.documents import Data
from nyl.units.outcomes import Succeeded


def drift_repaired(ended: Mapping[str, Ended]) -> tuple[str, ...]:
    """The units that executed again because they drifted, by name; one that --reapply forced did not."""
    return tuple(
        sorted(
            name
            for name, each in ended.items()
            if each.started.decision.drifted
            and not each.started.decision.forced
            and isinstance(each.outcome, Succeeded)
        )
    )


def approval_of(facts: RunFacts, decision: Decision) -> Data | None:
    """The record of the approval that an execution or teardown has; None without one."""
    if decision.approval is None or facts.approver is None:
        return None
    return facts.approver.record(decision.approval.digest)


def approvals_of(facts: RunFacts, decisions: Mapping[str, Decision]) -> dict[str, Data]:
    """The records of all approvals that let something run, by unit."""
    records = {name: approval_of(facts, each) for name, each in decisions.items()}
    return {name: record for name, record in records.items() if record is not None}


def audit_details(facts: RunFacts, ended: Mapping[str, Ended], inherited: Mapping[str, Data]) -> dict[str, object]:
    """The entries `driftRepaired`, `reapplied` and `approvals` of a summary.

    `inherited` are the approvals of what dead runs left, by unit.
    """
    repaired = list(drift_repaired(ended))
    forced = [name for name, each in sorted(ended.items()) if each.started.decision.forced]
    own = approvals_of(facts, {name: each.started.decision for name, each in ended.items()})
    approvals = dict(sorted({**inherited, **own}.items()))
    details: dict[str, object] = {}
    if repaired:
        details["driftRepaired"] = repaired
    if forced:
        details["reapplied"] = {"units": forced, **facts.reapply}
    if approvals:
        details["approvals"] = approvals
    return details
