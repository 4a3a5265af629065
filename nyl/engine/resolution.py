"""Resolution: every unit's references against current receipts, its execution key, and what to do with it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from nyl.core.articles import with_article
from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.engine.authorization import Authorization
from nyl.engine.completions import CompletionOf, complete_already
from nyl.engine.decision import Decision, Standing, decide, decide_blocked, decide_unevaluated
from nyl.engine.drift import drift_of
from nyl.engine.driver_answers import recovery_policy
from nyl.engine.graph import dependents_of
from nyl.engine.keys import execution_key
from nyl.engine.ledger import Ledger
from nyl.engine.permission import Candidate, RunRules, permit, permit_unevaluated
from nyl.engine.preflight import CheckedUnit
from nyl.engine.production import Production, Unavailable
from nyl.engine.references import substitute
from nyl.engine.repairs import repair_of
from nyl.project.units import UnitAddress
from nyl.state.documents import InputRecord, Provenance
from nyl.state.lifecycles import LifecycleState
from nyl.units.driver import RecoveryPolicy

InputsOf = Callable[[CheckedUnit, Mapping[str, Any]], InputRecord | None]
"""What a unit with a resolved spec reads; None when its fingerprint is not evaluated. Raises NYL-FINGERPRINT-FAILED."""

ForeignProducer = Callable[[UnitAddress], Production | Unavailable]
"""What a unit of another environment lets consumers read."""


@dataclass(frozen=True)
class Resolution:
    """One unit resolved against the receipts of the moment.

    A blocked unit has no key, because it has no resolved spec.
    """

    decision: Decision
    key: str | None = None
    resolved_spec: Mapping[str, Any] | None = None
    inputs: InputRecord | None = None
    provenance: Mapping[str, Provenance] = field(default_factory=dict)
    readiness: tuple[str, ...] = ()
    """What keeps a teardown of the unit from completing."""
    error: NylError | None = None
    """Set when a reference names a value that its producer's current receipt does not hold."""

    @property
    def standing(self) -> Standing:
        """The decision's standing."""
        return self.decision.standing


class Resolver:
    """Keeps the resolution of every unit of one environment, and renews what new receipts touch."""

    def __init__(
        self,
        units: Mapping[str, CheckedUnit],
        order: Sequence[str],
        inputs: InputsOf,
        foreign: ForeignProducer,
        ledger: Ledger,
        rules: RunRules | None = None,
        complete: CompletionOf = complete_already,
    ) -> None:
        self._rules = rules or RunRules()
        self._units = units
        self._order = order
        self._inputs = inputs
        self._complete = complete
        self._foreign = foreign
        self._dependents = dependents_of({name: unit.needs for name, unit in units.items()})
        self.ledger = ledger
        """What is known of every unit at the moment."""
        self.resolutions: dict[str, Resolution] = {}
        self.renew(order)

    def approve(self, approved: Mapping[str, Authorization]) -> None:
        """Lets units run whose execution keys an invocation approves."""
        self._rules = replace(self._rules, approved=approved)
        self.renew(approved)

    def rebase(self, ledger: Ledger) -> None:
        """Resolves everything again over another reading of the state."""
        self.ledger = ledger
        self.renew(self._order)

    def ready(self, only: frozenset[str] | None) -> list[str]:
        """The units that may run now, by name; with `only` those among them."""
        return self._standing(Standing.READY, only, inspecting=False)

    def inspectable(self, only: frozenset[str] | None) -> list[str]:
        """The uncertain units whose drivers can tell now what became of them, by name; with `only` those among them."""
        return self._standing(Standing.READY, only, inspecting=True)

    def awaiting(self, only: frozenset[str] | None) -> list[str]:
        """The units that could run now if they were approved, by name; with `only` those among them."""
        return self._standing(Standing.AWAITING_APPROVAL, only, inspecting=False)

    def _standing(self, standing: Standing, only: frozenset[str] | None, *, inspecting: bool) -> list[str]:
        return sorted(
            name
            for name, each in self.resolutions.items()
            if each.standing is standing and each.decision.inspecting is inspecting and (only is None or name in only)
        )

    def renew(self, changed: Iterable[str]) -> None:
        """Resolves some units again, and everything that depends on them, directly or not."""
        affected: set[str] = set()
        pending = list(changed)
        while pending:
            name = pending.pop()
            if name not in affected:
                affected.add(name)
                pending.extend(self._dependents[name])
        for name in self._order:
            if name in affected:
                self.resolutions[name] = self._resolve(self._units[name])

    def _resolve(self, unit: CheckedUnit) -> Resolution:
        producers = self._producers(unit)
        missing = [each.reason for each in producers.values() if isinstance(each, Unavailable)]
        if self.ledger.is_held(unit.name):
            self.ledger.settle(unit.name, None)
            return self._resolve_held(unit, producers, missing)
        fence = self._fence(unit)
        if fence is not None:
            return Resolution(Decision(Standing.BLOCKED, fence))
        if missing:
            return Resolution(decide_blocked("; ".join(missing), self.ledger.observed_of(unit.name)))
        return self._permitted(unit, self._resolve_available(unit, producers))

    def _permitted(self, unit: CheckedUnit, resolution: Resolution) -> Resolution:
        """The resolution as the rules of the run leave it."""
        ledger, name = self.ledger, unit.name
        observed = ledger.observed_of(name)
        if resolution.key is None or resolution.resolved_spec is None:
            return replace(resolution, decision=permit_unevaluated(resolution.decision, repair_of(observed)))
        receipt = observed.receipt if observed else None
        candidate = Candidate(
            name,
            resolution.key,
            resolution.decision,
            safe=recovery_policy(unit, resolution.resolved_spec) is RecoveryPolicy.CONVERGE,
            drift=drift_of(observed, ledger.snapshot),
            keyed=receipt is not None and receipt.execution_key == resolution.key,
            fresh=receipt is not None and receipt.run == self._rules.run,
            policy=unit.rendered.approval,
            replanned=ledger.replanned.get(name),
            repair=repair_of(observed),
        )
        return replace(resolution, decision=permit(candidate, self._rules))

    def _fence(self, unit: CheckedUnit) -> str | None:
        """Why an earlier incarnation under the unit's name keeps a new one from starting, or None."""
        recorded = self.ledger.desired_of(unit.name)
        if unit.name in self.ledger.takeover.removed & self.ledger.dropped:
            return "a dead run tore it down; the next run creates it again"
        if recorded is None or recorded.unit.uid is None:
            return None
        if (recorded.unit.api_version, recorded.unit.kind) != (unit.rendered.api_version, unit.rendered.kind):
            return f"its former incarnation, {with_article(recorded.unit.kind)}, is still recorded"
        if recorded.lifecycle is LifecycleState.DELETING:
            return "its former incarnation is being deleted"
        return None

    def _resolve_held(
        self, unit: CheckedUnit, producers: Mapping[UnitAddress, Production | Unavailable], missing: Sequence[str]
    ) -> Resolution:
        if missing:
            return Resolution(Decision(Standing.HELD, "; ".join(missing)))
        free = self._resolve_available(unit, producers)
        waits = "a change waits" if free.standing is Standing.READY and free.key is not None else ""
        return replace(free, decision=Decision(Standing.HELD, waits), error=None)

    def _resolve_available(
        self, unit: CheckedUnit, producers: Mapping[UnitAddress, Production | Unavailable]
    ) -> Resolution:
        values: dict[str, Any] = {}
        provenance: dict[str, Provenance] = {}
        try:
            for reference in unit.references:
                production = producers[reference.producer.seen_from(self.ledger.snapshot.environment)]
                assert isinstance(production, Production)
                values[reference.pointer] = production.value(reference)
                provenance[reference.pointer] = production.provenance
            resolved = substitute(unit.rendered.spec, values) if values else unit.rendered.spec
            completion, policy = self._complete(unit, resolved), recovery_policy(unit, resolved)
            inputs = None if completion is None else self._inputs(unit, completion.spec)
        except NylError as error:
            # What a cancelled run did not find out is no fault of the unit: the run itself tells that it was cancelled.
            told = None if error.diagnostic.code is Code.RUN_CANCELLED else error.about(unit=unit.name)
            return Resolution(Decision(Standing.BLOCKED, error.diagnostic.message), error=told)
        if completion is None or inputs is None:
            self.ledger.settle(unit.name, None)
            return Resolution(decide_unevaluated(self.ledger.observed_of(unit.name), policy))
        if completion.fingerprint is not None:
            inputs = replace(inputs, fingerprint=completion.fingerprint)
        key = execution_key(unit.driver, completion.spec, inputs)
        self.ledger.settle(unit.name, key)
        observed, inspected = self.ledger.observed_of(unit.name), self.ledger.inspected.get(unit.name)
        decision = decide(key, unit.driver.behavior_version, observed, policy, inspected)
        return Resolution(decision, key, completion.spec, inputs, provenance, completion.readiness)

    def _producers(self, unit: CheckedUnit) -> dict[UnitAddress, Production | Unavailable]:
        found: dict[UnitAddress, Production | Unavailable] = {}
        for need in sorted(unit.needs):
            found[UnitAddress(need)] = self._own_producer(need)
        for address in sorted(unit.foreign, key=str):
            found[address] = self._foreign(address)
        return found

    def _own_producer(self, name: str) -> Production | Unavailable:
        decision = self.resolutions[name].decision
        observed = self.ledger.observed_of(name)
        provenance = self.ledger.provenance_of(name)
        if decision.readable and observed is not None and observed.receipt is not None and provenance is not None:
            return Production(observed.receipt, provenance, self.ledger.artifact)
        again = decision.standing is Standing.READY and (decision.drifted or decision.repaired or decision.forced)
        return Unavailable(f"{name} {'is to be executed again first' if again else _WHY_NOT[decision.standing]}")


_WHY_NOT = {
    Standing.CURRENT: "has no current receipt",
    Standing.READY: "has no current receipt",
    Standing.BLOCKED: "is blocked",
    Standing.FAILED: "failed",
    Standing.UNCERTAIN: "is uncertain",
    Standing.HELD: "is held and has no receipt",
    Standing.DRIFTED: "has no current receipt",
    Standing.AWAITING_APPROVAL: "waits for an approval",
}
