"""Runs page and Recovery page: which exit a result or state leads to."""

from nyl.engine.results import EnvironmentReport, Report, ReportKind, Result, UnitReport, UnitState


def test_a_result_leads_to_its_exit() -> None:
    assert {str(each): int(each.exit) for each in Result} == {
        "current": 0,
        "executed": 0,
        "imported": 0,
        "recovered": 0,
        "failed": 3,
        "uncertain": 4,
        "blocked": 2,
        "awaiting-approval": 2,
        "drifted": 2,
        "held": 2,
        "pending-teardown": 2,
        "tearing-down": 2,
        "removed": 0,
        "retained": 0,
        "released": 0,
    }


def test_a_state_leads_to_its_exit() -> None:
    assert {str(each): int(each.exit) for each in UnitState} == {
        "current": 0,
        "retained": 0,
        "ready": 2,
        "blocked": 2,
        "running": 2,
        "held": 2,
        "awaiting-approval": 2,
        "drifted": 2,
        "pending-teardown": 2,
        "tearing-down": 2,
        "failed": 3,
        "uncertain": 4,
    }


def test_the_worst_unit_of_the_worst_environment_decides() -> None:
    def section(name: str, *results: Result) -> EnvironmentReport:
        return EnvironmentReport(name, tuple(UnitReport(str(each), "Command", each) for each in results))

    held, failed = section("a", Result.CURRENT, Result.HELD), section("b", Result.BLOCKED, Result.FAILED)
    assert (held.exit, failed.exit) == (2, 3)
    assert Report(ReportKind.RECONCILE, (held, failed, section("c"))).exit == 3
