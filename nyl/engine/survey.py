"""One environment resolved against its state without a lease: what plan and status look at."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Diagnostic
from nyl.engine.completions import CompletionOf, completions, recalled_completions
from nyl.engine.dead_runs import inheriting_ledger
from nyl.engine.deletion_verdicts import Deletions
from nyl.engine.fingerprints import Fingerprints, KeyInputs
from nyl.engine.foreign import ForeignProducers
from nyl.engine.leaving import find_leaving, recorded_before
from nyl.engine.ledger import Ledger
from nyl.engine.lifecycle_work import LifecycleWork, kinds_of, previewing_parts
from nyl.engine.missing_drivers import check_drivers
from nyl.engine.outcomes import RunOutcome
from nyl.engine.permission import RunRules
from nyl.engine.preparation import PreparedEnvironment
from nyl.engine.recording import RunFacts
from nyl.engine.resolution import Resolution, Resolver
from nyl.engine.results import Leaving
from nyl.engine.slots import Workplace, slot_pool, workplace
from nyl.engine.states import States
from nyl.engine.teardown_permissions import Permissions
from nyl.engine.verdicts import resolution_errors
from nyl.engine.workspace import Workspace
from nyl.state.snapshot import StateSnapshot


@dataclass(frozen=True)
class Survey:
    """How every unit of an environment stands."""

    prepared: PreparedEnvironment
    snapshot: StateSnapshot
    ledger: Ledger
    resolutions: Mapping[str, Resolution]
    leaving: tuple[Leaving, ...]
    deletions: Deletions

    def errors(self, only: frozenset[str] | None) -> tuple[Diagnostic, ...]:
        """What kept the shown units from being resolved."""
        return resolution_errors(self.prepared.name, self.resolutions, only)


@dataclass(frozen=True)
class Surveyor:
    """Surveys environments of one invocation. Nothing that it does writes to a remote."""

    workspace: Workspace
    states: States
    evaluates_fingerprints: bool
    repairs: bool = True
    """Whether drifted units are decided on as a reconcile would; else they are drifted, with current receipts."""
    allows_teardown: bool = False
    """Whether deletions are decided on as if --allow-teardown was given."""
    concurrency: int | None = None
    """How many fingerprints are evaluated at once; None takes the project's."""

    def survey(
        self, prepared: PreparedEnvironment, foreign: ForeignProducers, snapshot: StateSnapshot | None = None
    ) -> Survey:
        """Resolves an environment against its state: as it is now, unless a snapshot of it is given."""
        store = self.states.store(prepared.environment)
        read = snapshot or store.read()
        ledger = inheriting_ledger(store, read, prepared.units, self.workspace.clock.now())
        check_drivers(prepared, ledger.recorded.values(), self.workspace)
        lifecycle = self._lifecycle(prepared, read)
        lifecycle.settle(ledger)
        repair, is_local = prepared.environment.drift_repair, self.workspace.is_local
        rules = RunRules(drift_repair=repair, repairs=self.repairs, local=is_local)
        with self.inputs(prepared) as inputs:
            complete = self.completions(prepared)
            resolver = Resolver(prepared.units, prepared.order, inputs, foreign, ledger, rules=rules, complete=complete)
        effect = lifecycle.parts.kinds.leaving_effect
        recorded = recorded_before(ledger, lifecycle.settlement)
        leaving = find_leaving(recorded, prepared.units.keys(), prepared.why_leaving, effect)
        lifecycle.agenda(ledger).preview()
        deletions = lifecycle.deletions(ledger, RunOutcome())
        return Survey(prepared, read, ledger, resolver.resolutions, leaving, deletions)

    def _lifecycle(self, prepared: PreparedEnvironment, read: StateSnapshot) -> LifecycleWork:
        source = prepared.source
        facts = RunFacts(prepared.name, "", source.commit, source.revision, read.desired_commit)
        parts = previewing_parts(self.states, prepared.name)
        return LifecycleWork(facts, parts, Permissions(self.allows_teardown), kinds_of(prepared.units))

    def completions(self, prepared: PreparedEnvironment) -> CompletionOf:
        """What the drivers of an environment add to its units; what is known of that, if nothing is evaluated."""
        complete = completions if self.evaluates_fingerprints else recalled_completions
        return complete(prepared.name, prepared.rendered.source_project)

    @contextmanager
    def inputs(self, prepared: PreparedEnvironment) -> Iterator[KeyInputs]:
        """What the units of an environment read, with their fingerprints if those are evaluated."""
        fingerprinted = any(each.inputs.fingerprint for each in prepared.contents.values())
        if not self.evaluates_fingerprints or not fingerprinted:
            yield KeyInputs(prepared.contents, prepared.inputs, None)
            return

        def place(unit: str) -> Workplace:
            return workplace(prepared.contents[unit], prepared.inputs[unit])

        concurrency = self.concurrency or self.workspace.config.orchestration.concurrency
        environ = self.workspace.environ
        with slot_pool(concurrency, environ) as slots:
            fingerprints = Fingerprints(prepared.name, slots, place, environ, self.workspace.cancellation)
            inputs = KeyInputs(prepared.contents, prepared.inputs, fingerprints)
            inputs.evaluate_ahead(prepared.units.values(), concurrency)
            yield inputs
