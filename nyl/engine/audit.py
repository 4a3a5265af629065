"""What a transition tells an auditor of a run: repaired drift, forced executions, and approvals.

Follows the section Transition commits of the Runs page. Each entry appears only when there is something to tell.
"""

from collections.abc import Mapping

from nyl.engine.outcomes import Ended
from nyl.engine.recording import RunFacts
from nyl.units.driver import Succeeded


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


def audit_details(facts: RunFacts, ended: Mapping[str, Ended]) -> dict[str, object]:
    """The entries `driftRepaired`, `reapplied` and `approvals` of a summary."""
    decisions = {name: each.started.decision for name, each in sorted(ended.items())}
    repaired = list(drift_repaired(ended))
    forced = [name for name, each in decisions.items() if each.forced]
    approvals = {name: dict(facts.approval) for name, each in decisions.items() if each.approved}
    details: dict[str, object] = {}
    if repaired:
        details["driftRepaired"] = repaired
    if forced:
        details["reapplied"] = {"units": forced, **facts.reapply}
    if approvals:
        details["approvals"] = approvals
    return details
