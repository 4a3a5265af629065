"""The deletions of a run: teardowns as an agenda, consumers first, and the documents of what is kept or let go.

Follows the sections Order and Retained tombstones of the page Deletion and holds.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import field, replace

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.engine.decision import Decision, Standing
from nyl.engine.graph import dependents_of
from nyl.engine.ledger import Ledger
from nyl.engine.lifecycle import Kind, in_progress, is_in_progress, tombstone
from nyl.engine.outcomes import Ended, Started
from nyl.engine.recorded_kinds import RecordedKinds
from nyl.engine.recorded_units import RecordedUnit
from nyl.engine.recording import RunFacts
from nyl.engine.results import LeavingEffect
from nyl.engine.settlement import citing_tombstones, is_outside
from nyl.engine.teardown_decision import (
    NOTHING_ELSE,
    TeardownDecision,
    TeardownFacts,
    TeardownStanding,
    decide_teardown,
    refuse_for,
)
from nyl.engine.teardown_order import recorded_needs, teardown_order, waits_for
from nyl.engine.teardown_permissions import Permissions
from nyl.engine.teardown_record import TeardownRecord
from nyl.engine.teardown_recording import teardown_checkpoint, what_is_left
from nyl.project.common_fields import approval_policy
from nyl.state.coordination_documents import Checkpoint
from nyl.state.documents import DesiredUnit, ObservedUnit
from nyl.units.driver import ReceiptFacts, TeardownOrder
from nyl.units.outcomes import Removed, TeardownOutcome

CarryOut = Callable[[RecordedUnit, DesiredUnit, ReceiptFacts, TeardownOrder, str | None], TeardownOutcome]
"""Tears a recorded unit down. The last argument is the digest of the change that was approved, if one was named."""


@dataclass(frozen=True)
class TeardownParts:
    """What deletions work with.

    `read` gives recorded units with their files, `carry_out` tears one down in a slot if what that changes has the
    approved digest, `foreign` names what uses a unit from outside its environment.
    """

    kinds: RecordedKinds
    read: Callable[[Sequence[DesiredUnit]], Mapping[str, RecordedUnit | NylError]]
    carry_out: CarryOut
    foreign: Callable[[str], tuple[str, ...]]


@dataclass
class Teardowns:
    """Everything outside the ownership set, or with `only` those units of it."""

    facts: RunFacts
    ledger: Ledger
    owned: Mapping[str, Kind]
    parts: TeardownParts
    permissions: Permissions
    only: frozenset[str] | None = None
    record: TeardownRecord = field(default_factory=TeardownRecord)
    _read: dict[str, RecordedUnit | NylError] = field(default_factory=dict)

    def total(self, ended: Collection[str]) -> int:
        """How many units are on their way out, or were before they ended."""
        return len({*self._outside(), *ended})

    def ready(self, ended: Collection[str]) -> list[str]:
        """The units whose teardown may start, consumers first; keeps and lets go what need not be torn down."""
        self.decide()
        unapproved = [name for name in self._standing(TeardownStanding.UNAPPROVED) if self._has_leave(name)]
        if unapproved and self.permissions.stops_at_waits:
            return []
        names = [name for name in self._standing(TeardownStanding.READY) if name not in ended]
        self._read_units([name for name in names if name not in self._read])
        return [name for name in names if isinstance(self._read[name], RecordedUnit) and self._has_leave(name)]

    def decide(self) -> Mapping[str, TeardownDecision]:
        """Decides on every unit that is on its way out, consumers first."""
        outside, waiting = self._outside(), dict[str, frozenset[str]]()
        if not outside:
            return self.record.decisions
        recorded = self.ledger.recorded
        needs = recorded_needs(recorded, {name: each for name in recorded if (each := self._observed(name))})
        consumers_of = dependents_of(needs)
        for name in teardown_order(needs):
            document = recorded[name]
            if name not in outside:
                continue
            consumers = waits_for(name, needs, consumers_of, outside)
            if self.only is not None and name not in self.only:
                self._note_wait(name, consumers, waiting)
                continue
            facts = self._facts(name, document, consumers, waiting)
            decision = self.record.errors.get(name) or self._decide(facts)
            if isinstance(decision, NylError):
                self.record.errors[name] = decision
                decision = TeardownDecision(TeardownStanding.BROKEN, decision.diagnostic.message)
            known = self.record.decisions.get(name)
            refused = known is not None and known.standing is TeardownStanding.HAS_DEPENDENTS
            if not (refused and decision.standing in NOTHING_ELSE):
                self.record.decisions[name] = decision
            self.record.documents[name] = document
            self.record.effects[name] = self.parts.kinds.leaving_effect(document)
            if decision.standing is TeardownStanding.WAITING or self._goes_on(name):
                self._note_wait(name, consumers, waiting)
            if self._settle(name, document, decision):
                outside.discard(name)
        return self.record.decisions

    def preview(self) -> None:
        """Decides on every unit that is on its way out, and on what keeps those that are ready, for a look ahead."""
        for name, decision in list(self.decide().items()):
            if decision.standing in NOTHING_ELSE:
                self._has_leave(name)

    def begin(self, name: str) -> Started:
        """A teardown with the document that its start record gets."""
        recorded = self._read[name]
        assert isinstance(recorded, RecordedUnit)
        document = in_progress(self.record.documents[name])
        observed = self._observed(name)
        receipt, order = self.ledger.facts_of(name), self._order(name, observed)
        decided, carry_out = self.record.decisions[name], self.parts.carry_out
        decision = Decision(Standing.READY, decided.reason, approval=decided.approval)
        digest = decided.approval.digest if decided.approval else None
        return Started(
            self.facts.environment,
            recorded.unit,
            document,
            decision,
            lambda: carry_out(recorded, document, receipt, order, digest),
        )

    def checkpoint(self, ended: Ended) -> Checkpoint:
        """How a teardown is recorded. The files of a unit that is gone go."""
        name = ended.unit
        before = self.ledger.results.get(name)
        made = teardown_checkpoint(self.facts, ended, self._observed(name))
        self.record.documents[name] = ended.started.document
        if isinstance(ended.outcome, Removed):
            self.record.note_end(name, made)
            self.ledger.remove(name)
            return made
        return Checkpoint(made.observed, before.artifacts if before else {}, made.effects, made.work)

    def renew(self, names: Iterable[str]) -> None:
        """Nothing: decisions are made whenever it is asked what is ready."""

    def _standing(self, standing: TeardownStanding) -> list[str]:
        """The units that stand so and are not gone, consumers first."""
        decisions, dropped = self.record.decisions, self.ledger.dropped
        return [name for name, each in decisions.items() if each.standing is standing and name not in dropped]

    def _outside(self) -> set[str]:
        return {name for name, each in self.ledger.recorded.items() if is_outside(each, self.owned)}

    def _observed(self, name: str) -> ObservedUnit | None:
        return self.ledger.observed_of(name)

    def _facts(
        self, name: str, document: DesiredUnit, consumers: frozenset[str], waiting: Mapping[str, frozenset[str]]
    ) -> TeardownFacts | NylError:
        effect, kinds = self.parts.kinds.leaving_effect(document), self.parts.kinds
        facts = TeardownFacts(
            document,
            self._observed(name),
            effect,
            held=self.ledger.is_held(name),
            consumers=tuple(sorted(consumers)),
            waiting=tuple(sorted(_waits_of(consumers, waiting))),
            policy=approval_policy(document.resolved_spec),
            replanned=self.ledger.replanned.get(name),
        )
        if facts.held or effect is not LeavingEffect.TEARDOWN:
            return facts
        try:
            recovery, teardown_recovery = kinds.recovery(document), kinds.teardown_recovery(document)
        except NylError as error:
            return error
        return replace(facts, recovery=recovery, teardown_recovery=teardown_recovery)

    def _decide(self, facts: TeardownFacts | NylError) -> TeardownDecision | NylError:
        if isinstance(facts, NylError):
            return facts
        approval = self.permissions.approved.get(facts.document.unit.name)
        return decide_teardown(
            facts,
            allow_teardown=self.permissions.allow_teardown,
            allow_incomplete=self.permissions.allow_incomplete,
            approval=approval,
        )

    def _note_wait(self, name: str, consumers: frozenset[str], waiting: dict[str, frozenset[str]]) -> None:
        """Notes the waits that a unit stands behind, its own first: what it depends on stands behind them too."""
        waits = frozenset({name}) if self._goes_on(name) else _waits_of(consumers, waiting)
        if waits:
            waiting[name] = waits

    def _goes_on(self, name: str) -> bool:
        """Whether the unit's teardown waits and goes on later."""
        observed = self._observed(name)
        return observed is not None and observed.teardown is not None

    def _settle(self, name: str, document: DesiredUnit, decision: TeardownDecision) -> bool:
        """Keeps a tombstone, or lets a unit go. Says whether it is on its way out no more."""
        if decision.standing is TeardownStanding.RETAIN:
            self.record.retained[name] = what_is_left(document, self._observed(name))
            self.ledger.desired[name] = tombstone(document)
            return True
        if decision.standing is TeardownStanding.RELEASE:
            self.record.released[name] = what_is_left(document, self._observed(name))
            self.ledger.remove(name)
            return True
        return False

    def _read_units(self, names: Sequence[str]) -> None:
        if not names:
            return
        self._read.update(self.parts.read([self.record.documents[name] for name in names]))
        for name in names:
            found = self._read[name]
            if isinstance(found, NylError):
                self.record.errors[name] = self._with_way_out(name, found)
                self.record.decisions[name] = TeardownDecision(TeardownStanding.BROKEN, found.diagnostic.message)

    def _with_way_out(self, name: str, error: NylError) -> NylError:
        """A missing commit with the option that does without it."""
        known, environment = error.diagnostic, self.facts.environment
        if known.code is not Code.SOURCE_MISSING:
            return error
        fix = (
            f"run `nyl teardown -e {environment} --unit {name} --source <revision>` to tear the unit down with another "
            "revision's files, or make the commit available again"
        )
        return NylError(known.code, known.message, fix, environment=environment, unit=name)

    def _has_leave(self, name: str) -> bool:
        """Whether nothing that stays uses the unit, or an operator allows it; what that overrides is recorded."""
        document = self.record.documents[name]
        if is_in_progress(document):
            return True
        users = (*citing_tombstones(document.unit, self.ledger), *self.parts.foreign(name))
        if not users:
            return True
        if self.permissions.allow_dependents:
            if self.record.decisions[name].standing is TeardownStanding.READY:
                self.record.allowed[name] = users
            return True
        self.record.decisions[name] = refuse_for(self.record.decisions[name], document, users)
        return False

    def _is_confirmed(self, name: str) -> bool:
        deletion = self.record.documents[name].deletion
        return deletion is not None and deletion.requested is not None and deletion.requested.confirm_removed

    def _order(self, name: str, observed: ObservedUnit | None) -> TeardownOrder:
        wait = observed.teardown if observed else None
        return TeardownOrder(
            wait.progress if wait else None,
            confirm_removed=self._is_confirmed(name),
            allow_incomplete=self.permissions.allow_incomplete,
        )


def _waits_of(consumers: frozenset[str], waiting: Mapping[str, frozenset[str]]) -> frozenset[str]:
    return frozenset[str]().union(*(waiting[each] for each in consumers if each in waiting))
