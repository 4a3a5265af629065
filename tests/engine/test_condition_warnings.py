"""What is told of units that failed."""

from dataclasses import replace

from nyl.engine.condition_warnings import condition_warnings
from nyl.engine.results import UnitReport, UnitState
from tests.engine.builders import codes


def test_a_retryable_failure_points_to_the_next_run_and_another_to_recover() -> None:
    retryable = UnitReport("db", "Command", UnitState.FAILED, detail="x", retryable=True)
    final = replace(retryable, retryable=False)
    current = replace(retryable, verdict=UnitState.CURRENT)
    warnings = condition_warnings("dev", [retryable, final, current])
    assert codes(warnings) == ["NYL-UNIT-FAILED", "NYL-UNIT-FAILED"]
    assert "the next nyl reconcile runs it again" in warnings[0].fix
    assert "nyl recover -e dev --unit db" in warnings[1].fix


def test_a_failure_says_whether_to_provide_what_is_missing_or_to_read_the_output() -> None:
    failed = UnitReport("db", "Command", UnitState.FAILED, detail="x", category="execution", retryable=True)
    lacking = replace(failed, category="credentials")
    fixes = [each.fix for each in condition_warnings("dev", [failed, lacking])]
    assert [fix.partition(",")[0] for fix in fixes] == ["correct the cause", "provide what is missing"]
