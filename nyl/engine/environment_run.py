"""One environment's run: lease, waves, transition, release, and the report of it all."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from nyl.core.diagnostics import Diagnostic, NylError
from nyl.core.ids import new_id
from nyl.engine.agenda import Agenda
from nyl.engine.approvals import Approvable, Bound, bind_approvals, check_leaving
from nyl.engine.completions import completions
from nyl.engine.conclusion import Conclusion
from nyl.engine.dead_runs import inheriting_ledger
from nyl.engine.executions import Executions, resolve_again
from nyl.engine.fingerprints import Fingerprints, KeyInputs
from nyl.engine.foreign import ForeignProducers
from nyl.engine.inspections import Inspections, alternating, inspect_in, set_aside
from nyl.engine.lifecycle_work import LifecycleWork, kinds_of, teardown_parts
from nyl.engine.missing_drivers import check_drivers
from nyl.engine.outcomes import RunOutcome
from nyl.engine.preparation import PreparedEnvironment
from nyl.engine.recorded_units import RecordedUnits
from nyl.engine.recording import RunFacts
from nyl.engine.remotes import SourceRemote
from nyl.engine.reruns import Rerun
from nyl.engine.resolution import Resolver
from nyl.engine.results import EnvironmentReport, UnitReport
from nyl.engine.run_context import ReconcileContext, runner_of, stop_at_wait
from nyl.engine.run_transition import ATTEMPTS, EndedRun, RunTransition
from nyl.engine.slots import SlotPool, Workplace, slot_pool, workplace
from nyl.engine.teardown_decision import TeardownStanding
from nyl.engine.teardown_permissions import Permissions
from nyl.git.handing import hand_over
from nyl.state.session import Session
from nyl.units.logs import UnitLogs

if TYPE_CHECKING:
    from nyl.engine.executor import UnitExecutor
    from nyl.engine.runner import Runner


class EnvironmentRun:
    """Reconciles one prepared environment. `verdicts` are those of all its units, whatever --unit shows."""

    def __init__(
        self,
        context: ReconcileContext,
        prepared: PreparedEnvironment,
        foreign: ForeignProducers,
        only: frozenset[str] | None,
    ) -> None:
        self._context = context
        self._prepared = prepared
        self._foreign = foreign
        self._only = only
        self._run = new_id()
        self._store = context.states.store(prepared.environment)
        directory = context.request.unit_log_dir
        self._logs = UnitLogs(directory) if directory is not None else None
        self._driver_warnings: list[Diagnostic] = []
        self._rerun = self._repeated()
        self._rerun_warnings: tuple[Diagnostic, ...] = ()
        self._bound = Bound()
        self.verdicts: tuple[UnitReport, ...] = ()
        self.readable: frozenset[str] = frozenset()
        """The units whose receipts are current, whatever their verdicts."""
        self.ended_early: NylError | None = None
        """What kept the run from writing its results to the state."""

    def report(self) -> EnvironmentReport:
        """Runs the environment. Raises NylError for what ends the run before its first unit starts."""
        if self._rerun is not None:
            self._rerun.check(self._store.read().environment_record)
        session = self._take()
        try:
            with slot_pool(self._context.concurrency, self._context.workspace.environ) as slots:
                return self._work(session, slots)
        except BaseException:
            session.abandon()
            raise

    def _take(self) -> Session:
        for commit in self._archive:
            hand_over(commit, self._context.workspace.repository, self._store.access.repository)
        self._context.tell(self._prepared.name, "taking the lease")
        wanted = self._context.run_request("reconcile", self._run, self._prepared.source.commit, self._archive)
        return self._store.take(wanted, self._context.request.wait_lease)

    def _work(self, session: Session, slots: SlotPool) -> EnvironmentReport:
        if self._rerun is not None:
            self._rerun_warnings = self._rerun.check(session.snapshot.environment_record)
        now = self._context.workspace.clock.now()
        ledger = inheriting_ledger(self._store, session.snapshot, self._prepared.units, now)
        facts = self._facts(session)
        if self._only is None:
            check_drivers(self._prepared, ledger.recorded.values(), self._context.workspace)
        lifecycle = self._lifecycle(facts, slots)
        lifecycle.settle(ledger)
        inputs = self._key_inputs(slots)
        units, order = self._prepared.units, self._prepared.order
        rules = self._context.rules(self._run, self._prepared.environment, self._only)
        complete = completions(self._prepared.name, self._prepared.rendered.source_project)
        resolver = Resolver(units, order, inputs, self._foreign, ledger, rules=rules, complete=complete)
        self._bind(resolver, lifecycle)
        transition = RunTransition(self._context, session, facts, self._store.refs.run(self._run), self._archive)
        runner: Runner | None = None
        outcome = RunOutcome()
        end: EndedRun | None = None
        for _ in range(ATTEMPTS):
            for agenda in self._agendas(facts, resolver, lifecycle, slots):
                if agenda.ready(outcome.ended):
                    runner = runner or runner_of(self._context, session, facts)
                    outcome = runner.run(agenda)
                    set_aside(outcome, resolver)
            outcome.cancelled = self._context.is_cancelled()
            self._stop_at_wait(outcome, resolver, lifecycle)
            conclusion = self._conclusion(facts, resolver, lifecycle, outcome)
            self.verdicts, self.readable = conclusion.verdicts, conclusion.readable
            end = transition.attempt(conclusion)
            if end is not None:
                break
            ledger = resolver.ledger.overlay(session.snapshot)
            lifecycle.settle_again(ledger, outcome)
            resolve_again(resolver, outcome, ledger)
        end = end or transition.give_up(conclusion)
        self.ended_early = end.ended_early
        return end.section(self._warnings)

    def _repeated(self) -> Rerun | None:
        if not self._context.request.repeats or self._context.request.local:
            return None
        return Rerun(SourceRemote(self._context.workspace), self._prepared.environment, self._prepared.source)

    def _bind(self, resolver: Resolver, lifecycle: LifecycleWork) -> None:
        """Binds what the invocation approves to how the units stand at first. Raises NYL-APPROVAL-INVALID."""
        name, units, request = self._prepared.name, self._prepared.units, self._context.request
        approvals, leaving = self._context.approvals[name], lifecycle.outside(resolver.ledger)
        if request.deletions.only:
            check_leaving(name, approvals, leaving)
        shown = units if self._only is None else units.keys() & self._only
        resolutions = {} if request.deletions.only else {unit: resolver.resolutions[unit] for unit in shown}

        def reports_digest(unit: str) -> bool:
            kinds, document = lifecycle.parts.kinds, leaving.get(unit)
            return kinds.reports_digest(document) if document else units[unit].reports_digest

        self._bound = bind_approvals(approvals, Approvable(name, resolutions, leaving, reports_digest))
        resolver.approve(self._bound.executions)
        lifecycle.approve(self._bound.teardowns)

    def _stop_at_wait(self, outcome: RunOutcome, resolver: Resolver, lifecycle: LifecycleWork) -> None:
        if self._context.request.fail_fast:
            ready = (*resolver.ready(self._only), *lifecycle.standing(TeardownStanding.READY))
            awaiting = (*resolver.awaiting(self._only), *lifecycle.standing(TeardownStanding.UNAPPROVED))
            stop_at_wait(outcome, awaiting, ready)

    def _facts(self, session: Session) -> RunFacts:
        prepared, source = self._prepared, self._prepared.source
        return self._context.audited(
            RunFacts(prepared.name, self._run, source.commit, source.revision, session.snapshot.desired_commit)
        )

    def _agendas(
        self, facts: RunFacts, resolver: Resolver, lifecycle: LifecycleWork, slots: SlotPool
    ) -> Iterator[Agenda]:
        """What the run works through: inspections and executions as long as there are any, then deletions."""
        if not self._context.request.deletions.only:
            units, only, name = self._prepared.units, self._only, self._prepared.name
            recorded = RecordedUnits(self._context.workspace, name, self._store.access.repository)
            inspect = inspect_in(lambda: self._executor(slots), name)
            inspections = Inspections(units, facts, resolver, recorded.read, inspect, only)
            stops = self._context.request.fail_fast
            executions = Executions(facts, units, resolver, self._executor(slots), only, stops)
            yield from alternating(inspections, executions)
        if lifecycle.deletes:
            teardowns = lifecycle.agenda(resolver.ledger)
            if not (self._context.request.fail_fast and resolver.awaiting(self._only)):
                yield teardowns
            teardowns.decide()

    def _lifecycle(self, facts: RunFacts, slots: SlotPool) -> LifecycleWork:
        context, request = self._context, self._context.request
        recorded = RecordedUnits(context.workspace, self._prepared.name, self._store.access.repository)
        parts = teardown_parts(context.states, recorded, lambda: self._executor(slots))
        permissions = Permissions(
            request.deletions.teardown,
            request.deletions.dependents,
            request.deletions.incomplete,
            stops_at_waits=request.fail_fast,
        )
        return LifecycleWork(facts, parts, permissions, kinds_of(self._prepared.units), self._only is None)

    def _executor(self, slots: SlotPool) -> "UnitExecutor":
        name = self._prepared.name
        return self._context.executor(name, slots, self._workplace, self._logs, self._driver_warnings)

    def _key_inputs(self, slots: SlotPool) -> KeyInputs:
        workspace, prepared = self._context.workspace, self._prepared
        fingerprints = Fingerprints(prepared.name, slots, self._workplace, workspace.environ, workspace.cancellation)
        inputs = KeyInputs(prepared.contents, prepared.inputs, fingerprints)
        inputs.evaluate_ahead(prepared.units.values(), self._context.concurrency)
        return inputs

    def _conclusion(
        self, facts: RunFacts, resolver: Resolver, lifecycle: LifecycleWork, outcome: RunOutcome
    ) -> Conclusion:
        resolver.ledger.settle_rest()
        return Conclusion(
            self._prepared,
            facts,
            resolutions=resolver.resolutions,
            ledger=resolver.ledger,
            outcome=outcome,
            only=self._only,
            kinds=lifecycle.parts.kinds,
            deletions=lifecycle.deletions(resolver.ledger, outcome),
            leaving_only=self._context.request.deletions.only,
        )

    def _workplace(self, unit: str) -> Workplace:
        return workplace(self._prepared.contents[unit], self._prepared.inputs[unit])

    @property
    def _warnings(self) -> tuple[Diagnostic, ...]:
        log_warnings = self._logs.warnings if self._logs else ()
        return (*self._rerun_warnings, *self._bound.warnings, *self._driver_warnings, *log_warnings)

    @property
    def _archive(self) -> tuple[str, ...]:
        snapshot = self._prepared.source.snapshot
        return (snapshot.commit,) if snapshot else ()
