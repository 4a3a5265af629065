"""The transition that tells a run: headline, summary and trailers, from the same verdicts as its report.

Follows the section Transition commits of the Runs page.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

import nyl
from nyl.core.clock import Instant
from nyl.core.dataclass import dataclass
from nyl.engine.results import Result, UnitReport
from nyl.state import transitions

_EXPLAINED = (
    Result.FAILED,
    Result.UNCERTAIN,
    Result.BLOCKED,
    Result.HELD,
    Result.PENDING_TEARDOWN,
    Result.TEARING_DOWN,
)
"""Results whose detail is the reason that the summary gives."""


@dataclass(frozen=True)
class RunDescription:
    """Who ran what, when, from which source."""

    operation: str
    environment: str
    run: str
    source_commit: str
    runner: str
    evaluated_at: Instant
    details: Mapping[str, Any] = field(default_factory=dict)
    """Summary entries beside the units, such as worktreeSource and sourceOverride."""


def headline(operation: str, environment: str, units: Sequence[UnitReport]) -> str:
    """`nyl: reconcile dev (1 executed)`: the count of each result except current."""
    counts = Counter(each.verdict for each in units)
    told = ", ".join(f"{counts[each]} {each}" for each in Result if each is not Result.CURRENT and counts[each])
    return f"nyl: {operation} {environment}" + (f" ({told})" if told else "")


def summary(
    units: Sequence[UnitReport], recovered: Sequence[str], imported: Sequence[str], details: Mapping[str, Any]
) -> dict[str, object]:
    """Every unit's result by name, the lists of recovered and imported units, and the details of the run."""
    by_name = sorted(units, key=lambda each: each.unit)
    return {
        "units": {each.unit: unit_entry(each) for each in by_name},
        "recovered": list(recovered),
        "imported": list(imported),
        **details,
    }


def unit_entry(unit: UnitReport) -> dict[str, object]:
    """What the summary says of one unit; which fields depends on its result."""
    entry: dict[str, object] = {"result": str(unit.verdict)}
    if unit.verdict in (Result.EXECUTED, Result.RECOVERED, Result.IMPORTED):
        entry["executionKey"] = unit.execution_key
    if unit.verdict is Result.IMPORTED:
        entry["run"] = unit.run
    if unit.verdict is Result.FAILED:
        entry |= {"category": unit.category, "retryable": unit.retryable}
    if unit.verdict in _EXPLAINED and unit.detail:
        entry["reason"] = unit.detail
    return entry


def trailers(run: RunDescription) -> dict[str, str]:
    """The trailers in their order; the store puts the commits that were read behind the source commit."""
    return {
        transitions.OPERATION: run.operation,
        transitions.RUN_ID: run.run,
        transitions.ENVIRONMENT: run.environment,
        transitions.SOURCE_COMMIT: run.source_commit,
        transitions.RUNNER: run.runner,
        transitions.EVALUATED_AT: run.evaluated_at.iso_seconds(),
        transitions.VERSION: nyl.__version__,
    }
