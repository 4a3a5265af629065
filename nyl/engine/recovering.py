"""`nyl recover` of an environment: what dead runs left is imported as a run that takes over would, without executing.

Follows the section Breaking a lease of the Recovery page. It keeps no run ref of its own, and one push writes the
transition and gives the lease back.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError, Severity
from nyl.core.ids import new_id
from nyl.engine.commit_identity import commit_identity
from nyl.engine.conclusion import Conclusion
from nyl.engine.dead_runs import inheriting_ledger
from nyl.engine.events import Step
from nyl.engine.foreign import ForeignProducers
from nyl.engine.interruptions import moved_too_often
from nyl.engine.invocation import open_invocation
from nyl.engine.ledger import Ledger
from nyl.engine.lifecycle import Kind, settle
from nyl.engine.lifecycle_work import LifecycleWork, kinds_of, previewing_parts
from nyl.engine.operations import Actor, Change, Operation, named_units, operate
from nyl.engine.outcomes import RunOutcome
from nyl.engine.permission import RunRules
from nyl.engine.preparation import PreparedEnvironment
from nyl.engine.recorded_kinds import RecordedKinds
from nyl.engine.recording import RunFacts
from nyl.engine.requests import Selection, SourceChoice
from nyl.engine.resolution import Resolver
from nyl.engine.results import EnvironmentReport, Report, ReportKind
from nyl.engine.states import States, runner_name
from nyl.engine.survey import Surveyor
from nyl.engine.teardown_permissions import Permissions
from nyl.engine.unit_recovery import accept, retry
from nyl.engine.workspace import Workspace
from nyl.git.config import Identity
from nyl.state.changes import Landed
from nyl.state.landing import StateMoved
from nyl.state.refusals import given_up
from nyl.state.session import Session
from nyl.state.snapshot import StateSnapshot
from nyl.state.store import StateStore
from nyl.state.taking import RunRequest

OPERATION = "recover"
_NO_STATE = frozenset({Code.STATE_MISSING, Code.STATE_MOVED, Code.STATE_DIVERGED})
_RESOLUTIONS = 5
"""How often the import is decided again because another environment's writer moved a shared ref."""


@dataclass(frozen=True)
class RecoverRequest:
    """`nyl recover` of a whole environment. `author` None is Git's own identity."""

    environment: str
    reason: str = ""
    author: Identity | None = None
    wait_lease: timedelta | None = None


def recover_environment(workspace: Workspace, request: RecoverRequest) -> Report:
    """Imports what dead runs left of an environment, and records the breaks of their leases.

    Raises what taking a lease and preparing an environment raise, and NYL-COMMIT-IDENTITY-MISSING before that.
    """
    identity = commit_identity(workspace, request.author)
    invocation = open_invocation(workspace, Selection((request.environment,)), SourceChoice())
    prepared = invocation.prepare(request.environment)
    recovery = _Recovery(workspace, request, prepared, States(workspace))
    try:
        session = recovery.take(identity)
    except NylError as error:
        if error.diagnostic.code not in _NO_STATE:
            raise
        return recovery.release(identity, error)
    try:
        conclusion, landed = recovery.import_into(session)
    except BaseException:
        session.abandon()
        raise
    return _report(conclusion, landed)


@dataclass(frozen=True)
class _Recovery:
    workspace: Workspace
    request: RecoverRequest
    prepared: PreparedEnvironment
    states: States

    def take(self, identity: Identity) -> Session:
        """The lease, together with the dead runs that nothing else may take over."""
        self.workspace.listener(Step(self.prepared.name, "taking the lease"))
        return self._store.take(self._wanted(identity), self.request.wait_lease)

    def release(self, identity: Identity, missing: NylError) -> Report:
        """Lets a broken lease go, so that state which is missing or moved can be repaired. Raises `missing` else."""
        runs = self._store.release_broken(self._wanted(identity), self.request.wait_lease)
        if not runs:
            raise missing
        told = tuple(replace(each, severity=Severity.WARNING) for each in missing.diagnostics)
        section = EnvironmentReport(self.prepared.name, diagnostics=told)
        details = {"released": "the broken lease; run refs stay until there is a state to import them to", "runs": runs}
        return Report(ReportKind.OPERATION, (section,), operation=OPERATION, details=details)

    @property
    def _store(self) -> StateStore:
        return self.states.store(self.prepared.environment)

    def _wanted(self, identity: Identity) -> RunRequest:
        orchestration = self.workspace.config.orchestration
        return RunRequest(
            run=new_id(),
            operation=OPERATION,
            runner=runner_name(self.workspace.environ),
            identity=identity,
            source_commit=self.prepared.source.commit,
            term=orchestration.resolution_timeout + orchestration.lease_grace,
            imports=True,
            keeps_run_ref=False,
            given_up=self.workspace.cancelled,
        )

    def import_into(self, session: Session) -> tuple[Conclusion, Landed]:
        """Writes what the dead runs left into the state, deciding again while others move a shared ref."""
        for _ in range(_RESOLUTIONS):
            conclusion = self._conclude(session)
            if self.workspace.cancelled():
                raise given_up(self.prepared.name, OPERATION)
            now = self.workspace.clock.now()
            transition = conclusion.transition(runner_name(self.workspace.environ), now)
            try:
                if transition.empty:
                    session.release(transition.consumes)
                    return conclusion, Landed(None, None)
                self.workspace.listener(Step(self.prepared.name, "writing what was imported"))
                return conclusion, session.conclude(transition)
            except StateMoved:
                continue
        raise moved_too_often(self.prepared.name, _RESOLUTIONS)

    def _conclude(self, session: Session) -> Conclusion:
        prepared, workspace = self.prepared, self.workspace
        store = self.states.store(prepared.environment)
        ledger = inheriting_ledger(store, session.snapshot, prepared.units, workspace.clock.now())
        kinds, owned, facts = RecordedKinds(workspace.recorded_driver), kinds_of(prepared.units), self._facts(session)
        parts = previewing_parts(self.states, prepared.name)
        lifecycle = LifecycleWork(facts, parts, Permissions(), owned, deletes=False)
        lifecycle.settle(ledger)
        foreign = ForeignProducers(self.states, workspace.worktree.environments, {})
        rules = RunRules(drift_repair=prepared.environment.drift_repair)
        surveyor = Surveyor(workspace, self.states, evaluates_fingerprints=True)
        with surveyor.inputs(prepared) as inputs:
            completions = surveyor.completions(prepared)
            resolver = Resolver(
                prepared.units, prepared.order, inputs, foreign, ledger, rules=rules, complete=completions
            )
        ledger.settle_rest()
        _leave(ledger, owned, kinds)
        outcome = RunOutcome()
        deletions = lifecycle.deletions(ledger, outcome)
        return Conclusion(
            prepared,
            facts,
            resolutions=resolver.resolutions,
            ledger=ledger,
            outcome=outcome,
            only=frozenset(),
            kinds=kinds,
            deletions=deletions,
        )

    def _facts(self, session: Session) -> RunFacts:
        source, desired = self.prepared.source, session.snapshot.desired_commit
        return RunFacts(
            self.prepared.name,
            session.lease.run,
            source.commit,
            source.revision,
            desired,
            operation=OPERATION,
            reason=self.request.reason,
        )


def _leave(ledger: Ledger, owned: Mapping[str, Kind], kinds: RecordedKinds) -> None:
    """Units of dead runs that are not in the ownership set any more are to be deleted, as any that leave it."""
    for name in ledger.takeover.touched:
        document = ledger.desired.get(name)
        if document is None:
            continue
        move = settle(document, owned.get(name), kinds.leaving_effect(document))
        if move.document is not None:
            ledger.desired[name] = move.document


def _report(conclusion: Conclusion, landed: Landed) -> Report:
    section = conclusion.section(landed, ())
    commits = {"desired": landed.desired, "observed": landed.observed}
    written = {name: commit for name, commit in commits.items() if commit is not None}
    found = {"imported": list(section.imported), "recovered": list(section.recovered), **section.details}
    details = {**written, **dict(sorted(found.items()))}
    told = EnvironmentReport(
        section.environment,
        source=section.source,
        desired=section.desired,
        observed=section.observed,
        written=section.written,
        diagnostics=tuple(conclusion.ledger.takeover.warnings),
    )
    return Report(ReportKind.OPERATION, (told,), operation=OPERATION, details=details)


@dataclass(frozen=True)
class UnitDecision:
    """`nyl recover --unit`: to accept the checkpoint of a run, or, without one, to let the unit run again."""

    unit: str
    accepted_run: str | None = None


def recover_unit(workspace: Workspace, request: RecoverRequest, decision: UnitDecision) -> Report:
    """Records an operator's decision about one unit, in one observed commit.

    Raises NYL-RECOVER-REFUSED for a decision that cannot be recorded, NYL-UNIT-UNKNOWN, and what taking a lease
    raises; while a dead run is not imported, that is NYL-LEASE-BROKEN or NYL-RUN-UNIMPORTED.
    """
    operation = Operation(OPERATION, request.environment, request.author, request.wait_lease)
    (unit,) = named_units(request.environment, (decision.unit,))

    def decide(snapshot: StateSnapshot, _actor: Actor) -> Change:
        if decision.accepted_run is None:
            return retry(snapshot, unit, request.reason)
        return accept(snapshot, unit, decision.accepted_run, request.reason)

    return operate(workspace, operation, decide)
