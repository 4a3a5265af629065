"""Recovery page, Repairing drift: which observations count, and which go."""

from dataclasses import replace

import pytest

from nyl.engine.drift import drift_of, drift_warnings, outdated_observations
from nyl.engine.results import Result, UnitReport, UnitState
from nyl.state.documents import Observation, ObservationType, ObservedUnit
from nyl.state.snapshot import StateSnapshot
from tests.engine.builders import EARLIER, KEY, NOW, OTHER_KEY, RUN, desired, identity, observed, receipt, snapshot

KNOWN = observed(receipt=receipt())
RENEWED = observed(receipt=receipt(run=RUN))


def observation(status: str = "drifted", key: str = KEY, detail: str = "the table is gone") -> Observation:
    return Observation(identity("db"), ObservationType.DRIFT, status, EARLIER, NOW, key, detail)


def state(found: Observation | None, known: ObservedUnit = KNOWN) -> StateSnapshot:
    observations = {"db": {found.type: found}} if found else {}
    return snapshot((desired(), known), observations=observations)


@pytest.mark.parametrize(
    ("latest", "found", "drift"),
    [
        (KNOWN, observation(), "the table is gone"),
        (KNOWN, observation(detail=""), "drifted"),
        (KNOWN, observation("clean"), None),
        (KNOWN, None, None),
        (None, observation(), None),
        (observed(), observation(), None),
        (KNOWN, observation(key=OTHER_KEY), None),
        (RENEWED, observation(), None),
        (KNOWN, replace(observation(), unit=replace(identity("db"), uid="another")), None),
    ],
    ids=["drifted", "no detail", "clean", "none", "gone", "no receipt", "another key", "renewed", "another uid"],
)
def test_an_observation_counts_for_the_receipt_that_was_looked_at(
    latest: ObservedUnit | None, found: Observation | None, drift: str | None
) -> None:
    assert drift_of(latest, state(found)) == drift


def test_a_new_receipt_removes_every_observation_of_the_unit() -> None:
    health = Observation(identity("db"), ObservationType.HEALTH, "healthy", EARLIER, NOW, KEY)
    known = replace(state(observation()), observations={"db": {each.type: each for each in (observation(), health)}})
    assert outdated_observations(known, {"db": RENEWED}) == {
        "db": {ObservationType.DRIFT: None, ObservationType.HEALTH: None}
    }


def test_a_condition_beside_the_receipt_keeps_its_observations() -> None:
    assert outdated_observations(state(observation()), {"db": KNOWN}) == {}


def test_units_without_observations_have_none_to_lose() -> None:
    assert outdated_observations(state(None), {"db": RENEWED}) == {}


@pytest.mark.parametrize("verdict", [Result.DRIFTED, UnitState.DRIFTED])
def test_a_drifted_unit_is_told_with_what_repairs_it(verdict: Result | UnitState) -> None:
    (warning,) = drift_warnings("dev", [UnitReport("db", "Command", verdict, detail="drifted: it is gone")])
    assert warning.code.value == "NYL-UNIT-DRIFTED"
    assert "drifted: it is gone" in warning.message
    assert "nyl reconcile -e dev --unit db --reapply --reason <text>" in warning.fix


def test_other_units_are_not_told_drifted() -> None:
    assert drift_warnings("dev", [UnitReport("db", "Command", Result.CURRENT)]) == ()
