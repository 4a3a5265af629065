"""Runs page, Approvals: the project's lookup on real repositories, when it is asked and what stops the run."""

import json
import signal
from typing import Any

import pytest

from tests.support.gates import Gate, wait_until
from tests.support.world import World

ANSWER = {"by": ["alice"], "source": "production gate", "url": "https://ci.example/run/1"}


def looking_up(world: World, script: str = "", *units: str) -> World:
    """A world in CI with a lookup that notes how it was asked, runs `script`, and answers."""
    asked = f"echo \"$NYL_ENVIRONMENT $NYL_APPROVAL_UNITS $NYL_APPROVAL_DIGESTS $PWD\" >> '{world.tmp}/asked'"
    world.write("nyl.toml", '[approval]\nlookup = ["./ci/approvers.sh"]\n')
    world.write("ci/approvers.sh", f"#!/bin/sh\n{asked}\n{script}\necho '{json.dumps(ANSWER)}'\n")
    world.environ |= {"CI": "true", "CI_JOB_URL": "https://ci.example/job/7"}
    world.environment()
    for name in units or ("db",):
        world.unit(name)
    return world.initialise()


def asked(world: World) -> list[str]:
    notes = world.tmp / "asked"
    return notes.read_text().splitlines() if notes.exists() else []


def approval(world: World, unit: str = "db") -> dict[str, Any]:
    """What the receipt keeps of its approval."""
    found: dict[str, Any] = world.stored(f"observed/units/{unit}.yaml")["receipt"]["approval"]
    return found


def test_the_lookup_is_asked_before_the_run_and_its_answer_is_recorded(world: World) -> None:
    looking_up(world, "git ls-remote -q origin 'refs/nyl/*' | wc -l >> ../leases", "db", "web")
    world.reconcile("--approve", "db")
    assert asked(world) == [f'dev ["db"] {{"db": null}} {world.project}']
    known = approval(world)
    assert {name: known[name] for name in (*ANSWER, "identity", "command")} == {
        **ANSWER,
        "identity": "verified",
        "command": ["./ci/approvers.sh"],
    }
    assert (world.tmp / "leases").read_text().split() == ["0"]


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("echo '{'", "is not JSON"),
        ('echo \'{"by": ["alice"]}\'; exit 0', "lacks source and url"),
        ("exit 1", "ended with exit code 1"),
    ],
)
def test_a_lookup_that_does_not_answer_stops_the_run_before_anything_happens(
    world: World, script: str, told: str
) -> None:
    refs = looking_up(world, script).state_refs()
    ended = world.reconcile("--approve", "db", exits=1)
    (found,) = ended.diagnostics
    assert found["code"] == "NYL-APPROVAL-INVALID"
    assert told in found["message"]
    assert (world.ran(), world.state_refs()) == ([], refs)


def test_a_cancelled_run_does_not_wait_for_its_lookup(world: World) -> None:
    gate = Gate(world).close()
    refs = looking_up(world, gate.script).state_refs()
    running = world.start("reconcile", "-e", "dev", "--approve", "db", "-o", "json")
    wait_until(lambda: bool(asked(world)))
    running.send_signal(signal.SIGTERM)
    stdout, _ = running.communicate(timeout=30)
    assert "NYL-APPROVAL-INVALID" in stdout
    assert (world.ran(), world.state_refs()) == ([], refs)


def test_what_the_command_line_says_comes_before_the_lookup(world: World) -> None:
    looking_up(world)
    world.reconcile("--approve", "db", "--approved-by", "bob,eve", "--approval-source", "https://t.example/1")
    known = approval(world)
    assert (known["by"], known["source"], known["identity"]) == (["bob", "eve"], "https://t.example/1", "asserted")
    assert asked(world) == []


def test_the_lookup_is_asked_only_where_something_is_approved(world: World) -> None:
    looking_up(world).environment("prod").commit()
    world.nyl("state", "init", "-e", "prod")
    world.report("reconcile", "-e", "dev", "-e", "prod", "--approve", "prod/db")
    assert [each.split()[0] for each in asked(world)] == ["prod"]


def test_a_lookup_that_fails_for_one_environment_keeps_every_environment_from_running(world: World) -> None:
    looking_up(world, '[ "$NYL_ENVIRONMENT" = dev ] || exit 1').environment("prod").commit()
    world.nyl("state", "init", "-e", "prod")
    approving = ("-e", "dev", "-e", "prod", "--approve", "dev/db", "--approve", "prod/db")
    assert world.report("reconcile", *approving, exits=1).codes == {"NYL-APPROVAL-INVALID"}
    assert [each.split()[0] for each in asked(world)] == ["dev", "prod"]
    assert world.ran() == []


def test_a_teardown_asks_as_well(world: World) -> None:
    looking_up(world, "", "db").unit("db", teardown=["./scripts/db.sh"], approval="manual").commit()
    world.reconcile("--approve", "db")
    world.report("teardown", "-e", "dev", "--unit", "db", "--approve", "db")
    assert len(asked(world)) == 2
    assert 'approvals: {"db":{"by":["alice"]' in world.message()


def test_on_a_workstation_the_lookup_is_not_asked(world: World) -> None:
    looking_up(world)
    world.environ["CI"] = ""
    world.reconcile("--approve", "db")
    assert approval(world)["identity"] == "local"
    assert asked(world) == []
