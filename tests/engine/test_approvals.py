"""Runs page, Approvals: what --approve can name, what it binds to, and who is recorded."""

import pytest

from nyl.core.diagnostics import NylError
from nyl.engine.approvals import approval_warnings, approver, bind_approvals, check_approvals
from nyl.engine.decision import Decision, Standing
from nyl.engine.resolution import Resolution
from nyl.engine.results import Result, UnitReport
from nyl.engine.states import ci_run
from nyl.git.config import Identity
from tests.engine.builders import KEY, codes

ALICE = Identity("Alice Example", "alice@example.com")


def resolved(standing: Standing, key: str | None = KEY, reason: str = "why") -> dict[str, Resolution]:
    return {"db": Resolution(Decision(standing, reason), key)}


@pytest.mark.parametrize("standing", [Standing.AWAITING_APPROVAL, Standing.READY, Standing.CURRENT])
def test_an_approval_binds_to_the_key_at_first(standing: Standing) -> None:
    assert bind_approvals("dev", ["db"], resolved(standing)) == {"db": KEY}


@pytest.mark.parametrize(
    ("standing", "told", "fix"),
    [
        (Standing.BLOCKED, "there is no execution key to approve", "reconcile what it waits for first (why)"),
        (Standing.HELD, "does not lift the hold", "nyl resume -e dev --unit db"),
        (Standing.FAILED, "does not replace", "nyl recover -e dev --unit db --retry --reason <text>"),
        (Standing.UNCERTAIN, "does not replace", "nyl recover -e dev --unit db --retry --reason <text>"),
        (Standing.DRIFTED, "driftRepair: manual", "--unit db --reapply --reason <text>"),
    ],
)
def test_an_approval_that_cannot_make_its_unit_run_is_refused(standing: Standing, told: str, fix: str) -> None:
    key = None if standing is Standing.BLOCKED else KEY
    with pytest.raises(NylError) as refused:
        bind_approvals("dev", ["db"], resolved(standing, key))
    (diagnostic,) = refused.value.diagnostics
    assert diagnostic.code.value == "NYL-APPROVAL-INVALID"
    assert told in diagnostic.message
    assert fix in diagnostic.fix


def test_every_refused_approval_is_told() -> None:
    resolutions = {name: Resolution(Decision(Standing.BLOCKED, "x waits")) for name in ("a", "b")}
    with pytest.raises(NylError) as refused:
        bind_approvals("dev", ["b", "a"], resolutions)
    assert codes(refused.value) == ["NYL-APPROVAL-INVALID", "NYL-APPROVAL-INVALID"]


@pytest.mark.parametrize(
    ("approved", "only", "told"),
    [("dbx", None, "no such unit"), ("db", frozenset({"web"}), "--unit excludes it")],
)
def test_only_units_of_the_run_can_be_approved(approved: str, only: frozenset[str] | None, told: str) -> None:
    with pytest.raises(NylError, match=told):
        check_approvals("dev", [approved], ["db", "web"], only)


def test_units_that_unit_names_can_be_approved() -> None:
    check_approvals("dev", ["db"], ["db", "web"], frozenset({"db"}))


def test_a_workstation_records_the_git_user() -> None:
    assert approver(ALICE, ci_run({"USER": "alice"})).record == {
        "by": ["Alice Example <alice@example.com>"],
        "source": "local",
        "identity": "local",
        "reviewed": False,
    }


@pytest.mark.parametrize(
    ("environ", "source"),
    [
        (
            {
                "GITHUB_ACTIONS": "true",
                "GITHUB_RUN_ID": "7",
                "GITHUB_SERVER_URL": "https://g",
                "GITHUB_REPOSITORY": "o/r",
            },
            "https://g/o/r/actions/runs/7/attempts/1",
        ),
        ({"CI": "true", "CI_JOB_URL": "https://ci/1"}, "https://ci/1"),
        ({"CI": "1"}, "ci"),
    ],
)
def test_ci_records_its_run_and_no_approver(environ: dict[str, str], source: str) -> None:
    assert approver(ALICE, ci_run(environ)).record == {
        "by": [],
        "source": source,
        "identity": "unknown",
        "reviewed": False,
    }


@pytest.mark.parametrize("environ", [{}, {"CI": "false"}, {"CI": "0"}, {"CI": ""}])
def test_a_runner_that_says_nothing_of_ci_is_a_workstation(environ: dict[str, str]) -> None:
    assert ci_run(environ) is None


def test_a_unit_that_waits_is_told_with_the_command_that_approves_it() -> None:
    waiting = UnitReport("db", "Command", Result.AWAITING_APPROVAL, detail="drifted")
    (warning,) = approval_warnings("dev", [waiting, UnitReport("web", "Command", Result.CURRENT)])
    assert warning.code.value == "NYL-APPROVAL-MISSING"
    assert "--approve db" in warning.fix
    assert "nyl reconcile -e dev" in warning.fix
