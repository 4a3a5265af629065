"""What verifications found, and what goes with a unit."""

from dataclasses import replace
from pathlib import Path

import pytest

from nyl.core.canonical import digest
from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.state.documents import Observation, ObservationType, ObservedUnit
from nyl.state.show import raw_documents
from tests.state.worlds import KEY, LOCATION, START, Runner, World, identity, receipt, transition

DRIFT, HEALTH = ObservationType.DRIFT, ObservationType.HEALTH


def observation(unit: str = "database", kind: ObservationType = DRIFT, status: str = "drifted") -> Observation:
    return Observation(identity(unit), kind, status, "01a1", START, KEY, "a file is gone", {"n": 2**60})


def observe(runner: Runner, found: dict[ObservationType, Observation | None], unit: str = "database") -> None:
    """What `verify` does: one observed commit, and nothing else."""
    session = runner.store.take(runner.request(keeps_run_ref=False))
    whole = transition(session)
    session.conclude(replace(whole, environment=None, observations={unit: found}))


@pytest.fixture
def warm(tmp_path: Path, world: World) -> Runner:
    runner = world.runner("alice", cache=tmp_path / "cache.db").init()
    runner.reconcile("database", "cache")
    return runner


def test_observations_read_back_warm_and_cold(world: World, warm: Runner) -> None:
    found = {DRIFT: observation(), HEALTH: observation(kind=HEALTH, status="degraded")}
    observe(warm, found)  # type: ignore[arg-type]
    for runner in (warm, world.runner("alice", cache=warm.cache), world.runner("bob")):
        assert runner.store.read().observations == {"database": found}


def test_an_observation_is_replaced_and_goes(warm: Runner) -> None:
    observe(warm, {DRIFT: observation(), HEALTH: observation(kind=HEALTH)})
    observe(warm, {DRIFT: observation(status="clean"), HEALTH: None})
    assert warm.store.read().observations == {"database": {DRIFT: observation(status="clean")}}
    observe(warm, {DRIFT: None})
    assert not warm.store.read().observations


def test_observations_alone_write_only_the_observed_ref(world: World, warm: Runner) -> None:
    before = world.refs()
    observe(warm, {DRIFT: observation()})
    after = world.refs()
    assert after[LOCATION.desired_ref] == before[LOCATION.desired_ref]
    assert after.keys() == before.keys()


def test_a_unit_that_goes_takes_everything_beside_it_along(world: World, warm: Runner) -> None:
    session = warm.take()
    plan = {"n": 1}
    unit = ObservedUnit(identity("database"), receipt({"plan": digest(plan)}))
    whole = transition(session, "database")
    session.commit(replace(whole, observed={"database": unit}, artifacts={"database": {"plan": plan}}))
    session.release()
    observe(warm, {DRIFT: observation()})
    world.edit(LOCATION.observed_ref, "observed/units/database/observations/later.yaml", "x: 1\n")
    world.edit(LOCATION.observed_ref, "observed/units/database/observations/later.yaml", None)
    session = warm.take()
    session.commit(replace(transition(session), desired={"database": None}, observed={"database": None}))
    session.release()
    for runner in (warm, world.runner("bob")):
        snapshot = runner.store.read()
        assert "database" not in snapshot.desired.keys() | snapshot.observed.keys() | snapshot.observations.keys()
        assert not [path for path in raw_documents(runner.store.access, snapshot) if "database" in path]


def test_a_unit_whose_name_begins_like_the_one_that_goes_stays(warm: Runner) -> None:
    warm.reconcile("data", "database.old")
    observe(warm, {DRIFT: observation("database.old")}, "database.old")
    session = warm.take()
    session.commit(replace(transition(session), desired={"database": None}, observed={"database": None}))
    session.release()
    snapshot = warm.store.read()
    assert snapshot.observed.keys() == {"cache", "data", "database.old"}
    assert snapshot.observations.keys() == {"database.old"}


@pytest.mark.parametrize(
    ("old", "new"),
    [("type: drift", "type: weather"), ("name: database", "name: other"), ("environment: dev", "environment: prod")],
)
def test_an_observation_that_was_edited_is_not_trusted(world: World, warm: Runner, old: str, new: str) -> None:
    observe(warm, {DRIFT: observation()})
    path = "observed/units/database/observations/drift.yaml"
    world.edit(LOCATION.observed_ref, path, world.file(LOCATION.observed_ref, path).replace(old, new))
    with pytest.raises(NylError) as caught:
        world.runner("bob").store.read()
    assert caught.value.diagnostic.code is Code.STATE_CORRUPT
