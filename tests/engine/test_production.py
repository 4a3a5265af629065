"""What consumers may read of a producer's recorded state."""

from typing import Any

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.engine.production import Production, Unavailable, recorded_production
from nyl.engine.references import Reference
from nyl.project.units import UnitAddress
from nyl.state.documents import DesiredUnit, ObservedUnit, UnitIdentity
from nyl.state.lifecycles import LifecycleState
from tests.engine.builders import (
    API,
    KEY,
    OBSERVED,
    OTHER_KEY,
    desired,
    failed,
    observed,
    provenance,
    receipt,
    uncertain,
)

DB = UnitAddress("db", "infra")
GOOD = observed(receipt=receipt(outputs={"host": "db-1", "none": None}, artifacts={"plan": KEY}))
PLAN = {"apiVersion": "x/v1", "a/b": [{"c": 7}], "~": "tilde"}
HELD, DELETING = LifecycleState.HELD, LifecycleState.DELETING


def read(wanted: DesiredUnit | None, known: ObservedUnit | None) -> Production | Unavailable:
    return recorded_production(DB, wanted, known, OBSERVED, lambda unit, name: PLAN)


def value(**reference: str) -> Any:
    production = read(desired(), GOOD)
    assert isinstance(production, Production)
    return production.value(Reference("/values/x", DB, **reference))


@pytest.mark.parametrize(
    ("wanted", "known"),
    [
        (desired(), GOOD),
        (desired(lifecycle=HELD), GOOD),
        (desired(lifecycle=HELD, key=OTHER_KEY), GOOD),
        (desired(lifecycle=HELD), observed("db", receipt(), failed())),
    ],
)
def test_a_current_receipt_or_that_of_a_held_unit_is_readable(wanted: DesiredUnit, known: ObservedUnit) -> None:
    assert isinstance(read(wanted, known), Production)


@pytest.mark.parametrize(
    ("wanted", "known", "reason"),
    [
        (None, None, "infra/db has no receipt yet"),
        (desired(), None, "infra/db has no receipt yet"),
        (None, GOOD, "infra/db has no receipt yet"),
        (desired(), observed(), "infra/db has no receipt yet"),
        (desired(lifecycle=HELD), observed(), "infra/db has no receipt yet"),
        (desired(unit=UnitIdentity("dev", "db", None, API, "Command")), GOOD, "infra/db has no receipt yet"),
        (desired(key=OTHER_KEY), GOOD, "the receipt of infra/db is out of date"),
        (desired(lifecycle=DELETING), GOOD, "infra/db is being deleted"),
        (desired(), observed("db", receipt(), failed()), "infra/db is failed: exit code 1"),
        (desired(), observed("db", receipt(), failed(retryable=True)), "infra/db is failed: exit code 1"),
        (desired(), observed("db", receipt(), uncertain()), "infra/db is uncertain: it was killed"),
    ],
)
def test_anything_else_is_not(wanted: DesiredUnit | None, known: ObservedUnit | None, reason: str) -> None:
    assert read(wanted, known) == Unavailable(reason)


def test_provenance_names_environment_incarnation_key_and_observed_commit() -> None:
    production = read(desired(), GOOD)
    assert isinstance(production, Production)
    assert production.provenance == provenance("db", environment="infra")


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ({"output": "host"}, "db-1"),
        ({"output": "none"}, None),
        ({"artifact": "plan"}, PLAN),
        ({"artifact": "plan", "artifact_pointer": "/a~1b/0/c"}, 7),
        ({"artifact": "plan", "artifact_pointer": "/~0"}, "tilde"),
    ],
)
def test_a_reference_stands_for_what_the_receipt_holds(reference: dict[str, str], expected: object) -> None:
    assert value(**reference) == expected


@pytest.mark.parametrize(
    "reference",
    [
        {"output": "port"},
        {"artifact": "state"},
        {"artifact": "plan", "artifact_pointer": "/a~1b/1"},
        {"artifact": "plan", "artifact_pointer": "/a~1b/-"},
        {"artifact": "plan", "artifact_pointer": "/apiVersion/x"},
        {"artifact": "plan", "artifact_pointer": "no-pointer"},
        {"artifact": "plan", "artifact_pointer": "/~2"},
    ],
)
def test_what_the_receipt_does_not_hold_is_unresolved(reference: dict[str, str]) -> None:
    with pytest.raises(NylError) as caught:
        value(**reference)
    assert caught.value.diagnostic.code is Code.VALUE_UNRESOLVED
