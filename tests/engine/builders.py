"""Units, states and runs of an environment `dev`, in memory: what the engine's decisions are held against."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any, cast

from nyl.core.cancellation import CancellationToken
from nyl.core.clock import Instant
from nyl.core.diagnostics import Location, NylError, Problems
from nyl.engine.authorization import Authorization
from nyl.engine.conclusion import Conclusion
from nyl.engine.dead_runs import settle_without_keys
from nyl.engine.deletion_verdicts import Deletions
from nyl.engine.events import Event
from nyl.engine.executions import Executions
from nyl.engine.graph import dependency_order
from nyl.engine.ledger import Ledger
from nyl.engine.lifecycle_work import LifecycleWork, kinds_of
from nyl.engine.outcomes import AnyOutcome, RunOutcome
from nyl.engine.preflight import CheckedUnit, Nameable, Renderings, check_units
from nyl.engine.preparation import PreparedEnvironment, RenderedEnvironment
from nyl.engine.production import Unavailable
from nyl.engine.recorded_kinds import RecordedKinds
from nyl.engine.recorded_units import RecordedUnit
from nyl.engine.recording import RunFacts
from nyl.engine.resolution import ForeignProducer, InputsOf, Resolution, Resolver
from nyl.engine.runner import Runner, RunOptions, Services
from nyl.engine.slots import SlotLayout, Workplace
from nyl.engine.source import Source
from nyl.engine.takeover import take_over
from nyl.engine.teardown_permissions import Permissions
from nyl.engine.teardowns import CarryOut, TeardownParts
from nyl.project.common_fields import approval_policy
from nyl.project.rendering import Rendering
from nyl.project.resources import (
    Admission,
    DriftRepair,
    Environment,
    EnvironmentGroup,
    EnvironmentSource,
    StateLocation,
)
from nyl.project.units import DeletionPolicy, OutputDeclaration, RenderedUnit, UnitAddress
from nyl.state.changes import Batch, Landed, Transition
from nyl.state.coordination_documents import Break, Checkpoint, Lease, LeaseState, Run, RunState
from nyl.state.documents import (
    Condition,
    ConditionState,
    Data,
    DesiredUnit,
    InputRecord,
    ObservedUnit,
    Provenance,
    Receipt,
    StateRecord,
    UnitIdentity,
)
from nyl.state.lifecycles import Hold, LifecycleState
from nyl.state.session import Session
from nyl.state.snapshot import RunRef, StateSnapshot
from nyl.units.command import CommandDriver
from nyl.units.driver import Driver, ReceiptFacts, TeardownOrder
from nyl.units.outcomes import Failed, FailureCategory, Outcome, Removed, Succeeded, TeardownOutcome, Uncertain
from tests.project.builders import project_of

S = "8400718ac2236aa6b71cd5a9c43d4ddd94545257"
DESIRED = "1c139deeb2d48d5c13cbda789c5ad66a70b3c59d"
OBSERVED = "e83e5163316f89bfbde7d9ab23ca2e25604af290"
RUN = "01a1732a-44de-7b8d-90ca-4602a61d3a51"
EARLIER = "01a1732a-11d1-7ed6-a3cc-174dc69c7856"
NOW = Instant.parse("2026-10-25T13:05:12.386099409Z")
KEY = "sha256:" + "6" * 64
OTHER_KEY = "sha256:" + "7" * 64
API = "units.gitops.nyl/v1"
COMMAND = CommandDriver()
PERMITS_NOTHING = Permissions()
HOLD = Hold("alice", NOW, "incident")

BREAKS = Failed(FailureCategory.EXECUTION, False, "./run.sh ended with exit code 1")
BREAKS_FOR_NOW = Failed(FailureCategory.EXECUTION, True, "./run.sh ended with exit code 1")
VANISHES = Uncertain("./run.sh passed its timeout of 1m")


# Declarations


def environment(name: str = "dev", labels: Mapping[str, str] | None = None, **fields: Any) -> Environment:
    """An Environment that selects every unit."""
    plain = Environment(
        name=name,
        labels=labels or {},
        match_labels={},
        values={},
        source=EnvironmentSource(),
        state=StateLocation(
            desired_ref=f"refs/heads/nyl/{name}/desired", observed_ref=f"refs/heads/nyl/{name}/observed"
        ),
        protected_refs=None,
        allow_unprotected_source=False,
        drift_repair=DriftRepair.CONVERGE,
        admission=Admission(),
        location=Location(f"environments/{name}.yaml", 1),
        document={"metadata": {"name": name}},
    )
    return replace(plain, **fields)


def group(name: str, **labels: str) -> EnvironmentGroup:
    """An EnvironmentGroup of the environments with some labels."""
    return EnvironmentGroup(name, labels, {}, Location(f"groups/{name}.yaml", 1))


def output(name: str, unit: str, environment: str | None = None) -> dict[str, Any]:
    """A reference to an output, as a spec holds it."""
    return {"fromUnit": {"unit": unit, "output": name} | ({"environment": environment} if environment else {})}


def artifact(name: str, unit: str, pointer: str = "") -> dict[str, Any]:
    """A reference to a value in an artifact, as a spec holds it."""
    return {"fromUnit": {"unit": unit, "artifact": name} | ({"pointer": pointer} if pointer else {})}


def unit(
    name: str,
    *needs: str,
    outputs: Mapping[str, str | OutputDeclaration] | None = None,
    deletion_policy: DeletionPolicy | None = None,
    **spec: Any,
) -> RenderedUnit:
    """A rendered Command that depends on `needs`, and declares outputs by their types."""
    declared = {
        each: kind if isinstance(kind, OutputDeclaration) else OutputDeclaration(kind)
        for each, kind in (outputs or {}).items()
    }
    addresses = tuple(UnitAddress(each.rpartition("/")[2], each.rpartition("/")[0] or None) for each in needs)
    return RenderedUnit(
        api_version=API,
        kind="Command",
        name=name,
        labels={},
        location=Location(f"units/{name}.yaml", 1),
        spec={"command": [f"./{name}.sh"], **spec},
        enabled=True,
        outputs=declared,
        depends_on=addresses,
        approval=approval_policy(spec),
        deletion_policy=deletion_policy,
        timeout=timedelta(minutes=30),
        passthrough=(),
        secrets={},
    )


def check(
    *units: RenderedUnit, others: Mapping[str, Mapping[str, RenderedUnit]] | None = None, driver: Driver = COMMAND
) -> dict[str, CheckedUnit]:
    """Units of dev that pass every check. Raises every problem that they have."""
    problems = Problems()
    known: Renderings = (others or {}).get
    checked = check_units(
        environment(), {each.name: each for each in units}, lambda _: driver, Nameable(known), problems
    )
    problems.raise_any()
    return checked


# State documents


def identity(name: str) -> UnitIdentity:
    return UnitIdentity("dev", name, f"uid-{name}", API, "Command")


def desired(name: str = "db", key: str = KEY, **fields: Any) -> DesiredUnit:
    """What state wants of a unit."""
    spec = {"command": [f"./{name}.sh"]}
    plain = DesiredUnit(identity(name), LifecycleState.ACTIVE, S, S, spec, spec, key, InputRecord())
    return replace(plain, **fields)


def receipt(key: str = KEY, **fields: Any) -> Receipt:
    """That an earlier run executed something."""
    return replace(Receipt(key, 1, EARLIER, DESIRED, NOW, NOW, "0.0.9"), **fields)


def observed(
    name: str = "db", receipt: Receipt | None = None, condition: Condition | None = None, **fields: Any
) -> ObservedUnit:
    """What state knows of a unit."""
    return ObservedUnit(identity(name), receipt, condition, **fields)


def failed(*, retryable: bool = False, key: str = KEY) -> Condition:
    """That the last execution failed."""
    return Condition(ConditionState.FAILED, EARLIER, NOW, "exit code 1", key, "execution", retryable)


def uncertain(key: str = KEY) -> Condition:
    """That nobody knows how the last execution ended."""
    return Condition(ConditionState.UNCERTAIN, EARLIER, NOW, "it was killed", key)


def snapshot(*units: tuple[DesiredUnit | None, ObservedUnit | None], **fields: Any) -> StateSnapshot:
    """State as it was read."""
    wanted = {each.unit.name: each for each, _ in units if each is not None}
    known = {each.unit.name: each for _, each in units if each is not None}
    record = StateRecord("dev", NOW, "alice@host", {})
    return StateSnapshot("dev", DESIRED, OBSERVED, record, desired=wanted, observed=known, **fields)


def run_ref(
    run: str = EARLIER,
    *,
    left: Mapping[str, Checkpoint] | None = None,
    executing: Sequence[str] = (),
    started: Mapping[str, DesiredUnit] | None = None,
    state: RunState = RunState.RUNNING,
    after: Sequence[str] = (),
) -> RunRef:
    """The run ref of a run that started units, `db` unless others are given."""
    documents = {"db": desired()} if started is None else started
    keys = {name: documents[name].execution_key for name in executing}
    record = Run("dev", run, "reconcile", "alice@host", state, S, NOW, NOW, keys, OBSERVED, tuple(after))
    return RunRef(S, record, documents, left or {})


# Runs


def everything(unit: CheckedUnit, document: DesiredUnit) -> Outcome:
    """Succeeds, with an output that tells the unit for every one that it declares."""
    return Succeeded({each: f"{each}-of-{unit.name}" for each in unit.rendered.outputs})


def no_inputs(unit: CheckedUnit, spec: Mapping[str, Any]) -> InputRecord:
    """What units read that read no files."""
    return InputRecord()


def nobody(address: UnitAddress) -> Unavailable:
    """Other environments that provide nothing."""
    return Unavailable(f"{address} has no receipt yet")


@dataclass
class StillClock:
    """A clock that stands still."""

    def now(self) -> Instant:
        return NOW

    def monotonic(self) -> float:
        return 0.0

    def sleep(self, seconds: float) -> None:
        raise AssertionError("nothing here may sleep")


@dataclass
class Desk:
    """Where a run's pushes go. `holds` arrive with the push of their number, which is counted from 0."""

    holds: Mapping[int, Mapping[str, Data]] = field(default_factory=dict)
    trouble: Mapping[int, NylError] = field(default_factory=dict)
    batches: list[Batch] = field(default_factory=list)
    arrived: dict[str, Data] = field(default_factory=dict)
    deadline: Instant = NOW + timedelta(hours=1)
    on_push: Callable[[Batch], None] = lambda _: None

    @property
    def lease(self) -> Lease:
        return Lease("dev", RUN, "reconcile", "alice@host", "ab12", LeaseState.HELD, NOW, self.deadline)

    def checkpoint(self, batch: Batch) -> Mapping[str, Data]:
        number = len(self.batches)
        self.batches.append(batch)
        self.on_push(batch)
        if number in self.trouble:
            raise self.trouble[number]
        self.arrived |= self.holds.get(number, {})
        return dict(self.arrived)

    @property
    def started(self) -> list[str]:
        """Units whose start was recorded, in order."""
        return [name for batch in self.batches for name in batch.starting if name not in self.arrived]


class Estate:
    """The units of dev over a state that lives in memory. Each run reads it and writes its transition to it."""

    def __init__(
        self,
        *units: RenderedUnit,
        state: StateSnapshot | None = None,
        inputs: InputsOf = no_inputs,
        foreign: ForeignProducer = nobody,
        others: Mapping[str, Mapping[str, RenderedUnit]] | None = None,
        driver: Driver = COMMAND,
    ) -> None:
        self.state = state or snapshot()
        self.inputs = inputs
        self.foreign = foreign
        self.others = others
        self.driver = driver
        self.artifacts: dict[tuple[str, str], Data] = {}
        self.breaks: tuple[Break, ...] = ()
        self.newer: Mapping[str, frozenset[str]] = {}
        self.events: list[Event] = []
        self.ran: list[str] = []
        self.orders: dict[str, TeardownOrder] = {}
        self.users: dict[str, tuple[str, ...]] = {}
        self.missing: dict[str, NylError] = {}
        self.desk = Desk()
        self.declare(*units)

    def declare(self, *units: RenderedUnit) -> "Estate":
        """Other units than before."""
        self.units = check(*units, others=self.others, driver=self.driver)
        self.order = dependency_order({name: each.needs for name, each in self.units.items()})
        return self

    def ledger(self) -> Ledger:
        """What a run knows at first: the state, and what dead runs left, where `newer` does not say better."""
        state = self.state
        ledger = Ledger(state, lambda _, unit, name: self.artifacts[unit, name], holds=dict(state.dead_holds))
        ledger.takeover = take_over(state, state.runs, self.breaks, self.newer, NOW)
        settle_without_keys(ledger, self.units)
        return ledger

    def died(self, *runs: RunRef, breaks: Sequence[Break] = ()) -> "Estate":
        """Runs that ended without their transition."""
        self.state = replace(self.state, runs={each.record.run: each for each in runs})
        self.breaks = tuple(breaks)
        return self

    def resolver(self, ledger: Ledger | None = None) -> Resolver:
        return Resolver(self.units, self.order, self.inputs, self.foreign, ledger or self.ledger())

    def resolutions(self) -> dict[str, Resolution]:
        """How every unit stands now."""
        return self.resolver().resolutions

    def standings(self) -> dict[str, str]:
        return {name: each.standing.value for name, each in self.resolutions().items()}

    def hold(self, name: str) -> "Estate":
        """Holds a unit that has a desired document."""
        held = replace(self.state.desired[name], lifecycle=LifecycleState.HELD, hold=HOLD)
        return self.record(held)

    def record(self, *documents: DesiredUnit | ObservedUnit) -> "Estate":
        """Puts documents into the state."""
        wanted = {each.unit.name: each for each in documents if isinstance(each, DesiredUnit)}
        known = {each.unit.name: each for each in documents if isinstance(each, ObservedUnit)}
        state = self.state
        self.state = replace(state, desired={**state.desired, **wanted}, observed={**state.observed, **known})
        return self

    def run(
        self,
        outcomes: Mapping[str, AnyOutcome] | None = None,
        execute: Callable[[CheckedUnit, DesiredUnit], Outcome] = everything,
        desk: Desk | None = None,
        cancellation: CancellationToken | None = None,
        only: frozenset[str] | None = None,
        permissions: Permissions = PERMITS_NOTHING,
        reviewed: str | None = None,
        **options: Any,
    ) -> Conclusion:
        """A whole run. Units end as `outcomes` says, others as `execute` does; what it changed is in the state then.

        It approves every unit that has a key at first, by the digest `reviewed` of the change.

        Teardowns are in `ran` with a minus, and end with Removed unless `outcomes` says otherwise.
        """
        self.ran, self.desk = [], desk or Desk()

        def work(
            unit: CheckedUnit, document: DesiredUnit, receipt: ReceiptFacts, approved_digest: str | None
        ) -> Outcome:
            self.ran.append(unit.name)
            outcome = (outcomes or {}).get(unit.name)
            return cast(Outcome, outcome) if outcome else execute(unit, document)

        def tear_down(
            recorded: RecordedUnit, document: DesiredUnit, receipt: ReceiptFacts, order: TeardownOrder, _: str | None
        ) -> TeardownOutcome:
            self.ran.append(f"-{recorded.unit.name}")
            self.orders[recorded.unit.name] = order
            return (outcomes or {}).get(recorded.unit.name) or Removed()

        facts = RunFacts("dev", RUN, S, S, self.state.desired_commit)
        ledger, lifecycle = self.ledger(), self.lifecycle(facts, permissions, tear_down, deletes=only is None)
        lifecycle.settle(ledger)
        resolver = self.resolver(ledger)
        if reviewed is not None:
            found = resolver.resolutions.items()
            resolver.approve({name: Authorization(each.key, reviewed) for name, each in found if each.key})
        settings = RunOptions(**{"concurrency": 2, "grace": timedelta(minutes=5), **options})
        services = Services(StillClock(), self._hear, cancellation or CancellationToken())
        session = cast(Session, self.desk)
        runner, teardowns = Runner(session, facts, settings, services), lifecycle.agenda(ledger)
        outcome = runner.run(Executions(facts, self.units, resolver, work, only))
        if lifecycle.deletes:
            outcome = runner.run(teardowns)
            teardowns.decide()
        conclusion = self.conclude(facts, resolver, outcome, only, lifecycle.deletions(ledger, outcome))
        self._write(conclusion.transition("alice@host", NOW))
        return conclusion

    def lifecycle(
        self,
        facts: RunFacts,
        permissions: Permissions,
        tear_down: CarryOut,
        *,
        deletes: bool,
    ) -> LifecycleWork:
        """The lifecycle of a run, whose teardowns work on no files."""
        kinds = RecordedKinds(lambda _: self.driver)
        parts = TeardownParts(kinds, self._recorded, tear_down, lambda name: self.users.get(name, ()))
        return LifecycleWork(facts, parts, permissions, kinds_of(self.units), deletes)

    def _recorded(self, documents: Sequence[DesiredUnit]) -> dict[str, RecordedUnit | NylError]:
        place = Workplace({}, SlotLayout((), {}))
        found: dict[str, RecordedUnit | NylError] = {}
        for each in documents:
            rendered = replace(unit(each.unit.name), spec=each.resolved_spec)
            found[each.unit.name] = self.missing.get(each.unit.name) or RecordedUnit(
                each, CheckedUnit(rendered, self.driver, (), frozenset(), frozenset()), place
            )
        return found

    def conclude(
        self,
        facts: RunFacts,
        resolver: Resolver,
        outcome: RunOutcome,
        only: frozenset[str] | None = None,
        deletions: Deletions | None = None,
    ) -> Conclusion:
        """What a run comes to."""
        resolver.ledger.settle_rest()
        rendering = Rendering({name: each.rendered for name, each in self.units.items()})
        rendered = RenderedEnvironment(environment(), Source(S), project_of(Path("/nowhere"), {}), rendering)
        prepared = PreparedEnvironment(rendered, self.units, self.order, {}, {})
        kinds = RecordedKinds(lambda _: self.driver)
        ledger = resolver.ledger
        return Conclusion(
            prepared,
            facts,
            resolver.resolutions,
            ledger,
            outcome,
            only,
            kinds,
            deletions or Deletions(ledger, outcome=outcome),
        )

    def _hear(self, event: Event) -> None:
        self.events.append(event)

    def _write(self, transition: Transition) -> None:
        self.written = transition
        for name, documents in transition.artifacts.items():
            self.artifacts |= {(name, each): document for each, document in documents.items()}
        documents = (*transition.desired.values(), *transition.observed.values())
        self.record(*(each for each in documents if each is not None))
        wanted = {name: each for name, each in self.state.desired.items() if transition.desired.get(name, each)}
        known = {name: each for name, each in self.state.observed.items() if transition.observed.get(name, each)}
        self.state = replace(self.state, desired=wanted, observed=known)
        self.state = replace(self.state, environment_record=transition.environment or self.state.environment_record)


def results(conclusion: Conclusion) -> dict[str, str]:
    """Unit -> its result."""
    return {each.unit: str(each.verdict) for each in conclusion.verdicts}


def details(conclusion: Conclusion) -> dict[str, str]:
    """Unit -> what its verdict says beside the result."""
    return {each.unit: each.detail for each in conclusion.verdicts}


def landed() -> Landed:
    """That both state refs were written."""
    return Landed(DESIRED, OBSERVED)


def provenance(name: str = "db", **fields: Any) -> Provenance:
    return replace(Provenance(name, f"uid-{name}", KEY, observed_commit=OBSERVED), **fields)


def checkpoint(document: ObservedUnit, **artifacts: Data) -> Checkpoint:
    return Checkpoint(document, artifacts)


def codes(error: NylError | Iterable[Any]) -> list[str]:
    """The codes of diagnostics, in their order."""
    found: Sequence[Any] = error.diagnostics if isinstance(error, NylError) else tuple(error)
    return [each.code.value for each in found]
