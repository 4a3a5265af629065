"""What an operator's teardown comes to: rows, the transition to write, and the environment's report."""

from collections.abc import Mapping
from dataclasses import field, replace
from functools import cached_property

from nyl.core.clock import Instant
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Diagnostic
from nyl.core.exits import Exit
from nyl.engine.audit import audit_details
from nyl.engine.condition_warnings import condition_warnings
from nyl.engine.consumption import consumed_refs
from nyl.engine.deletion_verdicts import Deletions
from nyl.engine.deletion_warnings import deletion_warnings
from nyl.engine.holds import Declared
from nyl.engine.ledger import Ledger, written_documents
from nyl.engine.lifecycle import Kind
from nyl.engine.outcomes import RunOutcome
from nyl.engine.recording import RunFacts, new_artifacts
from nyl.engine.results import EnvironmentReport, Result, UnitReport
from nyl.engine.summary import RunDescription, headline, summary, trailers
from nyl.engine.takeover import describe_breaks
from nyl.engine.verdicts import why_not_started
from nyl.state.changes import Consumption, Landed, Transition
from nyl.state.documents import ConditionState
from nyl.state.lifecycles import LifecycleState, TeardownRequested


@dataclass(frozen=True)
class TeardownConclusion:
    """One environment's teardown, seen from its end. `named` are the units that it was about."""

    facts: RunFacts
    ledger: Ledger
    outcome: RunOutcome
    deletions: Deletions
    named: frozenset[str]
    requested: TeardownRequested
    details: Mapping[str, object] = field(default_factory=dict)
    """What the summary says beside the units and their requests, such as sourceOverride."""

    @cached_property
    def units(self) -> tuple[UnitReport, ...]:
        """The named units, and those that dead runs left something of: torn down ones first, in their order."""
        rows = self.deletions.results(why_not_started(self.outcome))
        found = {name: _settled(each) for name, each in rows.items() if name in self.named}
        for name in sorted(self.ledger.takeover.touched - found.keys()):
            found[name] = self._inherited(name)
        for name in sorted(self.named - found.keys()):
            document = self.ledger.desired_of(name)
            kind = document.unit.kind if document else ""
            found[name] = UnitReport(name, kind, Result.HELD, detail="it has no incarnation", exit=Exit.OK)
        first = [name for name in self.outcome.dispatched if name in found]
        return tuple(found[name] for name in (*first, *sorted(found.keys() - set(first))))

    @property
    def consumption(self) -> Consumption:
        """The refs of dead runs that go, as what they held is written, or kept as evidence."""
        return consumed_refs(self.ledger, self.facts.run)

    @property
    def declared_kinds(self) -> Mapping[str, Kind]:
        """The kinds of the units that the state knows: nothing is rendered for a teardown."""
        desired = self.ledger.snapshot.desired
        return {name: (each.unit.api_version, each.unit.kind) for name, each in desired.items()}

    def transition(self, runner: str, evaluated_at: Instant) -> Transition:
        """What to write. Empty when nothing changed."""
        self.ledger.write_holds(Declared(self.facts.source_commit, {}))
        facts, ledger = self.facts, self.ledger
        desired, observed = written_documents(ledger)
        run = RunDescription(
            facts.operation,
            facts.environment,
            facts.run,
            facts.source_commit,
            runner,
            evaluated_at,
            self._told,
        )
        imported, recovered = sorted(ledger.takeover.imported), sorted(ledger.takeover.recovered)
        kept = {name: each for name, each in ledger.results.items() if not each.removed}
        return Transition(
            headline(facts.operation, facts.environment, self.units),
            summary(self.units, recovered, imported, run.details),
            trailers(run),
            desired=desired,
            observed=observed,
            artifacts=new_artifacts(kept),
            announces=bool(ledger.takeover.breaks),
            consumes=self.consumption,
        )

    def section(self, landed: Landed, extra: tuple[Diagnostic, ...]) -> EnvironmentReport:
        """The report; `extra` diagnostics come from tools and from the end of the run."""
        environment, snapshot, takeover = self.facts.environment, self.ledger.snapshot, self.ledger.takeover
        written = {"desired": landed.desired, "observed": landed.observed}
        return EnvironmentReport(
            environment,
            self.units,
            run=self.facts.run,
            source=self.facts.source_commit,
            desired=landed.desired or snapshot.desired_commit,
            observed=landed.observed or snapshot.observed_commit,
            written=frozenset(name for name, commit in written.items() if commit is not None),
            imported=tuple(sorted(takeover.imported)),
            recovered=tuple(sorted(takeover.recovered)),
            details=self._told,
            diagnostics=(
                *takeover.warnings,
                *deletion_warnings(environment, self.deletions),
                *condition_warnings(environment, self.units),
                *extra,
            ),
        )

    @cached_property
    def _told(self) -> dict[str, object]:
        asked = {"requested": {"by": self.requested.by, "reason": self.requested.reason}}
        waiting = {"teardownRequested": self._recorded_requests} if self._recorded_requests else {}
        takeover = self.ledger.takeover
        breaks = describe_breaks(takeover.breaks)
        audit = audit_details(self.facts, self.outcome.ended, takeover.approvals)
        holds = {"held": sorted(self.ledger.holds)} if self.ledger.holds else {}
        told = {**self.details, **breaks, **audit}
        return {**asked, **waiting, **told, **self.deletions.details, **holds}

    @property
    def _recorded_requests(self) -> list[str]:
        """The held units whose teardown was only recorded as asked for."""
        return [
            name
            for name in sorted(self.named)
            if (document := self.ledger.desired_of(name)) is not None
            and document.lifecycle is LifecycleState.HELD
            and document.deletion is not None
        ]

    def _inherited(self, name: str) -> UnitReport:
        document = self.ledger.desired_of(name) or self.ledger.snapshot.desired.get(name)
        observed = self.ledger.observed_of(name)
        kind = document.unit.kind if document else ""
        if observed is not None and observed.condition is not None:
            condition = observed.condition
            failed = condition.state is ConditionState.FAILED
            result = Result.FAILED if failed else Result.UNCERTAIN
            return UnitReport(
                name,
                kind,
                result,
                detail=condition.reason,
                category=condition.category if failed else None,
                retryable=condition.retryable if failed else None,
                run=condition.run,
            )
        if name in self.ledger.dropped:
            return UnitReport(name, kind, Result.REMOVED)
        receipt = observed.receipt if observed else None
        if name in self.ledger.takeover.imported and receipt is not None:
            return UnitReport(name, kind, Result.IMPORTED, execution_key=receipt.execution_key, run=receipt.run)
        return UnitReport(name, kind, Result.PENDING_TEARDOWN)


def _settled(unit: UnitReport) -> UnitReport:
    """A held unit's teardown is recorded as asked for, which is all that there was to do."""
    return replace(unit, exit=Exit.OK) if unit.verdict is Result.HELD else unit
