"""Recovery page, Verifying receipts and Repairing drift: whole verifications and repairs."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.declarations import from_unit
from tests.support.gates import kill, wait_until
from tests.support.world import World

OBSERVATION = "observed/units/db/observations/drift.yaml"


def verifiable(world: World, name: str = "db", **spec: Any) -> Path:
    """Declares a unit that drifts when the file that this gives exists."""
    flag = world.tmp / f"drift-{name}"
    world.write(
        f"scripts/verify-{name}.sh", f"#!/bin/sh\nif [ -e '{flag}' ]; then echo 'the table is gone'; exit 2; fi\n"
    )
    spec = {"writes": {"host": f"{name}.example"}, "verify": [f"./scripts/verify-{name}.sh"], "idempotent": True} | spec
    world.unit(name, script=f"rm -f '{flag}'", **spec)
    return flag


def drifting(world: World, *, spec: dict[str, Any] | None = None, **environment: Any) -> Path:
    """A world whose unit `db` ran, drifted, and was verified."""
    world.environment(**environment)
    flag = verifiable(world, **(spec or {}))
    world.initialise().reconcile()
    flag.touch()
    verify(world, exits=3)
    world.forget()
    return flag


def verify(world: World, *arguments: str, exits: int = 0) -> dict[str, Any]:
    """Verifies dev, and gives its section of the report."""
    document = json.loads(world.nyl("verify", "-e", "dev", "-o", "json", *arguments, exits=exits).stdout)
    section: dict[str, Any] = document["environments"]["dev"]
    return section


def findings(section: dict[str, Any]) -> dict[str, str]:
    return {name: unit["finding"] for name, unit in section["units"].items()}


def codes(section: dict[str, Any]) -> list[str]:
    return [each["code"] for each in section["diagnostics"]]


def test_a_verification_executes_nothing_and_records_what_it_found(world: World) -> None:
    world.environment()
    flag = verifiable(world)
    world.initialise().reconcile()
    flag.touch()
    desired, observed, refs = world.state("desired"), world.state(), world.state_refs().keys()
    world.forget()
    section = verify(world, exits=3)
    assert findings(section) == {"db": "drifted"}
    assert section["written"] == ["observed"]
    assert section["observed"] == world.state("observed")
    assert world.git("rev-parse", f"{world.state()}^", cwd=world.origin) == observed
    assert world.ran() == []
    assert world.state("desired") == desired
    assert world.state_refs().keys() == refs
    stored = world.stored(OBSERVATION)
    assert (stored["type"], stored["status"], stored["detail"]) == ("drift", "drifted", "the table is gone")
    message = world.message()
    assert message.startswith("nyl: verify dev (1 drifted)\n")
    assert 'db: {"detail":"the table is gone","finding":"drifted"}' in message
    assert "Nyl-Operation: verify" in message


def test_verifying_changes_neither_receipt_nor_condition(world: World) -> None:
    world.environment()
    flag = verifiable(world)
    world.unit("broken", script="exit 1").initialise().reconcile(exits=3)
    flag.touch()
    paths = [f"observed/units/{name}.yaml" for name in ("db", "broken")]
    before = [world.stored(path) for path in paths]
    verify(world, exits=3)
    assert [world.stored(path) for path in paths] == before


def test_a_verification_that_finds_nothing_new_writes_nothing(world: World) -> None:
    drifting(world)
    before = world.state_refs()
    section = verify(world, exits=3)
    assert section["written"] == []
    assert world.state_refs() == before
    assert "no changes" in world.nyl("verify", "-e", "dev", exits=3).stdout


def test_what_is_whole_again_is_recorded_as_clean(world: World) -> None:
    drifting(world).unlink()
    assert findings(verify(world)) == {"db": "clean"}
    assert world.stored(OBSERVATION)["status"] == "clean"
    assert world.reconcile().verdicts() == {"db": "current"}


def test_units_without_a_current_receipt_or_verify_are_unverified(world: World) -> None:
    world.environment().unit("plain").unit("broken", script="exit 1", verify=["true"])
    world.initialise().reconcile(exits=3)
    section = verify(world)
    assert findings(section) == {"broken": "unverified", "plain": "unverified"}
    assert "cannot be verified" in section["units"]["plain"]["detail"]
    assert section["written"] == []


def test_a_verify_step_that_breaks_is_an_error_and_changes_nothing(world: World) -> None:
    world.environment().write("scripts/check.sh", "#!/bin/sh\nexit 7\n").unit("web", verify=["./scripts/check.sh"])
    world.initialise().reconcile()
    before = world.state_refs()
    section = verify(world, exits=1)
    assert findings(section) == {"web": "error"}
    assert "NYL-VERIFY-FAILED" in codes(section)
    assert world.state_refs() == before


def test_the_verify_step_sees_the_recorded_source_and_receipt(world: World) -> None:
    world.environment().write("version.txt", "one\n")
    world.write(
        "scripts/check.sh", '#!/bin/sh\ngrep -q one version.txt && grep -q db.example "$NYL_RECEIPT" || exit 2\n'
    )
    world.unit("db", writes={"host": "db.example"}, verify=["./scripts/check.sh"])
    world.initialise().reconcile()
    world.write("version.txt", "two\n").commit()
    assert findings(verify(world)) == {"db": "clean"}


def test_a_drifted_unit_is_drifted_in_status_and_work_in_a_plan(world: World) -> None:
    drifting(world)
    status = world.report("status", "-e", "dev", exits=2)
    assert status.verdicts() == {"db": "drifted"}
    assert "NYL-UNIT-DRIFTED" in status.codes
    plan = world.plan(exits=0)
    assert plan.verdicts() == {"db": "execute"}
    assert plan.environment()["units"]["db"]["reasons"] == ["drifted: the table is gone"]
    assert world.plan("--detailed-exitcode", exits=2).verdicts() == {"db": "execute"}


def test_the_next_reconcile_repairs_drift_once(world: World) -> None:
    drifting(world)
    ended = world.reconcile()
    assert ended.verdicts() == {"db": "executed"}
    assert ended.environment()["driftRepaired"] == ["db"]
    assert world.ran() == ["db"]
    assert "driftRepaired: [db]" in world.message()
    assert OBSERVATION not in world.git("ls-tree", "-r", "--name-only", world.state(), cwd=world.origin)
    assert world.reconcile().verdicts() == {"db": "current"}
    assert world.report("status", "-e", "dev").verdicts() == {"db": "current"}


def test_a_reconcile_without_drift_tells_of_none(world: World) -> None:
    world.environment()
    verifiable(world)
    assert world.initialise().reconcile().environment()["driftRepaired"] == []
    assert "driftRepaired" not in world.message()


def test_consumers_of_a_repaired_unit_run_only_when_their_keys_change(world: World) -> None:
    world.environment()
    flag = verifiable(world)
    world.unit("web", values={"host": from_unit("db", "host")}).initialise().reconcile()
    flag.touch()
    verify(world, exits=3)
    assert world.reconcile().verdicts() == {"db": "executed", "web": "current"}


def test_the_receipt_of_a_drifted_unit_is_current_until_it_is_repaired(world: World) -> None:
    world.environment()
    flag = verifiable(world, outputs={"host": {"type": "string"}})
    world.unit("web", values={"host": from_unit("db", "host")}).initialise().reconcile()
    flag.touch()
    verify(world, exits=3)
    assert world.report("status", "-e", "dev", exits=2).verdicts() == {"db": "drifted", "web": "current"}
    assert world.nyl("get", "output", "db/host", "-e", "dev").stdout == "db.example\n"
    plan = world.plan(exits=2)
    assert plan.verdicts() == {"db": "execute", "web": "blocked"}
    assert plan.environment()["units"]["web"]["reasons"] == ["db is to be executed again first"]


@pytest.mark.parametrize("repair", ["converge", "manual"])
def test_the_ways_out_of_drift_that_is_not_safe_to_repair_are_commands_that_work(world: World, repair: str) -> None:
    drifting(world, spec={"idempotent": False}, driftRepair=repair)
    forced = "nyl reconcile -e dev --unit db --reapply --reason <text> --approve db"
    assert forced in world.nyl("status", "-e", "dev", exits=2).stderr
    ended = world.nyl("reconcile", "-e", "dev", "--unit", "db", "--reapply", "--reason", "text", exits=2)
    assert forced in ended.stderr
    assert world.reconcile(*forced.replace("<text>", "text").split()[4:]).verdicts() == {"db": "executed"}


def test_the_history_tells_what_verifications_found(world: World) -> None:
    drifting(world)
    latest = world.nyl("history", "-e", "dev").stdout.splitlines()[1].split()
    assert (latest[1], latest[-2:]) == ("verify", ["1", "drifted"])
    assert world.nyl("history", "-e", "dev", "--unit", "db").stdout.splitlines()[1].endswith("drifted")


def test_a_failed_repair_keeps_receipt_and_observation(world: World) -> None:
    drifting(world, spec={"timeout": "20s"})
    receipt = world.stored("observed/units/db.yaml")["receipt"]
    (world.tmp / "drift-db").unlink()
    (world.tmp / "drift-db").mkdir()
    ended = world.reconcile(exits=3)
    assert ended.verdicts() == {"db": "failed"}
    assert ended.environment()["driftRepaired"] == []
    assert world.stored("observed/units/db.yaml")["receipt"] == receipt
    assert world.stored(OBSERVATION)["status"] == "drifted"


def test_a_drifted_unit_that_is_not_safe_to_run_again_waits_for_approval(world: World) -> None:
    world.environment()
    flag = verifiable(world, idempotent=False)
    world.unit("web", values={"host": from_unit("db", "host")}).unit("other").initialise().reconcile()
    flag.touch()
    verify(world, exits=3)
    world.unit("other", script="true").unit("web", script="true", values={"host": from_unit("db", "host")}).commit()
    ended = world.forget().reconcile(exits=2)
    assert ended.verdicts() == {"db": "awaiting-approval", "other": "executed", "web": "executed"}
    assert "NYL-APPROVAL-MISSING" in ended.codes
    assert 'db: {"result":"awaiting-approval"}' in world.message()
    assert world.message().startswith("nyl: reconcile dev (2 executed, 1 awaiting-approval)\n")
    assert world.plan(exits=2).verdicts()["db"] == "await-approval"
    assert world.report("status", "-e", "dev", exits=2).verdicts()["db"] == "drifted"


def test_manual_repair_leaves_units_drifted_until_they_are_forced(world: World) -> None:
    drifting(world, driftRepair="manual")
    ended = world.reconcile(exits=2)
    assert ended.verdicts() == {"db": "drifted"}
    assert "NYL-UNIT-DRIFTED" in ended.codes
    assert world.ran() == []
    assert world.plan(exits=2).verdicts() == {"db": "blocked"}
    forced = world.reconcile("--unit", "db", "--reapply", "--reason", "rotate")
    assert forced.verdicts() == {"db": "executed"}
    assert "driftRepaired" not in world.message()
    assert world.reconcile().verdicts() == {"db": "current"}


def test_a_group_turns_repair_off_for_its_environments(world: World) -> None:
    group = {"apiVersion": "gitops.nyl/v1", "kind": "EnvironmentGroup", "metadata": {"name": "all"}}
    spec = {"environmentSelector": {"matchLabels": {"stage": "test"}}, "defaults": {"driftRepair": "manual"}}
    world.write("groups/all.yaml", json.dumps({**group, "spec": spec}))
    drifting(world, labels={"stage": "test"})
    assert world.reconcile(exits=2).verdicts() == {"db": "drifted"}


def test_a_drifted_unit_that_unit_does_not_name_stays_drifted(world: World) -> None:
    world.environment()
    flag = verifiable(world)
    world.unit("other").unit("web", values={"host": from_unit("db", "host")}).initialise().reconcile()
    flag.touch()
    verify(world, exits=3)
    world.unit("web", script="true", values={"host": from_unit("db", "host")}).commit()
    ended = world.forget().reconcile("--unit", "web")
    assert ended.verdicts() == {"web": "executed"}
    assert world.ran() == ["web"]


def test_reapply_executes_current_units_and_records_who_asked_and_why(world: World) -> None:
    world.environment().unit("db", idempotent=True).unit("web", idempotent=True).initialise().reconcile()
    ended = world.forget().reconcile("--unit", "db", "--reapply", "--reason", "rotate the password")
    assert ended.verdicts() == {"db": "executed"}
    assert world.ran() == ["db"]
    author = f"{world.git('config', 'user.name')} <{world.git('config', 'user.email')}>"
    expected = {"by": author, "reason": "rotate the password", "units": ["db"]}
    assert f"reapplied: {json.dumps(expected, separators=(',', ':'))}" in world.message()
    assert ended.environment()["details"]["reapplied"] == expected


def test_reapply_of_a_unit_that_is_not_safe_needs_an_approval(world: World) -> None:
    world.environment().unit("db").initialise().reconcile()
    force = ("--unit", "db", "--reapply", "--reason", "rotate")
    assert world.forget().reconcile(*force, exits=2).verdicts() == {"db": "awaiting-approval"}
    assert world.ran() == []
    assert world.reconcile(*force, "--approve", "db").verdicts() == {"db": "executed"}


@pytest.mark.parametrize(
    "arguments", [("--reapply",), ("--reapply", "--unit", "db"), ("--reapply", "--reason", "x"), ("--reason", "x")]
)
def test_reapply_takes_named_units_and_a_reason(world: World, arguments: tuple[str, ...]) -> None:
    world.environment().unit("db").initialise()
    assert "--reapply" in world.nyl("reconcile", "-e", "dev", *arguments, exits=1).stderr


@pytest.mark.parametrize(
    ("spec", "environment", "told"),
    [
        ({}, {}, "the next nyl reconcile executes it again"),
        ({"idempotent": False}, {}, "waits for an approval"),
        ({}, {"driftRepair": "manual"}, "driftRepair: manual leaves it drifted"),
    ],
)
def test_the_warning_tells_what_the_next_reconcile_does(
    world: World, spec: dict[str, Any], environment: dict[str, Any], told: str
) -> None:
    drifting(world, spec=spec, **environment)
    section = verify(world, exits=3)
    (warning,) = [each for each in section["diagnostics"] if each["code"] == "NYL-VERIFY-DRIFT"]
    assert "the table is gone" in warning["message"]
    assert told in warning["message"]


def test_a_verification_writes_nothing_past_a_live_run_and_still_tells(world: World) -> None:
    world.environment()
    flag = verifiable(world)
    gate = world.tmp / "gate"
    world.unit("slow", script=f"while [ -e '{gate}' ]; do sleep 0.05; done").initialise().reconcile()
    flag.touch()
    gate.touch()
    world.unit("slow", script=f"touch '{gate}-in'; while [ -e '{gate}' ]; do sleep 0.05; done").commit()
    run = world.start("reconcile", "-e", "dev", "--unit", "slow")
    wait_until(lambda: (world.tmp / "gate-in").exists())
    section = verify(world, exits=3)
    assert findings(section)["db"] == "drifted"
    assert "NYL-LEASE-HELD" in codes(section)
    assert section["written"] == []
    gate.unlink()
    assert run.wait(30) == 0


def test_nobody_is_asked_while_a_broken_run_is_not_imported(world: World) -> None:
    world.environment()
    flag = verifiable(world)
    gate = world.tmp / "gate"
    world.unit("slow", script=f"touch '{gate}'; sleep 60").commit()
    world.nyl("state", "init", "-e", "dev")
    world.reconcile("--unit", "db")
    flag.touch()
    run = world.start("reconcile", "-e", "dev")
    wait_until(gate.exists)
    kill(run)
    world.nyl("lease", "break", "-e", "dev", "--reason", "killed")
    section = verify(world, exits=2)
    assert (section["units"], section["written"]) == ({}, [])
    assert codes(section) == ["NYL-LEASE-BROKEN"]
    world.nyl("recover", "-e", "dev")
    assert findings(verify(world, exits=3))["db"] == "drifted"


def test_several_environments_are_verified_whatever_another_came_to(world: World) -> None:
    world.environment(labels={"stage": "test"}).environment("prod", labels={"stage": "test"})
    flag = verifiable(world)
    world.initialise("dev", "prod").report("reconcile", "-e", "dev", "-e", "prod")
    flag.touch()
    report = json.loads(world.nyl("verify", "-l", "stage=test", "-o", "json", exits=3).stdout)
    assert report["environmentOrder"] == ["dev", "prod"]
    assert [findings(each) for each in report["environments"].values()] == [{"db": "drifted"}] * 2
