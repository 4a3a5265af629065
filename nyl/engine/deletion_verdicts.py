"""What a run, a plan or a status says of units that are on their way out, and of tombstones."""

from collections.abc import Iterator, Mapping, Set
from dataclasses import field

from nyl.core.dataclass import dataclass
from nyl.core.exits import Exit
from nyl.engine.holds import Wanted, held_detail, with_pending
from nyl.engine.ledger import Ledger
from nyl.engine.lifecycle import Change, is_in_progress
from nyl.engine.outcomes import Ended, RunOutcome
from nyl.engine.results import Leaving, LeavingEffect, Result, UnitReport, UnitState
from nyl.engine.settlement import Settlement, is_tombstone
from nyl.engine.teardown_decision import TeardownDecision, TeardownStanding
from nyl.engine.teardown_record import TeardownRecord
from nyl.engine.teardown_recording import what_is_left
from nyl.state.documents import ConditionState, DesiredUnit, ObservedUnit
from nyl.state.lifecycles import LifecycleState
from nyl.units.outcomes import Failed, Removed

_STUCK = {
    TeardownStanding.FAILED: (Result.FAILED, UnitState.FAILED),
    TeardownStanding.UNCERTAIN: (Result.UNCERTAIN, UnitState.UNCERTAIN),
    TeardownStanding.HELD: (Result.HELD, UnitState.HELD),
    TeardownStanding.RETAIN: (Result.RETAINED, UnitState.RETAINED),
    TeardownStanding.RELEASE: (Result.RELEASED, UnitState.PENDING_TEARDOWN),
}
HELD_DETAIL = "its deletion waits until the hold is lifted"


@dataclass(frozen=True)
class Deletions:
    """The units of an environment that its ownership set does not hold, seen from the end of a run."""

    ledger: Ledger
    settlement: Settlement = field(default_factory=lambda: Settlement({}))
    record: TeardownRecord = field(default_factory=TeardownRecord)
    outcome: RunOutcome = field(default_factory=RunOutcome)
    before: Mapping[str, ObservedUnit] = field(default_factory=dict)
    """What the state knew of the units."""
    source_commit: str = ""
    """The commit that the ownership set is from."""

    @property
    def released(self) -> dict[str, object]:
        """Units whose files went and whose resources stay, with what was left."""
        tombstones = {
            name: what_is_left(self.settlement.before[name], self.before.get(name))
            for name in self.settlement.having(Change.RELEASED)
        }
        return dict(sorted({**tombstones, **self.record.released}.items()))

    @property
    def incomplete(self) -> dict[str, str]:
        """What teardowns may have left behind, those that dead runs completed among them."""
        return dict(sorted({**self.ledger.takeover.incomplete, **self.record.incomplete}.items()))

    @property
    def details(self) -> dict[str, object]:
        """What the summary of the transition says beside the units."""
        told: dict[str, object] = {
            "released": self.released,
            "retained": dict(sorted(self.record.retained.items())),
            "allowDependents": {name: list(users) for name, users in sorted(self.record.allowed.items())},
            "incomplete": self.incomplete,
            "confirmedRemoval": dict(sorted({**self.ledger.takeover.confirmed, **self.record.confirmed}.items())),
        }
        return {name: value for name, value in told.items() if value}

    def results(self, unstarted: str) -> dict[str, UnitReport]:
        """What the run did with each of them, by name. `unstarted` is why a ready teardown did not start."""
        found = {name: self._result(name, unstarted) for name in self.decided()}
        for name in self.let_go():
            detail = "it had no incarnation"
            found[name] = UnitReport(name, self.kind_of(name), Result.REMOVED, detail=detail)
        for name in self.settlement.having(Change.RELEASED):
            if name not in self.settlement.owned:
                found[name] = UnitReport(name, self.kind_of(name), Result.RELEASED)
        for name, document in self.kept():
            held = document.lifecycle is LifecycleState.HELD
            found[name] = self._tombstone(name, Result.HELD if held else Result.RETAINED)
        for name in sorted(self.ledger.takeover.removed & self.ledger.dropped):
            found.setdefault(name, UnitReport(name, self.kind_of(name), Result.REMOVED))
        return found

    def states(self, running: Mapping[str, str], leaving: Mapping[str, Leaving]) -> dict[str, UnitReport]:
        """How each of them stands, by name. `running` holds the units that a live run tears down, with its id.

        Those of `leaving` that no run has met yet are still as they were.
        """
        found = {name: self._state(name, running, leaving.get(name)) for name in self.decided()}
        for name, document in self.kept():
            held = document.lifecycle is LifecycleState.HELD
            found[name] = self._tombstone(name, UnitState.HELD if held else UnitState.RETAINED)
        return found

    def inherited(self, owned: Set[str]) -> dict[str, UnitReport]:
        """What dead runs left of units outside the ownership set, where the run does nothing else about them."""
        names = sorted(self.ledger.takeover.touched - owned)
        return {name: self._inherited(name) for name in names}

    def decided(self) -> Iterator[str]:
        """The units that were decided on; an owned one that is held is shown with the others of its kind."""
        for name, decision in self.record.decisions.items():
            if decision.standing is not TeardownStanding.HELD or name not in self.settlement.owned:
                yield name

    def kept(self) -> Iterator[tuple[str, DesiredUnit]]:
        """Tombstones, and held units without an incarnation: outside the ownership set, and going nowhere."""
        for name, document in sorted(self.ledger.recorded.items()):
            held = document.lifecycle is LifecycleState.HELD and document.unit.uid is None
            known = name in self.record.decisions or name in self.settlement.owned
            if (held or is_tombstone(document)) and not known:
                yield name, document

    def let_go(self) -> tuple[str, ...]:
        """Files without an incarnation that go, as the ownership set does not hold their units."""
        return tuple(name for name in self.settlement.having(Change.DROPPED) if name not in self.settlement.owned)

    def _result(self, name: str, unstarted: str) -> UnitReport:
        ended, decision, document = self.outcome.ended.get(name), self._decision(name), self._document(name)
        if ended is not None:
            return self._ended(ended)
        verdict = _STUCK[decision.standing][0] if decision.standing in _STUCK else _pending(document)
        ready = decision.standing is TeardownStanding.READY
        detail = unstarted if ready else self.detail_of(name)
        condition = self._condition(name) if verdict is Result.FAILED else (None, None)
        return UnitReport(
            name,
            document.unit.kind,
            verdict,
            detail=detail,
            category=condition[0],
            retryable=condition[1],
            run=self.run_of(name),
            change_digest=self.ledger.replanned.get(name),
            exit=self._exit(name, decision),
        )

    def _exit(self, name: str, decision: TeardownDecision) -> Exit | None:
        """That nobody knows what a teardown did outweighs that it waits for an approval."""
        waits = decision.standing is TeardownStanding.UNAPPROVED
        return Exit.UNCERTAIN if waits and _is_uncertain(self._observed(name)) else None

    def _inherited(self, name: str) -> UnitReport:
        observed, document = self._observed(name), self.ledger.desired_of(name)
        condition = observed.condition if observed else None
        imported = name in self.ledger.takeover.imported and condition is None
        verdict = Result.IMPORTED if imported else _pending(document) if document else Result.REMOVED
        if condition is not None and document is not None:
            verdict = Result.UNCERTAIN if condition.state is ConditionState.UNCERTAIN else Result.FAILED
        receipt = observed.receipt if observed and imported else None
        return UnitReport(
            name,
            self.kind_of(name),
            verdict,
            detail=condition.reason if condition else "",
            execution_key=receipt.execution_key if receipt else None,
            category=condition.category if condition else None,
            retryable=condition.retryable if condition else None,
            run=self.run_of(name),
        )

    def _ended(self, ended: Ended) -> UnitReport:
        failed = ended.outcome if isinstance(ended.outcome, Failed) else None
        incomplete = ended.outcome.incomplete if isinstance(ended.outcome, Removed) else ""
        return UnitReport(
            ended.unit,
            ended.started.document.unit.kind,
            ended.result,
            reason=ended.started.decision.reason,
            detail=ended.trouble or incomplete,
            duration_ms=round(ended.seconds * 1000),
            category=str(failed.category) if failed else None,
            retryable=failed.retryable if failed else None,
        )

    def _state(self, name: str, running: Mapping[str, str], leaving: Leaving | None) -> UnitReport:
        decision, document = self._decision(name), self._document(name)
        if name in self.settlement.moves and name not in running:
            return self._leaver(name, leaving)
        started = is_in_progress(document)
        verdict = UnitState.TEARING_DOWN if started else UnitState.PENDING_TEARDOWN
        observed = self._observed(name)
        uncertain = _is_uncertain(observed) and decision.standing is not TeardownStanding.HELD
        if decision.standing in _STUCK:
            verdict = _STUCK[decision.standing][1]
        if uncertain:
            verdict = UnitState.UNCERTAIN
        if name in running:
            verdict = UnitState.RUNNING
        waiting = observed.teardown.reason if observed and observed.teardown else ""
        condition = observed.condition.reason if observed and observed.condition else ""
        return UnitReport(
            name,
            document.unit.kind,
            verdict,
            detail=condition if uncertain else self.detail_of(name) or condition or waiting,
            receipt=_receipt(observed),
            run=running.get(name) or self.run_of(name),
        )

    def _leaver(self, name: str, leaving: Leaving | None) -> UnitReport:
        """A unit that left since the last run."""
        torn_down = self.record.effects[name] is LeavingEffect.TEARDOWN
        effect = "it would be torn down" if torn_down else "its resources would be kept"
        why = f"left the ownership set ({leaving.why})" if leaving else "changed its kind"
        observed = self._observed(name)
        condition, receipt = observed.condition if observed else None, _receipt(observed)
        verdict, detail = UnitState.PENDING_TEARDOWN, f"{why}; {effect}"
        if condition is not None and _is_uncertain(observed):
            verdict, detail = UnitState.UNCERTAIN, condition.reason
        return UnitReport(
            name, self._document(name).unit.kind, verdict, detail=detail, receipt=receipt, run=self.run_of(name)
        )

    def _tombstone(self, name: str, verdict: Result | UnitState) -> UnitReport:
        receipt = _receipt(self._observed(name)) if isinstance(verdict, UnitState) else None
        return UnitReport(name, self.kind_of(name), verdict, receipt=receipt, run=self.run_of(name))

    def detail_of(self, name: str) -> str:
        """What keeps a unit that was decided on."""
        if self._decision(name).standing is TeardownStanding.HELD:
            return held_detail(self._held_document(name), self._observed(name)) or HELD_DETAIL
        return self._decision(name).reason

    def _held_document(self, name: str) -> DesiredUnit | None:
        """The document of a held unit as a run leaves it: with the deletion that waits, where source took it away."""
        document, kind = self.ledger.desired_of(name), self.settlement.owned.get(name)
        if document is None or kind == (document.unit.api_version, document.unit.kind):
            return document
        return with_pending(document, Wanted(self.source_commit, kind, None))

    def _decision(self, name: str) -> TeardownDecision:
        return self.record.decisions[name]

    def _document(self, name: str) -> DesiredUnit:
        return self.record.documents[name]

    def kind_of(self, name: str) -> str:
        """The kind of the recorded incarnation."""
        ledger = self.ledger
        known = ledger.desired_of(name) or self.settlement.before.get(name) or ledger.snapshot.desired.get(name)
        return known.unit.kind if known else ""

    def _observed(self, name: str) -> ObservedUnit | None:
        return self.ledger.observed_of(name) or self.before.get(name)

    def _condition(self, name: str) -> tuple[str | None, bool | None]:
        observed = self._observed(name)
        condition = observed.condition if observed else None
        return (condition.category, condition.retryable) if condition else (None, None)

    def run_of(self, name: str) -> str | None:
        """The run that the state tells of last."""
        observed = self._observed(name)
        if observed is None:
            return None
        if observed.condition is not None:
            return observed.condition.run
        if observed.teardown is not None:
            return observed.teardown.run
        return observed.receipt.run if observed.receipt else None


def _pending(document: DesiredUnit) -> Result:
    return Result.TEARING_DOWN if is_in_progress(document) else Result.PENDING_TEARDOWN


def _is_uncertain(observed: ObservedUnit | None) -> bool:
    condition = observed.condition if observed else None
    return condition is not None and condition.state is ConditionState.UNCERTAIN


def _receipt(observed: ObservedUnit | None) -> str:
    return "none" if observed is None or observed.receipt is None else "current"
