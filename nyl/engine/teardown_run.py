"""One environment's teardown on request: lease, requests, teardowns, transition, release."""

from dataclasses import replace
from typing import TYPE_CHECKING

from nyl.core.articles import with_article
from nyl.core.codes import Code
from nyl.core.diagnostics import Diagnostic, NylError
from nyl.core.ids import new_id
from nyl.engine.approvals import Approvable, bind_approvals
from nyl.engine.dead_runs import inheriting_ledger
from nyl.engine.holds import Declared, held_from_nothing
from nyl.engine.ledger import Ledger
from nyl.engine.lifecycle_work import LifecycleWork, teardown_parts
from nyl.engine.no_such_unit import no_such_unit
from nyl.engine.outcomes import RunOutcome
from nyl.engine.recorded_units import RecordedUnits
from nyl.engine.recording import RunFacts
from nyl.engine.requests import TeardownRequest
from nyl.engine.results import EnvironmentReport
from nyl.engine.run_context import InvocationContext, runner_of, stop_at_wait
from nyl.engine.run_transition import ATTEMPTS, EndedRun, RunTransition
from nyl.engine.slots import SlotPool, Workplace, slot_pool
from nyl.engine.teardown_conclusion import TeardownConclusion
from nyl.engine.teardown_decision import TeardownStanding
from nyl.engine.teardown_permissions import Permissions
from nyl.engine.teardown_requests import Wish, owned_kinds, refused, requested, unknown_units
from nyl.project.resources import Environment
from nyl.state.documents import DesiredUnit
from nyl.state.lifecycles import DeletionIntent, Hold, TeardownRequested
from nyl.state.session import Session
from nyl.state.snapshot import StateSnapshot
from nyl.units.logs import UnitLogs

if TYPE_CHECKING:
    from nyl.engine.executor import UnitExecutor

OPERATION = "teardown"


class TeardownRun:
    """Tears down what was asked for in one environment."""

    def __init__(self, context: InvocationContext[TeardownRequest], environment: Environment) -> None:
        self._context = context
        self._name = environment.name
        self._store = context.states.store(environment)
        self._run = new_id()
        self._warnings: list[Diagnostic] = []
        directory = context.request.unit_log_dir
        self._logs = UnitLogs(directory) if directory is not None else None
        request = context.request
        repository = self._store.access.repository
        self._recorded = RecordedUnits(context.workspace, self._name, repository, request.source)
        self._source_commit = self._recorded.source_commit or context.workspace.head or "0" * 40
        now = context.workspace.clock.now()
        self._wish = Wish(
            TeardownRequested(str(context.identity), now, request.reason or "teardown", request.confirm_removed),
            everything=request.everything,
            hold=request.hold,
        )

    def report(self) -> EnvironmentReport:
        """Carries the teardown out. Raises NylError for what ends it before its first unit."""
        self._context.tell(self._name, "taking the lease")
        wanted = self._context.run_request(OPERATION, self._run, self._source_commit)
        session = self._store.take(wanted, self._context.request.wait_lease)
        try:
            with slot_pool(self._context.concurrency, self._context.workspace.environ) as slots:
                return self._work(session, slots)
        except BaseException:
            session.abandon()
            raise

    def _work(self, session: Session, slots: SlotPool) -> EnvironmentReport:
        snapshot = session.snapshot
        # Nothing is rendered, so that nobody knows here whether what a dead run left is still selected: it enters as
        # the run had it, and the next reconcile puts it where the ownership set has it.
        ledger = inheriting_ledger(self._store, snapshot, {}, self._context.workspace.clock.now())
        named, facts = self._named(ledger), self._facts(snapshot)
        runner = runner_of(self._context, session, facts)
        transition = RunTransition(self._context, session, facts, self._store.refs.run(self._run))
        lifecycle, outcome = self._lifecycle(facts, ledger, slots), RunOutcome()
        self._bind(ledger, named, lifecycle)
        end: EndedRun | None = None
        for _ in range(ATTEMPTS):
            before = dict(ledger.desired)
            self._ask(ledger, named, lifecycle)
            teardowns = lifecycle.agenda(ledger, named)
            outcome = runner.run(teardowns)
            ledger.take_back(refused(teardowns.decide()), before)
            self._stop_at_wait(outcome, lifecycle)
            conclusion = self._conclusion(facts, ledger, outcome, lifecycle, named)
            end = transition.attempt(conclusion)
            if end is not None:
                break
            ledger = ledger.overlay(session.snapshot)
            for name in named - set(outcome.dispatched) - ledger.takeover.touched:
                ledger.desired.pop(name, None)
                ledger.dropped.discard(name)
        return (end or transition.give_up(conclusion)).section(self._told)

    def _named(self, ledger: Ledger) -> frozenset[str]:
        """The units to tear down. Raises NYL-UNIT-UNKNOWN."""
        request, recorded = self._context.request, ledger.recorded
        if request.everything:
            return frozenset(recorded)
        named = frozenset(request.units)
        for unit in unknown_units(named - ledger.takeover.removed, recorded):
            raise no_such_unit(self._name, unit, recorded)
        return named

    def _ask(self, ledger: Ledger, named: frozenset[str], lifecycle: LifecycleWork) -> None:
        """Puts the operator's request on every named unit. Raises NYL-TEARDOWN-UNSUPPORTED."""
        kinds = lifecycle.parts.kinds
        asked, recorded = {}, ledger.recorded
        for name in sorted(named & recorded.keys()):
            document = recorded[name]
            effect = kinds.leaving_effect(replace(document, deletion=None))
            asked[name] = requested(document, self._wish, effect)
            deletion = asked[name].deletion
            tears_down = deletion is not None and deletion.intent is DeletionIntent.TEARDOWN
            if tears_down and not kinds.tears_down(document):
                raise _unsupported(self._name, name, document.unit.kind)
        if self._wish.everything:
            asked.update(self._held_from_nothing(ledger))
        ledger.desired.update({name: each for name, each in asked.items() if each != ledger.desired_of(name)})

    def _bind(self, ledger: Ledger, named: frozenset[str], lifecycle: LifecycleWork) -> None:
        """Binds what the invocation approves to the recorded incarnations. Raises NYL-APPROVAL-INVALID."""
        leaving = {name: each for name, each in ledger.recorded.items() if name in named}
        kinds = lifecycle.parts.kinds
        approvable = Approvable(
            self._name, leaving=leaving, reports_digest=lambda unit: kinds.reports_digest(leaving[unit])
        )
        bound = bind_approvals(self._context.approvals[self._name], approvable)
        self._warnings += bound.warnings
        lifecycle.approve(bound.teardowns)

    def _stop_at_wait(self, outcome: RunOutcome, lifecycle: LifecycleWork) -> None:
        if self._context.request.fail_fast:
            ready = lifecycle.standing(TeardownStanding.READY)
            stop_at_wait(outcome, lifecycle.standing(TeardownStanding.UNAPPROVED), ready)

    def _held_from_nothing(self, ledger: Ledger) -> dict[str, DesiredUnit]:
        """Units of the ownership set that never had an incarnation: they get none from now on."""
        record, asked = ledger.snapshot.environment_record, self._wish.requested
        if record is None:
            return {}
        hold, declared = Hold(asked.by, asked.at, asked.reason), Declared(record.source_commit, {})
        return {
            name: held_from_nothing(self._name, name, hold, declared)
            for name in record.ownership
            if name not in ledger.recorded and name not in ledger.dropped
        }

    def _lifecycle(self, facts: RunFacts, ledger: Ledger, slots: SlotPool) -> LifecycleWork:
        request = self._context.request
        permissions = Permissions(
            allow_dependents=request.allow_dependents,
            allow_incomplete=request.allow_incomplete,
            stops_at_waits=request.fail_fast,
        )
        parts = teardown_parts(self._context.states, self._recorded, lambda: self._executor(slots))
        return LifecycleWork(facts, parts, permissions, owned_kinds(ledger.recorded))

    def _executor(self, slots: SlotPool) -> "UnitExecutor":
        return self._context.executor(self._name, slots, _no_other_place, self._logs, self._warnings)

    def _facts(self, snapshot: StateSnapshot) -> RunFacts:
        commit = self._source_commit
        record = snapshot.environment_record
        if self._context.request.source is None and record is not None:
            commit = record.source_commit
        reason = self._context.request.reason or ""
        approver = self._context.approvers.get(self._name)
        return RunFacts(
            self._name,
            self._run,
            commit,
            commit,
            snapshot.desired_commit,
            operation=OPERATION,
            reason=reason,
            approver=approver,
        )

    def _conclusion(
        self,
        facts: RunFacts,
        ledger: Ledger,
        outcome: RunOutcome,
        lifecycle: LifecycleWork,
        named: frozenset[str],
    ) -> TeardownConclusion:
        request, details = self._context.request, dict[str, object]()
        if request.source is not None:
            details["sourceOverride"] = {"revision": request.source, "commit": self._recorded.source_commit}
        deletions = lifecycle.deletions(ledger, outcome)
        return TeardownConclusion(
            facts, ledger, outcome, deletions=deletions, named=named, requested=self._wish.requested, details=details
        )

    @property
    def _told(self) -> tuple[Diagnostic, ...]:
        return (*self._warnings, *(self._logs.warnings if self._logs else ()))


def _no_other_place(unit: str) -> Workplace:
    raise AssertionError(f"a teardown executes {unit}")


def _unsupported(environment: str, unit: str, kind: str) -> NylError:
    return NylError(
        Code.TEARDOWN_UNSUPPORTED,
        f"Unit {unit} of {environment}, {with_article(kind)}, cannot be torn down.",
        "declare how it is torn down and reconcile it first, if its kind has a way; or remove it from source to "
        "release it, or drop it with "
        f"`nyl state forget -e {environment} --unit {unit}` once it left the ownership set",
        environment=environment,
        unit=unit,
    )
