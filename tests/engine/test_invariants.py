"""What holds for every run, whatever the units, the outcomes and the order in which things happen."""

from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nyl.core.clock import SystemClock
from nyl.engine.preflight import CheckedUnit
from nyl.engine.reconcile import reconcile
from nyl.engine.requests import ReconcileRequest, Selection
from nyl.engine.workspace import Workspace
from nyl.project.units import RenderedUnit
from nyl.state.documents import DesiredUnit, Repair
from nyl.units.outcomes import Outcome, Succeeded
from tests.engine.builders import BREAKS, BREAKS_FOR_NOW, NOW, VANISHES, Desk, Estate, output, unit
from tests.engine.builders import HOLD as SENT
from tests.support.world import World

NAMES = "abcdef"
REPAIR = Repair("alice", NOW, ("state", "rm", "x"))
REVIEWED = "sha256:" + "d" * 64
OUTCOMES = (None, None, None, BREAKS, BREAKS_FOR_NOW, VANISHES)
Run = dict[str, Outcome | None]


@st.composite
def declarations(draw: st.DrawFn) -> list[RenderedUnit]:
    """Units that read outputs of, or just follow, units before them. All declare the output `x`."""
    units = []
    for index, name in enumerate(NAMES):
        reads = draw(st.frozensets(st.sampled_from(NAMES[:index]), max_size=2)) if index else frozenset()
        follows = draw(st.frozensets(st.sampled_from(NAMES[:index]), max_size=1)) if index else frozenset()
        values = {each: output("x", each) for each in sorted(reads)}
        size, converges = draw(st.integers(0, 1)), draw(st.booleans())
        spec: dict[str, Any] = {"command": [f"./{name}.sh", str(size)], "values": values, "idempotent": converges}
        units.append(unit(name, *sorted(follows), outputs={"x": "string"}, **spec))
    return units


RUNS = st.fixed_dictionaries({name: st.sampled_from(OUTCOMES) for name in NAMES})
SOME = st.frozensets(st.sampled_from(NAMES), max_size=3)
FEW = settings(max_examples=settings.default.max_examples // 2)
"""Each example is a run or two of six units, which tries dozens of cases of its own."""


@dataclass
class Witness:
    """Executes units, and fails when one runs on anything but the current receipts of its producers."""

    estate: Estate
    outcomes: Run

    def __post_init__(self) -> None:
        state, standings = self.estate.state, self.estate.standings()
        self.readable = {
            name: known.receipt.outputs["x"]
            for name, known in state.observed.items()
            if known.receipt is not None and standings.get(name) in ("current", "held")
        }

    def __call__(self, unit: CheckedUnit, document: DesiredUnit) -> Outcome:
        assert unit.needs <= self.readable.keys()
        read = document.resolved_spec["values"]
        assert read == {each: self.readable[each] for each in read}
        outcome = self.outcomes[unit.name]
        if outcome is not None:
            return outcome
        value = f"{unit.name}:{document.spec['command'][1]}"
        self.readable[unit.name] = value
        return Succeeded({"x": value})


def go(estate: Estate, outcomes: Run, **options: Any) -> Estate:
    estate.run(execute=Witness(estate, outcomes), **options)
    return estate


def succeed() -> Run:
    return dict.fromkeys(NAMES)


@FEW
@given(declarations(), declarations(), RUNS, RUNS, SOME)
def test_no_unit_runs_on_a_producer_that_is_not_current(
    first: list[RenderedUnit], second: list[RenderedUnit], one: Run, two: Run, held: frozenset[str]
) -> None:
    estate = go(Estate(*first), one)
    for name in held & estate.state.desired.keys():
        estate.hold(name)
    go(estate.declare(*second), two, concurrency=3)


@FEW
@given(declarations(), declarations(), RUNS, RUNS, SOME)
def test_the_desired_document_of_a_held_unit_never_changes(
    first: list[RenderedUnit], second: list[RenderedUnit], one: Run, two: Run, held: frozenset[str]
) -> None:
    estate = go(Estate(*first), one)
    for name in held & estate.state.desired.keys():
        estate.hold(name)
    before = {name: estate.state.desired[name] for name in held & estate.state.desired.keys()}
    go(estate.declare(*second), two)
    after = {name: replace(estate.state.desired[name], hold=SENT) for name in before}
    assert after == before
    assert not before.keys() & set(estate.ran)


def repaired(estate: Estate, names: frozenset[str]) -> frozenset[str]:
    """Notes a repair of those units that something is known of; their names."""
    known = names & estate.state.observed.keys()
    for name in known:
        estate.record(replace(estate.state.observed[name], repair=REPAIR))
    return known


def unsettled(estate: Estate) -> set[str]:
    return {name for name, each in estate.state.observed.items() if each.repair is not None}


@FEW
@given(declarations(), declarations(), RUNS, RUNS, SOME)
def test_a_repaired_unit_never_runs_without_a_reviewed_change_and_stays_repaired(
    first: list[RenderedUnit], second: list[RenderedUnit], one: Run, two: Run, names: frozenset[str]
) -> None:
    estate = go(Estate(*first), one)
    waiting = repaired(estate, names)
    estate.declare(*second).run(execute=lambda unit, _: two[unit.name] or Succeeded({"x": unit.name}))
    assert not waiting & set(estate.ran)
    assert unsettled(estate) == waiting


@FEW
@given(declarations(), RUNS, RUNS, SOME)
def test_only_an_execution_that_completes_settles_a_repair(
    units: list[RenderedUnit], one: Run, two: Run, names: frozenset[str]
) -> None:
    estate = go(Estate(*units), one)
    waiting = repaired(estate, names)
    estate.run(execute=lambda unit, _: two[unit.name] or Succeeded({"x": unit.name}), reviewed=REVIEWED)
    completed = {name for name in estate.ran if two[name] is None}
    assert unsettled(estate) == waiting - completed


@FEW
@given(declarations(), RUNS, st.integers(0, 6), st.sampled_from(NAMES))
def test_a_unit_does_not_start_after_a_hold_was_sent(
    units: list[RenderedUnit], outcomes: Run, push: int, name: str
) -> None:
    desk = Desk(holds={push: {name: SENT}})
    estate = go(Estate(*units), outcomes, desk=desk, concurrency=1)
    late = [each for batch in desk.batches[push:] for each in batch.starting]
    assert name not in late or name not in estate.ran


@FEW
@given(declarations(), RUNS)
def test_a_repeated_run_executes_nothing_and_writes_nothing(units: list[RenderedUnit], outcomes: Run) -> None:
    estate = go(Estate(*units), succeed())
    go(estate, outcomes)
    assert (estate.ran, estate.written.empty) == ([], True)


@FEW
@given(declarations(), RUNS)
def test_a_run_that_executes_nothing_writes_nothing_whatever_waits(units: list[RenderedUnit], outcomes: Run) -> None:
    final: Run = {name: None if each is BREAKS_FOR_NOW else each for name, each in outcomes.items()}
    estate = go(Estate(*(replace(each, spec={**each.spec, "idempotent": False}) for each in units)), final)
    go(estate, final)
    assert (estate.ran, estate.written.empty) == ([], True)


@FEW
@given(declarations(), declarations(), RUNS, RUNS)
def test_a_transition_holds_documents_of_units_that_ran_or_changed_alone(
    first: list[RenderedUnit], second: list[RenderedUnit], one: Run, two: Run
) -> None:
    estate = go(Estate(*first), one)
    before = estate.state
    go(estate.declare(*second), two)
    written, ran = estate.written, set(estate.ran)
    assert written.observed.keys() == ran
    neutral = {name for name in written.desired.keys() - ran if before.desired[name].spec != written.desired[name].spec}
    assert written.desired.keys() - ran == neutral
    assert all(written.desired[name].execution_key == before.desired[name].execution_key for name in neutral)


@FEW
@given(declarations(), RUNS, st.integers(1, 6))
def test_what_runs_and_how_it_ends_does_not_depend_on_concurrency(
    units: list[RenderedUnit], outcomes: Run, slots: int
) -> None:
    alone, crowded = go(Estate(*units), outcomes, concurrency=1), go(Estate(*units), outcomes, concurrency=slots)
    assert set(alone.ran) == set(crowded.ran)
    assert alone.standings() == crowded.standings()
    keys = [{name: each.execution_key for name, each in one.state.desired.items()} for one in (alone, crowded)]
    assert keys[0] == keys[1]


@FEW
@given(declarations(), RUNS, SOME)
def test_named_units_and_nothing_else_run(units: list[RenderedUnit], outcomes: Run, named: frozenset[str]) -> None:
    estate = go(Estate(*units), outcomes, only=named)
    assert set(estate.ran) <= named
    assert estate.written.desired.keys() | estate.written.observed.keys() <= named


@FEW
@given(declarations(), RUNS)
def test_every_unit_has_exactly_one_verdict_and_fits_its_documents(units: list[RenderedUnit], outcomes: Run) -> None:
    estate = Estate(*units)
    verdicts = estate.run(execute=Witness(estate, outcomes)).verdicts
    assert sorted(each.unit for each in verdicts) == list(NAMES)
    for each in verdicts:
        known = estate.state.observed.get(each.unit)
        succeeded = known is not None and known.condition is None
        assert succeeded is (str(each.verdict) in ("executed", "recovered"))


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> World:
    """Two environments on one real ref, each in a folder of its own, after a run of both."""
    world = World(tmp_path_factory.mktemp("world"))
    for name in ("dev", "prod"):
        world.environment(name, state={"desiredRef": "state", "observedRef": "state", "path": name})
    for name in NAMES:
        world.unit(name)
    run(world.initialise("dev", "prod"), "dev", "prod")
    return world


@settings(max_examples=3)
@given(changed=SOME.filter(bool))
def test_a_transition_commit_touches_only_the_paths_of_its_own_units(shared: World, changed: frozenset[str]) -> None:
    before = shared.refs()["refs/heads/state"]
    for name in changed:
        shared.unit(name, arguments=[before])
    shared.commit()
    run(shared, "dev")
    touched = shared.git("diff", "--name-only", before, "refs/heads/state", cwd=shared.origin).splitlines()
    documents = {f"dev/{part}/units/{name}.yaml" for name in changed for part in ("desired", "observed")}
    assert set(touched) == documents | {"dev/desired/environment.yaml"}


def run(world: World, *names: str) -> None:
    opened = Workspace.open(world.project, world.environ, SystemClock(), lambda event: None)
    report = reconcile(opened, ReconcileRequest(Selection(names)))
    assert report.exit == 0
