"""Runs page, Approvals: what --approve can name, what it binds to, and what is told of units that wait."""

from dataclasses import replace

import pytest

from nyl.core.diagnostics import NylError, Severity
from nyl.engine.approval_arguments import Approvals
from nyl.engine.approvals import Approvable, approval_warnings, bind_approvals, check_named
from nyl.engine.authorization import Authorization
from nyl.engine.decision import Decision, Standing
from nyl.engine.resolution import Resolution
from nyl.engine.results import Result, UnitReport
from nyl.project.units import ApprovalBinding, ApprovalPolicy
from nyl.state.documents import DesiredUnit
from nyl.state.lifecycles import LifecycleState
from tests.engine.builders import HOLD, KEY, OTHER_KEY, codes, desired

DIGEST = "sha256:" + "d" * 64
DB = Approvals({"db": None})
ALL = Approvals(everything=True)
WAITS = Standing.AWAITING_APPROVAL
LEAVING = desired("old", OTHER_KEY, lifecycle=LifecycleState.DELETING)


def among(standing: Standing = WAITS, key: str | None = KEY, *leaving: DesiredUnit, digests: bool = True) -> Approvable:
    """The unit `db` as it stands at first, and units that leave."""
    resolutions = {"db": Resolution(Decision(standing, "why"), key)}
    return Approvable("dev", resolutions, {each.unit.name: each for each in leaving}, lambda _: digests)


@pytest.mark.parametrize("standing", [WAITS, Standing.READY, Standing.CURRENT])
def test_an_approval_binds_to_the_key_at_first(standing: Standing) -> None:
    assert bind_approvals(DB, among(standing)).executions == {"db": Authorization(KEY)}


def test_an_approval_of_a_change_binds_to_its_digest_and_the_key() -> None:
    bound = bind_approvals(Approvals({"db": DIGEST}), among(Standing.READY))
    assert bound.executions == {"db": Authorization(KEY, DIGEST)}


def test_an_approval_of_a_unit_that_leaves_binds_to_its_incarnation() -> None:
    bound = bind_approvals(Approvals({"old": DIGEST}), among(WAITS, KEY, LEAVING))
    assert bound.teardowns == {"old": Authorization(OTHER_KEY, DIGEST, "uid-old")}
    assert bound.executions == {}


def test_a_unit_that_changed_its_kind_is_approved_for_the_teardown_of_what_it_was() -> None:
    bound = bind_approvals(DB, among(Standing.BLOCKED, None, desired("db", lifecycle=LifecycleState.DELETING)))
    assert (bound.executions, bound.teardowns) == ({}, {"db": Authorization(KEY, None, "uid-db")})
    assert bound.warnings == ()


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
def test_an_approval_that_cannot_make_its_unit_run_is_told(standing: Standing, told: str, fix: str) -> None:
    bound = bind_approvals(DB, among(standing, None if standing is Standing.BLOCKED else KEY))
    (warning,) = bound.warnings
    assert (warning.code.value, warning.severity) == ("NYL-APPROVAL-INVALID", Severity.WARNING)
    assert told in warning.message
    assert fix in warning.fix
    assert bound.executions == {}


def test_an_approval_lifts_no_hold_of_a_unit_that_leaves() -> None:
    held = replace(LEAVING, lifecycle=LifecycleState.HELD, hold=HOLD)
    bound = bind_approvals(Approvals({"old": None}, everything=True), among(WAITS, KEY, held))
    assert bound.teardowns == {}
    assert "does not lift the hold" in bound.warnings[0].message


def test_everything_that_waits_is_approved_without_a_digest() -> None:
    bound = bind_approvals(ALL, among(WAITS, KEY, replace(LEAVING, resolved_spec={"approval": "manual"})))
    assert bound.executions == {"db": Authorization(KEY)}
    assert bound.teardowns == {"old": Authorization(OTHER_KEY, None, "uid-old")}


def test_a_teardown_that_needs_no_approval_is_not_approved_with_everything() -> None:
    assert bind_approvals(ALL, among(WAITS, KEY, LEAVING)).teardowns == {}


@pytest.mark.parametrize("unsafe", [True, False])
def test_a_unit_that_is_inspected_first_is_approved_with_everything_if_it_then_waits(unsafe: bool) -> None:
    decision = Decision(Standing.READY, "uncertain", inspecting=True, unsafe=unsafe)
    bound = bind_approvals(ALL, Approvable("dev", {"db": Resolution(decision, KEY)}))
    assert bound.executions == ({"db": Authorization(KEY)} if unsafe else {})


@pytest.mark.parametrize("standing", [Standing.READY, Standing.CURRENT, Standing.BLOCKED, Standing.HELD])
def test_nothing_else_is_approved_with_everything(standing: Standing) -> None:
    bound = bind_approvals(ALL, among(standing))
    assert (bound.executions, bound.warnings) == ({}, ())


def test_a_digest_that_was_named_goes_before_everything() -> None:
    bound = bind_approvals(Approvals({"db": DIGEST}, everything=True), among())
    assert bound.executions == {"db": Authorization(KEY, DIGEST)}


@pytest.mark.parametrize(
    ("unit", "digest", "told"),
    [("dbx", None, "no such unit"), ("db", DIGEST, "plans no changes"), ("old", DIGEST, "plans no changes")],
)
def test_what_cannot_be_approved_is_refused(unit: str, digest: str | None, told: str) -> None:
    with pytest.raises(NylError, match=told) as refused:
        bind_approvals(Approvals({unit: digest}), among(WAITS, KEY, LEAVING, digests=False))
    assert codes(refused.value) == ["NYL-APPROVAL-INVALID"]


def test_every_refused_approval_is_told() -> None:
    with pytest.raises(NylError) as refused:
        bind_approvals(Approvals({"x": None, "y": None}), among())
    assert codes(refused.value) == ["NYL-APPROVAL-INVALID", "NYL-APPROVAL-INVALID"]


def test_units_that_unit_leaves_out_cannot_be_approved() -> None:
    check_named("dev", DB, None)
    check_named("dev", DB, frozenset({"db", "web"}))
    with pytest.raises(NylError, match="--unit excludes it"):
        check_named("dev", DB, frozenset({"web"}))


BY_PLAN = ApprovalPolicy(ApprovalBinding.PLAN)
WAITING = UnitReport("db", "Command", Result.AWAITING_APPROVAL, detail="drifted")


@pytest.mark.parametrize(
    ("unit", "fix"),
    [
        (WAITING, "check what running it would do, then run `nyl reconcile -e dev --approve db`"),
        (replace(WAITING, approval=BY_PLAN), "`nyl plan -e dev --unit db`, which shows the change and its digest"),
        (replace(WAITING, approval=BY_PLAN), "`nyl reconcile -e dev --approve db=<digest>`"),
        (replace(WAITING, change_digest=DIGEST), f"`nyl reconcile -e dev --approve db={DIGEST}`"),
        (replace(WAITING, forced=True), "`nyl reconcile -e dev --unit db --reapply --reason <text> --approve db`"),
    ],
)
def test_a_unit_that_waits_is_told_with_the_command_that_approves_it(unit: UnitReport, fix: str) -> None:
    (warning,) = approval_warnings("dev", [unit, UnitReport("web", "Command", Result.CURRENT)])
    assert warning.code.value == "NYL-APPROVAL-MISSING"
    assert fix in warning.fix
