"""Page Release Inputs, Binding inputs on a target: values of `fromUnit`, as a unit that publishes has them."""

from dataclasses import replace
from typing import Any

import pytest

from nyl.core.diagnostics import NylError
from nyl.kubernetes.inputs.resolution import ResolvedInputs, resolve_inputs
from nyl.kubernetes.inputs.unit_values import UNKNOWN, UnitValues, shown_reference
from tests.kubernetes.inputs.builders import WEB, HeldSources, context, release

HOST = {"unit": "database", "output": "host"}
DECLARED = {"a": {"type": "string", "default": "own"}}


def resolved(units: UnitValues) -> ResolvedInputs:
    where = replace(context({"platform/web": {"a": {"fromUnit": HOST}}}), units=units)
    return resolve_inputs(where, {WEB: release(DECLARED)}, (), HeldSources())


def test_the_value_that_was_resolved_goes_before_the_default() -> None:
    assert resolved(UnitValues({"platform/web": {"a": "db.example"}})).values(WEB) == {"a": "db.example"}


def test_a_value_that_nobody_knows_is_none() -> None:
    assert resolved(UNKNOWN).effective[WEB]["a"].value is None


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({}, "its reference was not resolved"),
        ({"platform/web": {"b": "x"}}, "its reference was not resolved"),
        ({"platform/web": {"a": 5432}}, "must be a string, not 5432 (from output host of unit database)"),
    ],
)
def test_another_value_than_the_input_wants_is_refused(values: dict[str, Any], told: str) -> None:
    with pytest.raises(NylError) as caught:
        resolved(UnitValues(values))
    assert told in caught.value.diagnostic.message


@pytest.mark.parametrize(
    ("reference", "told"),
    [
        (HOST, "output host of unit database"),
        ({"environment": "infra", **HOST}, "output host of unit infra/database"),
        ({"unit": "web", "artifact": "image", "pointer": "/reference"}, "artifact image/reference of unit web"),
        ({"unit": "web", "artifact": "image"}, "artifact image of unit web"),
    ],
)
def test_a_reference_is_told_in_words(reference: dict[str, str], told: str) -> None:
    assert shown_reference(reference) == told
