"""Runs page, Approvals, and Recovery page, Repairing drift: what approvals let run, and their record."""

from collections.abc import Sequence
from typing import Any

import pytest

from tests.driver_package.installed import installed_at
from tests.support.declarations import from_unit, resource
from tests.support.gates import Gate, kill, wait_until
from tests.support.processes import Invocation
from tests.support.world import World


def waiting(world: World, created_with: Sequence[str] = (), **spec: Any) -> None:
    """A world whose unit `db`, which is not safe to run again, drifted."""
    flag = world.tmp / "drift"
    world.environment().write("scripts/verify.sh", f"#!/bin/sh\n[ ! -e '{flag}' ] || exit 2\n")
    world.unit("db", script=f"rm -f '{flag}'", writes={"host": "db.example"}, verify=["./scripts/verify.sh"], **spec)
    world.initialise().reconcile(*created_with)
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
    record = {"by": [author], "source": "local", "identity": "local", "digest": None, "reviewed": False}
    assert world.stored("observed/units/db.yaml")["receipt"]["approval"] == record
    assert ended.environment()["details"]["approvals"] == {"db": record}
    assert 'approvals: {"db":{"by":[' in world.message()
    assert world.reconcile().verdicts() == {"db": "current"}


def test_in_ci_the_run_is_recorded_without_an_approver(world: World) -> None:
    waiting(world)
    world.reconcile("--approve", "db", environ={"CI": "true", "CI_JOB_URL": "https://ci.example/run/1"})
    approval = world.stored("observed/units/db.yaml")["receipt"]["approval"]
    assert approval == {
        "by": [],
        "source": "https://ci.example/run/1",
        "identity": "unverified",
        "digest": None,
        "reviewed": False,
    }


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--approve", "dx"), "no such unit"),
        (("--unit", "web", "--approve", "db"), "--unit excludes it"),
        (("--leaving", "--approve", "db"), "--leaving excludes it"),
        (("--approve", "db=sha256:0f"), "names no digest"),
        (("--approve", f"db=sha256:{'0f' * 32}"), "plans no changes"),
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
    excluded = world.report("reconcile", "-e", "dev", "-e", "prod", "--unit", "dev/db", "--approve", "prod/db", exits=1)
    assert ("NYL-APPROVAL-INVALID" in excluded.codes, world.ran()) == (True, [])
    ended = world.report("reconcile", "-e", "dev", "-e", "prod", "--approve", "dev/db")
    assert ended.verdicts("dev") == ended.verdicts("prod") == {"db": "executed"}
    assert "approvals" in world.message(environment="dev")
    assert "approvals" not in world.message(environment="prod")


def test_fail_fast_starts_nothing_after_an_approval_wait(world: World) -> None:
    world.unit("gone", teardown=["./scripts/gone.sh"])
    waiting(world)
    world.remove("units/gone.yaml").unit("other").commit()
    ended = world.reconcile("--fail-fast", "--allow-teardown", exits=2)
    assert ended.verdicts() == {"db": "awaiting-approval", "other": "blocked", "gone": "pending-teardown"}
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


# Units that ask for approvals


def test_a_unit_with_manual_approval_executes_only_with_one(world: World) -> None:
    world.environment().unit("db", writes={"host": "h"}, approval="manual", idempotent=True).unit("other")
    world.unit("web", values={"host": from_unit("db", "host")}).initialise()
    assert world.plan(exits=2).verdicts()["db"] == "await-approval"
    waits = world.reconcile(exits=2)
    assert waits.verdicts() == {"other": "executed", "db": "awaiting-approval", "web": "blocked"}
    assert "db waits for an approval" in waits.unit("web")["detail"]
    (warning,) = [each for each in waits.diagnostics if each["code"] == "NYL-APPROVAL-MISSING"]
    assert "`nyl reconcile -e dev --approve db`" in warning["fix"]
    assert world.report("status", "-e", "dev", exits=2).verdicts()["db"] == "awaiting-approval"
    assert not [name for name in world.state_refs() if "lease" in name]  # nobody waits for an approval with a lease
    ended = world.reconcile("--approve", "db")
    assert ended.verdicts() == {"db": "executed", "other": "current", "web": "executed"}
    assert world.reconcile("--approve", "db").verdicts()["db"] == "current"
    assert world.ran() == ["other", "db", "web"]


def test_an_approval_does_not_outlive_a_change_of_what_was_approved(world: World) -> None:
    world.environment().unit("db", approval="manual").initialise().reconcile("--approve", "db")
    world.unit("db", script="true", approval="manual").commit()
    assert world.reconcile(exits=2).verdicts() == {"db": "awaiting-approval"}
    assert world.ran() == ["db"]
    assert "approval" in world.stored("observed/units/db.yaml")["receipt"]


def test_a_unit_that_is_blocked_at_first_waits_although_it_was_approved(world: World) -> None:
    world.environment().unit("db", writes={"host": "h"})
    world.unit("web", values={"host": from_unit("db", "host")}, approval="manual").initialise()
    ended = world.reconcile("--approve", "web", exits=2)
    assert ended.verdicts() == {"db": "executed", "web": "awaiting-approval"}
    warnings = {each["code"]: each for each in ended.diagnostics}
    assert "there is no execution key to approve" in warnings["NYL-APPROVAL-INVALID"]["message"]
    assert warnings["NYL-APPROVAL-INVALID"]["severity"] == "warning"
    assert world.reconcile("--approve", "web").verdicts() == {"db": "current", "web": "executed"}


def test_everything_that_waits_is_approved_at_once(world: World) -> None:
    world.environment().unit("a", approval="manual").unit("b", approval="manual").unit("c").initialise()
    identity = ("--approved-by", "alice,bob", "--approval-source", "https://ci.example/7")
    ended = world.reconcile("--approve-all", "--unit", "a", *identity)
    record = {
        "by": ["alice", "bob"],
        "source": "https://ci.example/7",
        "identity": "asserted",
        "digest": None,
        "reviewed": False,
    }
    assert ended.environment()["details"]["approvals"] == {"a": record}
    assert world.stored("observed/units/a.yaml")["receipt"]["approval"] == record
    assert set(world.reconcile("--approve-all").environment()["details"]["approvals"]) == {"b"}
    assert world.ran()[0] == "a"


def test_one_approval_does_for_all_reasons_to_ask_for_one(world: World) -> None:
    waiting(world, ["--approve", "db"], approval="manual")
    waits = world.reconcile(exits=2)
    assert waits.verdicts() == {"db": "awaiting-approval"}
    assert "approval: manual" in waits.unit("db")["detail"]
    assert world.reconcile("--approve", "db").environment()["driftRepaired"] == ["db"]
    forced = ("--unit", "db", "--reapply", "--reason", "rotate")
    assert "--reapply --reason <text> --approve db" in str(world.reconcile(*forced, exits=2).diagnostics)
    assert world.reconcile(*forced, "--approve", "db").verdicts() == {"db": "executed"}


def test_what_was_approved_is_told_although_the_run_died(world: World) -> None:
    gate = Gate(world).close()
    world.environment().unit("db", approval="manual")
    world.unit("seed", approval="manual", script=gate.script).initialise()
    run = world.start("reconcile", "-e", "dev", "--approve-all", "--approved-by", "alice", "--concurrency", "1")
    wait_until(lambda: "seed" in world.ran())
    kill(run)
    gate.open()
    world.nyl("lease", "break", "-e", "dev", "--reason", "killed")
    told = world.reconcile(exits=4)
    assert told.verdicts() == {"db": "imported", "seed": "uncertain"}
    approvals = told.environment()["details"]["approvals"]
    assert {name: each["by"] for name, each in approvals.items()} == {"db": ["alice"], "seed": ["alice"]}
    assert 'approvals: {"db":{"by":["alice"]' in world.message()


# Changes that a driver plans


@pytest.fixture
def planned(world: World) -> World:
    """`net`, whose `plan` step tells what it changes and whose approvals bind to that, and `other`."""
    return changing(net(world.environment().unit("other")).initialise(), "two subnets")


def net(world: World, **approval: Any) -> World:
    """Declares `net`. What it changes is in a file outside the repository."""
    change = str(world.tmp / "change")
    policy = {"mode": "manual", "bind": "plan", **approval}
    return world.unit("net", plan=["cat", change], approval=policy, teardown=["./scripts/net.sh"], idempotent=True)


def changing(world: World, change: str) -> World:
    (world.tmp / "change").write_text(change)
    return world


def reviewed(world: World, environment: str = "dev") -> str:
    """The option that approves what `nyl plan` shows of `net`."""
    return f"net={world.plan('-e', environment).unit('net', environment)['changeDigest']}"


def approval_of(ended: Invocation, environment: str = "dev") -> tuple[bool, bool]:
    """Whether an approval of `net` is recorded with a digest, and as reviewed."""
    record = ended.environment(environment)["details"]["approvals"]["net"]
    return record["digest"] is not None, record["reviewed"]


def test_the_change_that_was_reviewed_is_executed_and_recorded_as_reviewed(planned: World) -> None:
    option = reviewed(planned)
    planned.commit("Nothing of what net reads")
    ended = planned.reconcile("--approve", option)
    assert ended.verdicts() == {"net": "executed", "other": "executed"}
    assert approval_of(ended) == (True, True)
    assert planned.stored("observed/units/net.yaml")["receipt"]["approval"]["digest"] == option.partition("=")[2]


def test_a_change_that_is_another_by_now_waits_with_its_digest_and_has_no_effect(planned: World) -> None:
    option = reviewed(planned)
    changing(planned, "no subnets")
    waits = planned.reconcile("--approve", option, exits=2)
    assert waits.verdicts() == {"other": "executed", "net": "awaiting-approval"}
    assert f"--approve net={waits.unit('net')['changeDigest']}`" in str(waits.diagnostics)
    assert (planned.ran(), "approvals" in waits.environment()["details"]) == (["other"], False)
    documents = planned.git("ls-tree", "-r", "--name-only", planned.state(), cwd=planned.origin)
    assert ("observed/units/other.yaml" in documents, "net" in documents) == (True, False)
    again = planned.reconcile("--approve", f"net={waits.unit('net')['changeDigest']}")
    assert again.verdicts()["net"] == "executed"


def test_an_input_that_changed_after_the_review_is_not_executed(planned: World) -> None:
    option = reviewed(planned)
    planned.write("scripts/preview.sh", "#!/bin/sh\necho 'drop everything'\n")
    text = (planned.project / "units/net.yaml").read_text()
    planned.write("units/net.yaml", text.replace("- cat", "- ./scripts/preview.sh")).commit()
    assert planned.reconcile("--approve", option, exits=2).verdicts()["net"] == "awaiting-approval"
    assert planned.ran() == ["other"]


def test_an_approved_command_finds_a_fresh_checkout_whatever_its_plan_step_left(world: World) -> None:
    left = ["/bin/sh", "-c", "echo changed > a.txt; touch left; printf change"]
    world.environment().write("a.txt", "a\n").unit("net", script='[ "$(cat a.txt)" = a ] && ! [ -e left ]', plan=left)
    assert world.initialise().reconcile("--approve", reviewed(world)).verdicts() == {"net": "executed"}


def test_without_a_digest_the_approval_is_recorded_as_unreviewed(planned: World) -> None:
    assert approval_of(planned.reconcile("--approve", "net")) == (False, False)


def test_a_unit_can_refuse_approvals_without_a_digest(planned: World) -> None:
    net(planned, requireDigest=True).commit()
    for option in (("--approve", "net"), ("--approve-all",)):
        waits = planned.reconcile(*option, exits=2)
        assert waits.verdicts()["net"] == "awaiting-approval"
        assert "must name the digest" in waits.unit("net")["detail"]
        assert "nyl plan -e dev --unit net" in str(waits.diagnostics)
    assert planned.reconcile("--approve", reviewed(planned), "--approve-all").verdicts()["net"] == "executed"


def test_a_change_of_a_unit_without_manual_approval_is_held_to_what_was_named(world: World) -> None:
    world.environment().unit("net", plan=["echo", "two subnets"]).initialise()
    waits = world.reconcile("--approve", f"net=sha256:{'0f' * 32}", exits=2)
    assert (waits.verdicts(), world.ran()) == ({"net": "awaiting-approval"}, [])
    assert world.reconcile("--approve", reviewed(world)).verdicts() == {"net": "executed"}


def test_changes_are_approved_in_the_environment_that_they_are_named_with(planned: World) -> None:
    planned.environment("prod").initialise("prod")
    option = f"prod/{reviewed(planned, 'prod')}"
    ended = planned.reconcile("-e", "dev", "-e", "prod", "--approve", option, exits=2)
    assert (ended.verdicts("dev")["net"], ended.verdicts("prod")["net"]) == ("awaiting-approval", "executed")
    assert approval_of(ended, "prod") == (True, True)


# Teardowns


def test_a_unit_that_leaves_is_torn_down_with_an_approval_only(planned: World) -> None:
    execution = reviewed(planned)
    planned.reconcile("--approve", execution)
    planned.remove("units/net.yaml").commit()
    unapproved = planned.reconcile("--allow-teardown", exits=2)
    assert unapproved.verdicts()["net"] == "pending-teardown"
    (warning,) = [each for each in unapproved.diagnostics if each["code"] == "NYL-TEARDOWN-PENDING"]
    assert "`nyl reconcile -e dev --allow-teardown --approve net=<digest>`" in warning["fix"]
    assert "--approve net=<digest>" in planned.plan(exits=2).unit("net")["detail"]
    another = planned.forget().reconcile("--allow-teardown", "--approve", execution, exits=2)
    assert another.verdicts()["net"] == "pending-teardown"
    assert f"net={another.unit('net')['changeDigest']}" == reviewed(planned)
    assert planned.ran() == []
    gone = planned.reconcile("--allow-teardown", "--approve", reviewed(planned))
    assert (gone.verdicts()["net"], approval_of(gone), planned.ran()) == ("removed", (True, True), ["net"])
    assert "approvals" in planned.message()


def test_a_teardown_on_request_is_approved_with_it_or_later(planned: World) -> None:
    planned.reconcile("--approve", "net")
    request = ("teardown", "-e", "dev", "--unit", "net")
    asked = planned.report(*request, exits=2)
    assert asked.verdicts() == {"net": "pending-teardown"}
    assert "`nyl reconcile -e dev --approve net=<digest>`" in str(asked.diagnostics)
    assert "NYL-APPROVAL-INVALID" in planned.report(*request, "--approve", "other", exits=1).codes
    removed = planned.report(*request, "--approve-all")
    assert (removed.verdicts(), approval_of(removed)) == ({"net": "removed"}, (False, False))


def test_a_removal_that_is_another_by_now_did_not_begin(world: World) -> None:
    (world.tmp / "site-packages").mkdir()
    world.environ["PYTHONPATH"] = str(installed_at(world.tmp / "site-packages"))
    spec = {"change": str(world.tmp / "change"), "approval": {"mode": "manual", "bind": "plan"}}
    world.environment().write("units/net.yaml", resource("test.nyl.example/v1", "Preview", "net", spec)).initialise()
    changing(world, "two subnets").reconcile("--approve", reviewed(world))
    world.remove("units/net.yaml").commit()
    option = reviewed(world)
    changing(world, "three subnets")
    assert world.reconcile("--allow-teardown", "--approve", option, exits=2).verdicts() == {"net": "pending-teardown"}
    lifecycle = world.stored("desired/units/net.yaml", "desired")["lifecycle"]
    assert lifecycle["deletion"]["teardown"] == "pending"
    assert world.reconcile("--allow-teardown", "--approve", reviewed(world)).verdicts() == {"net": "removed"}
