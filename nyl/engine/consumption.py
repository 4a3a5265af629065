"""The refs of dead runs that go with a transition."""

from nyl.engine.inheritance import runs_needed
from nyl.engine.ledger import Ledger
from nyl.state.changes import Consumption


def consumed_refs(ledger: Ledger, run: str) -> Consumption:
    """The refs that go, as what they held is written, or kept as evidence. `run` is the one that writes."""
    snapshot = ledger.snapshot
    after = {unit: ledger.observed_of(unit) for unit in (*snapshot.observed, *ledger.results)}
    return Consumption(
        frozenset(snapshot.runs) - {run},
        runs_needed(ledger.takeover.runs, after),
        frozenset(snapshot.evidence) - runs_needed(snapshot.evidence, after),
    )
