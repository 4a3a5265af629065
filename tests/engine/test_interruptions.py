"""What is told of runs that ended early: the cause, where the results are, and what no push could record."""

from types import SimpleNamespace
from typing import Any

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.core.exits import Exit, worst
from nyl.engine.interruptions import EarlyEnd
from nyl.engine.outcomes import RunOutcome
from nyl.engine.results import Result

RUN_REF = "refs/nyl/dev/runs/1"


def refusal(code: Code, message: str = "It said no.") -> NylError:
    return NylError(code, message, "ask again", environment="dev")


def outcome(cause: NylError | None = None, **parts: Any) -> RunOutcome:
    ended: Any = {"database": SimpleNamespace(result=Result.EXECUTED)}
    return RunOutcome(**{"ended": ended, "interruption": cause, **parts})


def end(cause: NylError | None = None, trouble: NylError | None = None, unrecorded: str = "", **parts: Any) -> EarlyEnd:
    return EarlyEnd("dev", RUN_REF, outcome(cause, **parts), frozenset(unrecorded.split()), trouble)


@pytest.mark.parametrize("code", [Code.PUSH_REFUSED, Code.STATE_CONTENDED, Code.STATE_DIVERGED])
def test_a_cause_says_where_the_results_are(code: Code) -> None:
    (told,) = end(refusal(code)).diagnostics
    assert told.code is code
    assert told.message == f"It said no. What its units did is kept on {RUN_REF} for the next run to import."


def test_a_run_without_results_claims_none() -> None:
    cause = refusal(Code.PUSH_REFUSED)
    assert end(cause, ended={}).diagnostics == cause.diagnostics


def test_a_cancelled_run_says_so() -> None:
    assert [each.code for each in end().diagnostics] == [Code.RUN_CANCELLED]


@pytest.mark.parametrize(("dispatched", "claim"), [([], "it changed nothing"), (["database"], "kept on its run ref")])
def test_a_cancelled_run_tells_whether_it_left_anything(dispatched: list[str], claim: str) -> None:
    (told,) = end(dispatched=dispatched).diagnostics
    assert claim in told.message


def test_trouble_of_the_same_kind_is_told_once() -> None:
    cause = refusal(Code.LEASE_LOST)
    assert end(cause, refusal(Code.LEASE_LOST)).diagnostics == cause.diagnostics


def test_other_trouble_is_told_too() -> None:
    told = end(None, refusal(Code.REMOTE_UNAVAILABLE)).diagnostics
    assert [each.code for each in told] == [Code.RUN_CANCELLED, Code.REMOTE_UNAVAILABLE]


def test_units_that_no_push_recorded_are_named_and_uncertain() -> None:
    away = refusal(Code.REMOTE_UNAVAILABLE)
    told = end(away, away, unrecorded="database").diagnostics
    assert [each.code for each in told] == [Code.REMOTE_UNAVAILABLE, Code.RESULTS_UNRECORDED]
    assert "database (executed)" in told[1].message
    assert "`nyl lease show -e dev`" in told[1].fix
    assert worst(each.code.exit for each in told) is Exit.UNCERTAIN
