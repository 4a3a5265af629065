"""What `nyl plan` shows of the changes that drivers plan, and what it does where they cannot."""

import hashlib
import signal

import pytest

from tests.support.declarations import from_unit
from tests.support.gates import Gate, wait_until
from tests.support.world import World

PREVIEW = ["./scripts/preview.sh"]


def previewing(world: World, script: str = 'echo "+ table for $NYL_UNIT"', *units: str) -> World:
    """A world whose units print with `script` what they would change."""
    world.environment().write("scripts/preview.sh", f"#!/bin/sh\n{script}\n")
    for name in units or ("db",):
        world.unit(name, plan=PREVIEW)
    return world.initialise()


def digest_of(text: str) -> str:
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def test_a_plan_shows_what_the_step_prints_and_its_digest_ready_to_paste(world: World) -> None:
    refs = previewing(world).state_refs()
    text, digest = "+ table for db\n", digest_of("+ table for db\n")
    planned = world.plan(exits=0).unit("db")
    assert (planned["action"], planned["changes"], planned["changeDigest"]) == ("execute", text, digest)
    shown = world.nyl("plan", "-e", "dev").stdout
    assert "\n\nWhat db would change:\n  + table for db\n" in shown
    assert f"\n  digest: {digest}  approve with --approve db={digest}\n" in shown
    assert (world.ran(), world.state_refs()) == ([], refs)


def test_two_clones_find_the_same_digest(world: World) -> None:
    previewing(world, 'cat "$NYL_INPUTS"; ls scripts')
    other = world.clone("other")
    assert world.plan().unit("db")["changeDigest"] == world.plan(cwd=other).unit("db")["changeDigest"]


def test_a_step_sees_the_values_that_references_resolve_to(world: World) -> None:
    previewing(world)
    world.unit("net", writes={"cidr": "10.0.0.0/8"})
    world.unit("db", plan=["/bin/sh", "-c", 'cat "$NYL_INPUTS"'], values={"net": from_unit("net", "cidr")}).commit()
    assert "changes" not in world.plan(exits=2).unit("db")
    world.reconcile("--unit", "net")
    assert world.plan().unit("db")["changes"] == '{"net": "10.0.0.0/8"}\n'


def test_secrets_are_masked_in_the_change_and_do_not_decide_its_digest(world: World) -> None:
    world.environment().unit(
        "db", plan=["/bin/sh", "-c", 'echo "+ login $KEY"; echo "uses $KEY" >&2'], env={"secrets": {"KEY": "key"}}
    ).initialise()
    found = []
    for secret in ("hunter2222", "another-word"):
        world.environ["NYL_SECRET_KEY"] = secret
        ended = world.plan()
        assert secret not in ended.stdout + ended.stderr
        found.append(ended.unit("db"))
    assert found[0]["changes"] == "+ login ***\n"
    assert found[0] == found[1]


def test_current_and_blocked_units_are_not_planned(world: World) -> None:
    previewing(world, f"echo planned >> '{world.tmp}/planned'", "db", "web")
    world.reconcile("--unit", "db")
    world.unit("api", plan=PREVIEW, dependsOn=["web"]).commit()
    planned = world.plan("--unit", "db", "--unit", "api", exits=2)
    assert planned.verdicts() == {"db": "none", "api": "blocked"}
    assert not (world.tmp / "planned").exists()


@pytest.mark.parametrize(
    ("script", "told"),
    [("echo +; exit 3", "ended with exit code 3"), ("sleep 60", "passed its timeout of 1s")],
)
def test_a_step_that_fails_or_hangs_is_an_error_of_its_unit_alone(world: World, script: str, told: str) -> None:
    previewing(world, f'[ "$NYL_UNIT" = db ] || exec echo +\n{script}', "web")
    world.unit("db", plan=PREVIEW, timeout="1s").commit()
    ended = world.plan(exits=1)
    (failed,) = [each for each in ended.diagnostics if each["code"] == "NYL-PLAN-FAILED"]
    assert (failed["severity"], failed["unit"]) == ("error", "db")
    assert told in failed["message"]
    assert told in ended.unit("db")["detail"]
    assert "changes" not in ended.unit("db")
    assert ended.unit("web")["changes"] == "+\n"


def test_without_its_credentials_a_unit_cannot_be_planned_here_and_the_plan_is_fine(world: World) -> None:
    world.environment().unit("db", plan=PREVIEW, env={"secrets": {"KEY": "key"}}).initialise()
    ended = world.plan(exits=0)
    (told,) = [each for each in ended.diagnostics if each["code"] == "NYL-PLAN-FAILED"]
    assert told["severity"] == "warning"
    assert "unit db cannot be planned here: secret key (for KEY)" in told["message"]
    assert ended.verdicts() == {"db": "execute"}


def test_a_removal_is_planned_as_the_unit_is_recorded(world: World) -> None:
    world.environment().unit("db", writes={"host": "db.example"}, plan=PREVIEW, teardown=["./remove.sh"], files=["**"])
    world.write("scripts/preview.sh", "#!/bin/sh\n").write("remove.sh", "#!/bin/sh\n")
    world.initialise().reconcile()
    decommissioned = world.report("plan", "--teardown", "--all", "-e", "dev").unit("db")
    world.remove("units/db.yaml").remove("remove.sh").commit()
    planned = world.plan().unit("db")
    assert planned["action"] == "teardown"
    document = world.stored("desired/units/db.yaml", "desired")
    uid, commit = document["unit"]["uid"], document["sourceCommit"]
    told = f"  incarnation: {uid}\n  files of: {commit}\n"
    assert planned["changes"] == f'run ./remove.sh to remove dev/db\n{told}  host: "db.example"\n'
    assert decommissioned["changeDigest"] == planned["changeDigest"]
    approving = world.reconcile("--allow-teardown", "--approve", f"db={planned['changeDigest']}")
    assert approving.verdicts() == {"db": "removed"}


def test_the_change_that_was_approved_is_made_and_no_other(world: World) -> None:
    change = world.tmp / "change"
    change.write_text("+ one\n")
    previewing(world, f"cat '{change}'")
    world.unit("db", plan=PREVIEW, approval={"mode": "manual", "bind": "plan"}).commit()
    reviewed = world.plan(exits=2).unit("db")["changeDigest"]
    change.write_text("+ two\n")
    waiting = world.reconcile("--approve", f"db={reviewed}", exits=2).unit("db")
    assert waiting["result"] == "awaiting-approval"
    assert digest_of("+ two\n") in waiting["detail"]
    assert world.ran() == []
    change.write_text("+ one\n")
    assert world.reconcile("--approve", f"db={reviewed}").verdicts() == {"db": "executed"}
    approval = world.stored("observed/units/db.yaml")["receipt"]["approval"]
    assert (approval["digest"], approval["reviewed"]) == (reviewed, True)


def test_several_environments_name_theirs_in_what_is_to_be_pasted(world: World) -> None:
    world.environment("prod")
    previewing(world).nyl("state", "init", "-e", "prod")
    digest = digest_of("+ table for db\n")
    shown = world.nyl("plan", "-e", "dev", "-e", "prod", "--concurrency", "1").stdout
    assert f"--approve dev/db={digest}\n" in shown
    assert f"--approve prod/db={digest}\n" in shown


def test_a_signal_ends_the_plan_and_the_steps_of_its_units(world: World) -> None:
    gate, began = Gate(world).close(), world.tmp / "began"
    previewing(world, f"trap 'echo > {world.tmp}/told; exit 1' TERM\ntouch '{began}'\n{gate.script}")
    running = world.start("plan", "-e", "dev", "-o", "json")
    wait_until(began.exists)
    running.send_signal(signal.SIGTERM)
    stdout, _ = running.communicate(timeout=30)
    assert running.returncode == 4
    assert "NYL-RUN-CANCELLED" in stdout
    assert (world.tmp / "told").exists()
