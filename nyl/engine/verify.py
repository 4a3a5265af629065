"""`nyl verify`: asks each unit's driver whether what its current receipt describes still holds. Executes nothing.

Drivers work without the lease, which is taken only to write something new.
"""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Diagnostic, NylError
from nyl.core.ids import new_id
from nyl.engine.commit_identity import commit_identity
from nyl.engine.dead_runs import imported_state
from nyl.engine.driver_answers import recovery_policy
from nyl.engine.equipment import Equipment
from nyl.engine.executor import UnitExecutor
from nyl.engine.interruptions import moved_too_often
from nyl.engine.invocation import open_invocation
from nyl.engine.recorded_units import RecordedUnit, RecordedUnits
from nyl.engine.repairs import effective_policy, repair_of
from nyl.engine.requests import SourceChoice, VerifyRequest
from nyl.engine.results import EnvironmentReport, Finding, Report, ReportKind, UnitReport
from nyl.engine.run_context import InvocationContext
from nyl.engine.slots import slot_pool
from nyl.engine.states import stored_artifact
from nyl.engine.summary import RunDescription, trailers
from nyl.engine.verification import (
    DriftedUnit,
    Look,
    findings,
    news,
    still_valid,
    verify_drift_warning,
    verify_failed,
    verify_headline,
    verify_summary,
    why_unverified,
)
from nyl.engine.workspace import Workspace
from nyl.project.resources import DriftRepair, Environment
from nyl.state.changes import Landed, Transition
from nyl.state.documents import ObservedUnit
from nyl.state.landing import StateMoved
from nyl.state.session import Session
from nyl.state.snapshot import StateSnapshot
from nyl.state.store import StateStore
from nyl.state.taking import RunRequest
from nyl.units.driver import Capability, ReceiptFacts, RecoveryPolicy
from nyl.units.outcomes import VerifyOutcome

_OPERATION = "verify"
_WRITES = 5
"""How often findings are compared again because other writers moved the state."""


@dataclass(frozen=True)
class _Found:
    """What a verification came to: every unit's section, and what was looked at."""

    units: tuple[UnitReport, ...]
    looks: tuple[Look, ...]
    read: Mapping[str, RecordedUnit]
    warnings: tuple[Diagnostic, ...]


def verify(workspace: Workspace, request: VerifyRequest) -> Report:
    """Verifies every selected environment, whatever another came to.

    Raises NYL-COMMIT-IDENTITY-MISSING before anything runs, and what concerns no single environment.
    """
    identity = commit_identity(workspace, request.author)
    invocation = open_invocation(workspace, request.selection, SourceChoice())
    context = InvocationContext(Equipment.of(workspace, invocation.sources), request, identity)

    def section(name: str) -> EnvironmentReport:
        declared = workspace.worktree.environments[name]
        rendered = invocation.rendered.get(name)
        repair = rendered.environment.drift_repair if rendered else declared.drift_repair
        try:
            return _Verification(context, declared, repair).report()
        except NylError as error:
            return EnvironmentReport.failed(name, error)

    with closing(invocation.sources):
        return Report(ReportKind.VERIFY, tuple(section(name) for name in invocation.order))


class _Verification:
    """Verifies one environment."""

    def __init__(
        self, context: InvocationContext[VerifyRequest], environment: Environment, repair: DriftRepair
    ) -> None:
        self._context = context
        self._name = environment.name
        self._repair = repair
        self._run = new_id()
        self._store: StateStore = context.states.store(environment)

    def report(self) -> EnvironmentReport:
        """Asks the drivers, and writes what is new. Raises NYL-RUN-CANCELLED without having written anything.

        While something is left to import nobody is asked: nothing found then could be recorded.
        """
        snapshot = imported_state(self._store, self._context.workspace.clock.now(), self._take)
        found = self._look(snapshot)
        if self._context.is_cancelled():
            raise _cancelled(self._name)
        trouble: tuple[Diagnostic, ...] = ()
        landed = Landed(None, None)
        if self._news(found, snapshot):
            try:
                landed, found = self._write(found, snapshot)
            except NylError as error:
                trouble = error.about(environment=self._name).diagnostics
        return EnvironmentReport(
            self._name,
            found.units,
            run=self._run,
            source=_source(snapshot) or None,
            desired=snapshot.desired_commit,
            observed=landed.observed or snapshot.observed_commit,
            written=frozenset({"observed"} if landed.observed else ()),
            diagnostics=(*found.warnings, *self._told(found, snapshot), *trouble),
        )

    def _look(self, snapshot: StateSnapshot) -> _Found:
        reports, wanted = {}, []
        for name, document in sorted(snapshot.desired.items()):
            driver = self._context.workspace.recorded_driver(document.unit)
            # Without its driver nothing is known of a unit: reading it tells so.
            able = driver is None or Capability.VERIFY in driver.capabilities(document.resolved_spec)
            why = why_unverified(document, snapshot.observed.get(name), can_verify=able)
            if why is None:
                wanted.append(document)
            else:
                reports[name] = UnitReport(name, document.unit.kind, Finding.UNVERIFIED, detail=why)
        units = RecordedUnits(self._context.workspace, self._name, self._store.access.repository).read(wanted)
        errors = {name: each for name, each in units.items() if isinstance(each, NylError)}
        read = {name: each for name, each in units.items() if isinstance(each, RecordedUnit)}
        for name, error in errors.items():
            document = snapshot.desired[name]
            reports[name] = UnitReport(name, document.unit.kind, Finding.ERROR, detail=error.diagnostic.message)
        looks, warnings = self._ask(read, snapshot)
        reports |= {each.unit: each.report for each in looks}
        told = tuple(found for each in errors.values() for found in each.diagnostics)
        return _Found(tuple(reports[name] for name in sorted(reports)), looks, read, (*warnings, *told))

    def _ask(
        self, read: Mapping[str, RecordedUnit], snapshot: StateSnapshot
    ) -> tuple[tuple[Look, ...], tuple[Diagnostic, ...]]:
        """Every driver's answer, as many at a time as there are slots."""
        if not read:
            return (), ()
        workspace = self._context.workspace
        slots_wanted = self._context.concurrency
        facts = {name: self._receipt(snapshot, name) for name in read}
        with slot_pool(slots_wanted, workspace.environ) as slots, ThreadPoolExecutor(slots_wanted) as pool:
            executor = self._context.executor(self._name, slots, lambda unit: read[unit].place, None, [])
            asked = [
                (name, pool.submit(self._ask_one, executor, each, facts[name])) for name, each in sorted(read.items())
            ]
            answers = [(name, future.result()) for name, future in asked]
        now = workspace.clock.now()
        looks = []
        for name, answer in answers:
            receipt = snapshot.observed[name].receipt
            assert receipt is not None
            looks.append(Look(read[name].document, receipt, answer, now))
        return tuple(looks), tuple(executor.warnings)

    def _ask_one(self, executor: UnitExecutor, recorded: RecordedUnit, receipt: ReceiptFacts) -> VerifyOutcome:
        from nyl.units.execution import verify as ask

        name = recorded.unit.name
        self._context.tell(self._name, f"verifying {name}")
        unit = recorded.unit.resolved(self._name, recorded.document.resolved_spec)
        return executor.work(
            recorded.unit, recorded.place, lambda context: ask(recorded.unit.driver, unit, context, receipt)
        )

    def _receipt(self, snapshot: StateSnapshot, name: str) -> ReceiptFacts:
        observed, artifact = snapshot.observed[name], stored_artifact(self._store)
        receipt = observed.receipt
        assert receipt is not None
        artifacts = {each: artifact(snapshot, name, each) for each in receipt.artifacts}
        return ReceiptFacts(receipt.outputs, artifacts, observed.unit.uid)

    def _news(self, found: _Found, snapshot: StateSnapshot) -> bool:
        return any(news(findings(each, self._run), snapshot.observations.get(each.unit, {})) for each in found.looks)

    def _write(self, found: _Found, snapshot: StateSnapshot) -> tuple[Landed, _Found]:
        """Takes the lease and writes what is new of the receipts that are still there."""
        self._context.tell(self._name, "writing what was found")
        session = self._take()
        try:
            for _ in range(_WRITES):
                units, looks = still_valid(found.units, found.looks, session.snapshot)
                valid = replace(found, units=units, looks=looks)
                try:
                    return session.conclude(self._transition(valid, session)), valid
                except StateMoved:
                    continue
            raise moved_too_often(self._name, _WRITES)
        except BaseException:
            session.abandon()
            raise

    def _take(self) -> Session:
        context = self._context
        wanted = RunRequest(
            run=self._run,
            operation=_OPERATION,
            runner=context.runner_name,
            identity=context.identity,
            source_commit="",
            term=context.workspace.config.orchestration.lease_grace,
            keeps_run_ref=False,
            given_up=context.is_cancelled,
        )
        return self._store.take(wanted, context.request.wait_lease)

    def _transition(self, found: _Found, session: Session) -> Transition:
        known, context = session.snapshot.observations, self._context
        new = {each.unit: news(findings(each, self._run), known.get(each.unit, {})) for each in found.looks}
        description = RunDescription(
            _OPERATION,
            self._name,
            self._run,
            _source(session.snapshot),
            context.runner_name,
            context.workspace.clock.now(),
        )
        return Transition(
            verify_headline(self._name, found.units),
            verify_summary(found.units),
            trailers(description),
            observations={unit: dict(each) for unit, each in new.items() if each},
        )

    def _told(self, found: _Found, snapshot: StateSnapshot) -> tuple[Diagnostic, ...]:
        told: list[Diagnostic] = []
        looked = {each.unit for each in found.looks}
        for each in found.units:
            if each.verdict is Finding.DRIFTED:
                observed = snapshot.observed.get(each.unit)
                told.append(verify_drift_warning(self._drifted(found.read[each.unit], observed, each.detail)))
            elif each.verdict is Finding.ERROR and each.unit in looked:
                told.append(verify_failed(self._name, each.unit, each.detail))
        return tuple(told)

    def _drifted(self, recorded: RecordedUnit, observed: ObservedUnit | None, detail: str) -> DriftedUnit:
        document = recorded.document
        safe = recovery_policy(recorded.unit, document.resolved_spec) is RecoveryPolicy.CONVERGE
        policy = effective_policy(recorded.unit.rendered.approval, observed)
        return DriftedUnit(self._name, document, detail, safe, self._repair, policy, repair_of(observed) is not None)


def _source(snapshot: StateSnapshot) -> str:
    """The commit that the recorded documents were last resolved at."""
    record = snapshot.environment_record
    return record.source_commit if record else ""


def _cancelled(environment: str) -> NylError:
    return NylError(
        Code.RUN_CANCELLED,
        f"The verification of {environment} was cancelled; it wrote nothing.",
        f"run `nyl verify -e {environment}` again",
        environment=environment,
    )
