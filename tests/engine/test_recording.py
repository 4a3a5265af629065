"""The documents that a run records."""

from dataclasses import replace
from uuid import UUID

import pytest

import nyl
from nyl.core.canonical import digest
from nyl.engine.decision import Decision, Standing
from nyl.engine.recording import (
    RunFacts,
    changed_without_running,
    condition_checkpoint,
    desired_document,
    new_artifacts,
    receipt_checkpoint,
)
from nyl.engine.resolution import Resolution
from nyl.project.units import OutputDeclaration
from nyl.state.documents import Condition, ConditionState, InputRecord, Provenance, Receipt
from nyl.state.lifecycles import LifecycleState
from nyl.units.outcomes import Failed, FailureCategory, Outcome, Succeeded, Uncertain
from tests.engine.builders import (
    DESIRED,
    KEY,
    NOW,
    OTHER_KEY,
    RUN,
    S,
    check,
    checkpoint,
    desired,
    observed,
    provenance,
    receipt,
    unit,
)

FACTS = RunFacts("dev", RUN, S, "refs/nyl-worktrees/x", DESIRED)
OUTPUTS = {"host": OutputDeclaration("string"), "password": OutputDeclaration("string", sensitive=True)}
DB = check(unit("db", outputs=OUTPUTS))["db"]
RESOLVED = Resolution(Decision(Standing.READY), KEY, DB.rendered.spec, InputRecord(variables=("TOKEN",)))


def recorded(outcome: Succeeded) -> Receipt:
    known = receipt_checkpoint(FACTS, DB, desired(), outcome, NOW, NOW).observed.receipt
    assert known is not None
    return known


def condition(outcome: Outcome) -> Condition:
    known = condition_checkpoint(FACTS, desired(), outcome, None, NOW).observed.condition
    assert known is not None
    return known


def test_a_new_unit_gets_an_incarnation_of_its_own() -> None:
    first, second = (desired_document(FACTS, DB, RESOLVED, None) for _ in range(2))
    assert first.unit.uid
    assert first.unit.uid != second.unit.uid
    assert UUID(first.unit.uid).version == 7


def test_a_recorded_unit_keeps_its_incarnation_and_fields_of_later_versions() -> None:
    document = desired_document(FACTS, DB, RESOLVED, desired(extra={"future": 1}))
    assert (document.unit.uid, document.extra) == ("uid-db", {"future": 1})


def test_a_desired_document_says_what_source_it_was_resolved_at() -> None:
    document = desired_document(FACTS, DB, RESOLVED, None)
    assert (document.source_commit, document.source_revision) == (S, "refs/nyl-worktrees/x")
    assert (document.execution_key, document.inputs) == (KEY, RESOLVED.inputs)
    assert document.lifecycle is LifecycleState.ACTIVE


@pytest.mark.parametrize(
    ("facts", "read", "kept"),
    [
        (FACTS, provenance("net"), True),
        (FACTS, provenance("net", observed_commit=None, run=RUN), True),
        (FACTS, provenance("net", execution_key=OTHER_KEY), False),
        (FACTS, provenance("net", uid="uid-new"), False),
        (replace(FACTS, source_commit="0" * 40), provenance("net"), False),
    ],
    ids=["the same", "read elsewhere", "another receipt", "another incarnation", "another source"],
)
def test_a_document_is_written_anew_only_when_it_says_something_else(
    facts: RunFacts, read: Provenance, *, kept: bool
) -> None:
    before = desired_document(FACTS, DB, replace(RESOLVED, provenance={"/values/x": provenance("net")}), None)
    after = desired_document(facts, DB, replace(RESOLVED, provenance={"/values/x": read}), before)
    assert (after is before) is kept


def test_a_receipt_tells_the_run_and_what_it_gave() -> None:
    known = recorded(Succeeded({"host": "h"}, {"plan": {"a": 1}}, {"tool": "1.2"}))
    assert (known.run, known.read_desired, known.nyl_version) == (RUN, DESIRED, nyl.__version__)
    assert (known.outputs, known.versions) == ({"host": "h"}, {"tool": "1.2"})
    assert known.artifacts == {"plan": digest({"a": 1})}


def test_sensitive_and_undeclared_outputs_are_never_recorded() -> None:
    assert recorded(Succeeded({"host": "h", "password": "secret", "other": 1})).outputs == {"host": "h"}


def test_a_receipt_ends_the_condition_before_it() -> None:
    assert receipt_checkpoint(FACTS, DB, desired(), Succeeded(), NOW, NOW).observed.condition is None


def test_a_failure_is_recorded_with_category_and_whether_it_may_be_retried() -> None:
    known = condition(Failed(FailureCategory.OUTPUTS, True, "no such output"))
    assert (known.state, known.category, known.retryable) == (ConditionState.FAILED, "outputs", True)
    assert (known.reason, known.execution_key, known.run) == ("no such output", KEY, RUN)


def test_an_unknown_end_is_uncertain_and_may_have_had_effects() -> None:
    known = condition_checkpoint(FACTS, desired(), Uncertain("it was killed"), None, NOW)
    assert known.observed.condition is not None
    assert known.observed.condition.state is ConditionState.UNCERTAIN
    assert (known.effects, known.observed.condition.category) == (True, None)


def test_a_failure_says_that_it_had_no_effects() -> None:
    assert not condition_checkpoint(FACTS, desired(), Failed(FailureCategory.START, True, "x"), None, NOW).effects


@pytest.mark.parametrize("outcome", [Failed(FailureCategory.EXECUTION, False, "x"), Uncertain("x")])
def test_a_condition_keeps_the_previous_receipt(outcome: Outcome) -> None:
    before = observed(receipt=receipt(outputs={"host": "h"}))
    assert condition_checkpoint(FACTS, desired(), outcome, before, NOW).observed.receipt == before.receipt


@pytest.mark.parametrize(("spec", "resolved", "changed"), [("a", "a", False), ("b", "a", True), ("a", "b", True)])
def test_only_what_the_document_says_of_the_spec_rewrites_it(spec: str, resolved: str, changed: bool) -> None:
    before = desired(spec={"x": "a"}, resolved_spec={"x": "a"})
    after = replace(before, spec={"x": spec}, resolved_spec={"x": resolved}, source_commit="0" * 40)
    assert changed_without_running(before, after) is changed


def test_a_unit_that_is_not_recorded_did_not_change() -> None:
    assert not changed_without_running(None, desired())


def test_artifacts_are_those_of_units_that_have_some() -> None:
    known = {"a": checkpoint(observed("a", receipt()), plan={"x": 1}), "b": checkpoint(observed("b", receipt()))}
    assert new_artifacts(known) == {"a": {"plan": {"x": 1}}}
