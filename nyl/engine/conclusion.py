"""What a run comes to: verdicts, units that leave, the transition to write, and the environment's report.

A pure function of what was prepared, how every unit resolved, and what ended how.
"""

from collections.abc import Mapping
from functools import cached_property

from nyl.core.clock import Instant
from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Diagnostic, Severity
from nyl.core.exits import Exit
from nyl.engine.audit import audit_details, drift_repaired
from nyl.engine.condition_warnings import condition_warnings
from nyl.engine.consumption import consumed_refs
from nyl.engine.decision import Standing
from nyl.engine.deletion_verdicts import Deletions
from nyl.engine.deletion_warnings import deletion_warnings
from nyl.engine.drift import outdated_observations
from nyl.engine.holds import Declared, Wanted, with_pending
from nyl.engine.leaving import find_leaving, leaving_warning, recorded_before
from nyl.engine.ledger import Ledger, written_documents
from nyl.engine.lifecycle import Kind
from nyl.engine.outcomes import RunOutcome
from nyl.engine.preparation import PreparedEnvironment
from nyl.engine.recorded_kinds import RecordedKinds
from nyl.engine.recording import RunFacts, changed_without_running, desired_document, new_artifacts
from nyl.engine.resolution import Resolution
from nyl.engine.results import EnvironmentReport, Leaving, Result, UnitReport
from nyl.engine.summary import RunDescription, headline, summary, trailers
from nyl.engine.takeover import describe_breaks
from nyl.engine.verdicts import (
    RunEnd,
    resolution_errors,
    run_verdict,
    unit_order,
    why_not_started,
)
from nyl.state.changes import Consumption, Landed, Transition
from nyl.state.documents import EnvironmentRecord
from nyl.state.lifecycles import LifecycleState


@dataclass(frozen=True)
class Conclusion:
    """One environment's run, seen from its end."""

    prepared: PreparedEnvironment
    facts: RunFacts
    resolutions: Mapping[str, Resolution]
    ledger: Ledger
    outcome: RunOutcome
    only: frozenset[str] | None
    kinds: RecordedKinds
    deletions: Deletions
    leaving_only: bool = False
    """Whether the run was about nothing but the units outside the ownership set."""

    @cached_property
    def verdicts(self) -> tuple[UnitReport, ...]:
        """All units, whatever --unit shows, in unit order."""
        deleted = self._deleted
        order = (*self.prepared.order, *sorted(deleted.keys() - self.prepared.units.keys()))
        found = {name: deleted.get(name) or self._verdict(name) for name in order}
        return tuple(found[name] for name in unit_order(self.outcome.dispatched, order))

    @property
    def readable(self) -> frozenset[str]:
        """The units whose receipts consumers may read."""
        return frozenset(name for name, each in self.resolutions.items() if each.decision.readable)

    @cached_property
    def _deleted(self) -> dict[str, UnitReport]:
        if self.only is not None:
            return self.deletions.inherited(self.prepared.units.keys())
        return self.deletions.results(why_not_started(self.outcome))

    def _verdict(self, name: str) -> UnitReport:
        end = RunEnd(self.facts.source_commit, name in self._unstarted)
        return run_verdict(self.prepared.units[name], self.resolutions[name], self.outcome, self.ledger, end)

    @cached_property
    def _unstarted(self) -> frozenset[str]:
        """The units that nothing but the end of the run kept from starting, directly or through their producers."""
        unstarted: set[str] = set()
        for name in self.prepared.order:
            resolution = self.resolutions[name]
            ready = resolution.standing is Standing.READY and name not in self.outcome.ended
            waiting = {need for need in self.prepared.units[name].needs if not self.resolutions[need].decision.readable}
            through = resolution.standing is Standing.BLOCKED and bool(waiting) and waiting <= unstarted
            if ready or (through and not self.prepared.units[name].foreign):
                unstarted.add(name)
        return frozenset(unstarted)

    @property
    def shown(self) -> tuple[UnitReport, ...]:
        """The units that the run was about."""
        touched = self.ledger.takeover.touched
        if self.leaving_only:
            return tuple(each for each in self.verdicts if each.unit in self._deleted or each.unit in touched)
        return tuple(
            each for each in self.verdicts if self.only is None or each.unit in self.only or each.unit in touched
        )

    @property
    def recovered(self) -> tuple[str, ...]:
        """Units that are uncertain because of dead runs, and those that ran again because they were uncertain."""
        again = {each.unit for each in self.shown if each.verdict is Result.RECOVERED}
        return tuple(sorted(again | self.ledger.takeover.recovered))

    @property
    def imported(self) -> tuple[str, ...]:
        """Units whose receipts are those of dead runs."""
        return tuple(sorted(self.ledger.takeover.imported - self.outcome.ended.keys()))

    @property
    def consumption(self) -> Consumption:
        """The refs of dead runs that go, as what they held is written, or kept as evidence."""
        return consumed_refs(self.ledger, self.facts.run)

    @property
    def declared_kinds(self) -> Mapping[str, Kind]:
        """The kinds of the units that source declares."""
        return self.prepared.kinds

    @cached_property
    def leaving(self) -> tuple[Leaving, ...]:
        """The units that leave the ownership set. --unit does no lifecycle work, so it shows none."""
        if self.only is not None:
            return ()
        recorded = recorded_before(self.ledger, self.deletions.settlement)
        return find_leaving(recorded, self.prepared.units.keys(), self.prepared.why_leaving, self.kinds.leaving_effect)

    def transition(self, runner: str, evaluated_at: Instant) -> Transition:
        """What to write. Empty when the run changed nothing."""
        self._add_documents_of_current_units()
        self._add_documents_of_held_units()
        self._leave_returns_of_unnamed_units()
        desired, observed = written_documents(self.ledger)
        facts = self.facts
        description = RunDescription(
            facts.operation,
            facts.environment,
            facts.run,
            facts.source_commit,
            runner,
            evaluated_at,
            self._details(),
        )
        return Transition(
            headline(facts.operation, facts.environment, self.shown),
            summary(self.shown, self.recovered, self.imported, description.details),
            trailers(description),
            environment=self._environment_record() if desired else None,
            desired=desired,
            observed=observed,
            artifacts=new_artifacts({name: each for name, each in self.ledger.results.items() if not each.removed}),
            observations=outdated_observations(self.ledger.snapshot, observed),
            announces=bool(self.ledger.takeover.breaks),
            consumes=self.consumption,
        )

    def section(self, landed: Landed, extra: tuple[Diagnostic, ...]) -> EnvironmentReport:
        """The report of a run that ended; `extra` diagnostics come from its tools and its end."""
        snapshot, leaving = self.ledger.snapshot, self.leaving
        warnings = condition_warnings(self.facts.environment, self.shown)
        stopped = self._stopped_warning()
        written = {"desired": landed.desired, "observed": landed.observed}
        return EnvironmentReport(
            self.facts.environment,
            self.shown,
            run=self.facts.run,
            source=self.facts.source_commit,
            desired=landed.desired or snapshot.desired_commit,
            observed=landed.observed or snapshot.observed_commit,
            written=frozenset(name for name, commit in written.items() if commit is not None),
            leaving=leaving,
            imported=self.imported,
            recovered=self.recovered,
            drift_repaired=drift_repaired(self.outcome.ended),
            worktree_source=self.prepared.source.worktree,
            details=self._reported_details,
            diagnostics=(
                *self.prepared.notices,
                *((leaving_warning(self.facts.environment, leaving),) if leaving else ()),
                *((stopped,) if stopped else ()),
                *self._resolution_errors,
                *deletion_warnings(self.facts.environment, self.deletions),
                *self.ledger.takeover.warnings,
                *warnings,
                *extra,
            ),
            exit_hints=(Exit.WAITING,) if self._replaced else (),
            graph=self.prepared.graph,
        )

    @property
    def _reported_details(self) -> dict[str, object]:
        takeover = self.ledger.takeover
        audit = audit_details(self.facts, self.outcome.ended, takeover.approvals)
        return {**describe_breaks(takeover.breaks), **audit, **self.deletions.details}

    def _add_documents_of_current_units(self) -> None:
        """Documents of current units that changed in what enters no key."""
        for name, resolution in self.resolutions.items():
            recorded = self.ledger.snapshot.desired.get(name)
            if recorded is None or (self.only is not None and name not in self.only):
                continue
            if resolution.standing is Standing.CURRENT and name not in self.ledger.desired:
                document = desired_document(self.facts, self.prepared.units[name], resolution, recorded)
                if changed_without_running(recorded, document):
                    self.ledger.desired[name] = document

    @property
    def _resolution_errors(self) -> tuple[Diagnostic, ...]:
        shown = frozenset(each.unit for each in self.shown) if self.leaving_only else self.only
        return resolution_errors(self.facts.environment, self.resolutions, shown)

    @property
    def _replaced(self) -> bool:
        """Whether a unit was torn down that the next run creates again, so that work remains."""
        ledger = self.ledger
        return any(name in ledger.dropped and name not in ledger.desired for name in self.prepared.units)

    def _leave_returns_of_unnamed_units(self) -> None:
        """With --unit, units that come back to the ownership set are written only when they are named."""
        if self.only is None:
            return
        kept = self.only | self.ledger.takeover.touched | set(self.outcome.dispatched)
        for name in self.deletions.settlement.moves.keys() - kept:
            self.ledger.desired.pop(name, None)

    def _add_documents_of_held_units(self) -> None:
        """The holds that reached the run, and what source would change under those that are held."""
        self.ledger.write_holds(Declared(self.facts.source_commit, self.prepared.kinds))
        for name, document in self.ledger.recorded.items():
            if document.lifecycle is LifecycleState.HELD and (self.only is None or name in self.only):
                pending = with_pending(document, self._wanted(name))
                if pending is not document:
                    self.ledger.desired[name] = pending

    def _wanted(self, name: str) -> Wanted:
        """What source wants of a held unit."""
        kind, resolution = self.prepared.kinds.get(name), self.resolutions.get(name)
        return Wanted(self.facts.source_commit, kind, resolution.key if resolution else None)

    def _environment_record(self) -> EnvironmentRecord:
        before = self.ledger.snapshot.environment_record
        return EnvironmentRecord(
            self.facts.environment,
            self.facts.source_commit,
            tuple(sorted(self.prepared.units)),
            self.prepared.environment.document,
            before.extra if before else {},
        )

    def _details(self) -> dict[str, object]:
        details: dict[str, object] = {"reason": self.facts.reason} if self.facts.reason else {}
        details |= self.prepared.source.details | self._reported_details
        if self.ledger.holds:
            details["held"] = sorted(self.ledger.holds)
        return details

    def _stopped_warning(self) -> Diagnostic | None:
        if self.outcome.stopped_by is None:
            return None
        return Diagnostic(
            Code.RUN_STOPPED,
            f"--fail-fast stopped the run of {self.facts.environment} after {self.outcome.stopped_by}",
            "correct the cause and run nyl reconcile again; units that did not start are blocked until then",
            Severity.WARNING,
            self.facts.environment,
            self.outcome.stopped_by,
        )
