"""Runs that ended without recording their results: which they are, and the ledger that goes on from them."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from nyl.core.clock import Instant
from nyl.engine.ledger import Ledger
from nyl.engine.preflight import CheckedUnit
from nyl.engine.states import ledger_of
from nyl.engine.takeover import take_over
from nyl.state.coordination_documents import LeaseState
from nyl.state.lease import claim, is_live, recorded, unrecorded_breaks
from nyl.state.session import Session
from nyl.state.snapshot import RunRef, StateSnapshot
from nyl.state.store import StateStore


def dead_runs(snapshot: StateSnapshot, now: Instant) -> dict[str, RunRef]:
    """The runs of a snapshot that may have left results, their deadline or an operator having ended them.

    Those that a landed transition imported are none, although their refs may still be there.
    """
    lease = snapshot.lease
    broken = {each.run for each in unrecorded_breaks(lease, snapshot.runs)}
    landed = lease is not None and lease.state is LeaseState.LANDED
    recorded_already = {lease.run, *lease.consumed} if lease is not None and landed else set()
    return {
        run: ref
        for run, ref in snapshot.runs.items()
        if run not in recorded_already and recorded(ref) and (run in broken or not is_live(ref.record, now))
    }


def imported_state(store: StateStore, now: Instant, take: Callable[[], Session]) -> StateSnapshot:
    """The state once no dead run is left to import, for what does something else before it writes.

    Where one is left, the lease is asked for with `take`, which refuses or waits: it raises NYL-LEASE-BROKEN,
    NYL-RUN-UNIMPORTED. A run that may be alive is none of them.
    """
    snapshot = store.read()
    found = claim(snapshot.lease, snapshot.runs, now)
    if found.free or not found.importable:
        return snapshot
    take().abandon()
    return store.read()


def inheriting_ledger(
    store: StateStore, snapshot: StateSnapshot, units: Mapping[str, CheckedUnit], now: Instant
) -> Ledger:
    """A ledger over a snapshot that goes on with what dead runs left.

    What no execution key is needed for is settled already; the rest is when the keys of the units are known. Raises
    NYL-RUN-FOREIGN where a dead run is one of another state.
    """
    breaks = unrecorded_breaks(snapshot.lease, snapshot.runs)
    runs, ledger = dead_runs(snapshot, now), ledger_of(store, snapshot)
    ledger.holds.update(snapshot.dead_holds)
    if not (runs or breaks):
        return ledger
    for ref in runs.values():
        store.check_own(snapshot, ref)
    newer = {run: _newer(store, snapshot, ref) for run, ref in runs.items()}
    ledger = replace(ledger, takeover=take_over(snapshot, runs, breaks, newer, now))
    settle_without_keys(ledger, units)
    return ledger


def settle_without_keys(ledger: Ledger, units: Mapping[str, CheckedUnit]) -> None:
    """Settles what is the same whatever key a unit has, and what is left of units that get none.

    Those are no longer selected, or have another kind than the incarnation that a dead run started.
    """
    takeover = ledger.takeover
    for name in takeover.settled_at_once:
        ledger.settle(name, None)
    for name in takeover.pending:
        unit, left = units.get(name), takeover.kind_left(name)
        if unit is None or (left is not None and left != (unit.rendered.api_version, unit.rendered.kind)):
            ledger.settle(name, None)


def _newer(store: StateStore, snapshot: StateSnapshot, ref: RunRef) -> frozenset[str]:
    """The units that a dead run left something of and that the state knows something more recent of."""
    units = ref.checkpoints.keys() | ref.record.executing.keys()
    if ref.record.read_observed is None:
        return frozenset(units & snapshot.observed.keys())
    return frozenset(units & store.changed_since(snapshot, ref.record.read_observed))
