"""Runs page, Approvals, and Recovery page, Repairing drift: what a plain --approve lets run, and its record."""

from typing import Any

import pytest

from tests.support.declarations import from_unit
from tests.support.world import World


def waiting(world: World, **spec: Any) -> None:
    """A world whose unit `db`, which is not safe to run again, drifted."""
    flag = world.tmp / "drift"
    world.environment().write("scripts/verify.sh", f"#!/bin/sh\n[ ! -e '{flag}' ] || exit 2\n")
    world.unit("db", script=f"rm -f '{flag}'", writes={"host": "db.example"}, verify=["./scripts/verify.sh"], **spec)
    world.initialise().reconcile()
    flag.touch()
    world.nyl("verify", "-e", "dev", exits=3)
    world.forget()


def test_an_approved_unit_runs_and_its_approval_is_recorded(world: World) -> None:
    waiting(world)
    assert world.reconcile(exits=2).verdicts() == {"db": "awaiting-approval"}
    ended = world.reconcile("--approve", "db", environ={"CI": ""})
    assert ended.verdicts() == {"db": "executed"}
    assert ended.environment()["driftRepaired"] == ["db"]
    author = f"{world.git('config', 'user.name')} <{world.git('config', 'user.email')}>"
    record = {"by": [author], "source": "local", "identity": "local", "reviewed": False}
    assert world.stored("observed/units/db.yaml")["receipt"]["approval"] == record
    assert ended.environment()["details"]["approvals"] == {"db": record}
    assert 'approvals: {"db":{"by":[' in world.message()
    assert world.reconcile().verdicts() == {"db": "current"}


def test_in_ci_the_run_is_recorded_without_an_approver(world: World) -> None:
    waiting(world)
    world.reconcile("--approve", "db", environ={"CI": "true", "CI_JOB_URL": "https://ci.example/run/1"})
    approval = world.stored("observed/units/db.yaml")["receipt"]["approval"]
    assert approval == {"by": [], "source": "https://ci.example/run/1", "identity": "unknown", "reviewed": False}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--approve", "dx"), "no such unit"),
        (("--unit", "web", "--approve", "db"), "--unit excludes it"),
        (("--approve", "web"), "there is no execution key to approve"),
    ],
)
def test_an_approval_that_means_nothing_stops_the_run_before_it_starts(
    world: World, arguments: tuple[str, ...], told: str
) -> None:
    world.environment().unit("db", writes={"host": "h"}).unit("web", values={"host": from_unit("db", "host")})
    refs = world.initialise().state_refs()
    ended = world.reconcile(*arguments, exits=1)
    assert "NYL-APPROVAL-INVALID" in ended.codes
    assert told in ended.stdout
    assert world.ran() == []
    assert world.state_refs() == refs


def test_approvals_name_their_environment_where_there_are_several(world: World) -> None:
    world.environment().environment("prod").unit("db").initialise("dev", "prod")
    assert "<environment>/db" in world.report("reconcile", "-e", "dev", "-e", "prod", "--approve", "db", exits=1).stdout
    ended = world.report("reconcile", "-e", "dev", "-e", "prod", "--approve", "dev/db")
    assert ended.verdicts("dev") == ended.verdicts("prod") == {"db": "executed"}
    assert "approvals" in world.message(environment="dev")
    assert "approvals" not in world.message(environment="prod")


def test_fail_fast_starts_nothing_after_an_approval_wait(world: World) -> None:
    waiting(world)
    world.unit("other").commit()
    ended = world.reconcile("--fail-fast", exits=2)
    assert ended.verdicts() == {"db": "awaiting-approval", "other": "blocked"}
    assert "--fail-fast stopped the run after db" in ended.environment()["units"]["other"]["detail"]
    assert "NYL-RUN-STOPPED" in ended.codes
    assert world.ran() == []


def test_consumers_of_a_unit_that_waits_keep_its_receipt(world: World) -> None:
    waiting(world)
    world.unit("web", values={"host": from_unit("db", "host")}).commit()
    assert world.reconcile(exits=2).verdicts() == {"db": "awaiting-approval", "web": "executed"}


def test_a_local_run_executes_what_is_not_safe_only_when_it_is_approved(world: World) -> None:
    world.environment().unit("seed").unit("table", idempotent=True).initialise().git("fetch", "-q")
    assert world.plan("--local", exits=2).verdicts() == {"seed": "await-approval", "table": "execute"}
    assert world.reconcile("--local", exits=2).verdicts() == {"seed": "awaiting-approval", "table": "executed"}
    assert world.report("status", "-e", "dev", "--local", exits=2).verdicts()["seed"] == "awaiting-approval"
    ended = world.reconcile("--local", "--approve", "seed")
    assert ended.verdicts() == {"seed": "executed", "table": "current"}
    assert set(ended.environment()["details"]["approvals"]) == {"seed"}
    assert world.ran() == ["table", "seed"]
