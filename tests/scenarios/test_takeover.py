"""Runs that died, and the runs that take over from them: with real processes, killed for good."""

from typing import Any

import yaml

from tests.support import deaths, declarations
from tests.support.deaths import die_at
from tests.support.world import World


def dying_pair(world: World, **migrate: object) -> World:
    """The pair, whose migration waits at the gate."""
    world.pair()
    host = declarations.from_unit("database", "host")
    world.unit("migrate", values={"host": host}, script=deaths.waits(world), **migrate)  # type: ignore[arg-type]
    return world.initialise()


def started(world: World, run: str, unit: str) -> Any:
    """The desired document that a run recorded before it started a unit."""
    return yaml.safe_load(world.git("show", f"refs/nyl/dev/runs/{run}:desired/units/{unit}.yaml", cwd=world.origin))


def summary(world: World) -> dict[str, object]:
    """The summary of the newest transition."""
    _, _, rest = world.message().partition("\n\n")
    body, _, _ = rest.partition("\n\nNyl-")
    told = yaml.safe_load(body)
    assert isinstance(told, dict)
    return told


def test_a_killed_run_is_imported_and_what_it_was_executing_is_uncertain(world: World) -> None:
    run = die_at(dying_pair(world), "database", "migrate")
    found = world.reconcile(exits=4)
    assert found.verdicts() == {"database": "imported", "migrate": "uncertain"}
    reason = f"run {run} was executing it when its lease was broken"
    assert found.unit("migrate")["detail"] == reason
    assert (found.environment()["imported"], found.environment()["recovered"]) == (["database"], ["migrate"])
    assert world.ran() == []
    assert world.message().startswith("nyl: reconcile dev (1 imported, 1 uncertain)\n\nunits:\n")
    told = summary(world)
    assert told["units"] == {
        "database": {"executionKey": found.unit("database")["executionKey"], "result": "imported", "run": run},
        "migrate": {"reason": reason, "result": "uncertain"},
    }
    assert list(told) == ["units", "recovered", "imported", "leaseBroken"]
    assert told["leaseBroken"].keys() == {"at", "by", "reason"}  # type: ignore[attr-defined]


def test_the_refs_of_an_imported_run_are_gone_after_the_transition(world: World) -> None:
    die_at(dying_pair(world), "database", "migrate")
    world.reconcile(exits=4)
    assert world.state_refs().keys() == {"refs/heads/nyl/dev/desired", "refs/heads/nyl/dev/observed"}


def test_the_table_of_a_takeover_leaves_the_detail_of_imported_units_empty(world: World) -> None:
    run = die_at(dying_pair(world), "database", "migrate")
    table = world.nyl("reconcile", "-e", "dev", exits=4).stdout.splitlines()
    assert table[:3] == [
        "UNIT      KIND     RESULT     DETAIL",
        "database  Command  imported",
        f"migrate   Command  uncertain  run {run} was executing it when its lease was broken",
    ]


def test_a_unit_that_converges_runs_again_in_the_run_that_marked_it(world: World) -> None:
    run = die_at(dying_pair(world, idempotent=True), "database", "migrate")
    found = world.reconcile()
    assert found.verdicts() == {"database": "imported", "migrate": "recovered"}
    assert (world.ran(), found.environment()["recovered"]) == (["migrate"], ["migrate"])
    assert world.stored("observed/units/migrate.yaml")["receipt"]["run"] != run


def test_a_unit_keeps_the_uid_that_the_dead_run_gave_it(world: World) -> None:
    run = die_at(dying_pair(world, idempotent=True), "database", "migrate")
    given = {unit: started(world, run, unit)["unit"]["uid"] for unit in ("database", "migrate")}
    world.reconcile()
    kept = {unit: world.stored(f"desired/units/{unit}.yaml", "desired")["unit"]["uid"] for unit in given}
    assert kept == given


def test_a_dead_run_is_imported_once_however_often_its_ref_is_found(world: World) -> None:
    run = die_at(dying_pair(world), "database", "migrate")
    ref = f"refs/nyl/dev/runs/{run}"
    left = world.refs()[ref]
    world.reconcile(exits=4)
    before = (world.state("desired"), world.state())
    world.git("update-ref", ref, left, cwd=world.origin)
    world.nyl("lease", "break", "-e", "dev", "--reason", "found again")
    found = world.reconcile(exits=4)
    assert (found.environment()["imported"], found.environment()["recovered"]) == ([], [])
    assert world.git("diff", "--stat", before[0], world.state("desired"), cwd=world.origin) == ""
    assert world.git("diff", "--stat", before[1], world.state(), cwd=world.origin) == ""
    assert deaths.runs(world) == []


def test_a_result_for_other_inputs_is_superseded_and_its_unit_uncertain(world: World) -> None:
    run = die_at(dying_pair(world), "database", "migrate")
    world.environment("dev", values={"size": "large"}).commit("Resize")
    found = world.reconcile(exits=4)
    assert found.verdicts() == {"database": "uncertain", "migrate": "uncertain"}
    assert "NYL-RUN-SUPERSEDED" in found.codes
    assert (world.ran(), deaths.runs(world, "evidence")) == ([], [run])


def test_accepting_a_superseded_result_makes_it_the_receipt_and_drops_the_evidence(world: World) -> None:
    run = die_at(dying_pair(world), "database", "migrate")
    world.environment("dev", values={"size": "large"}).commit("Resize")
    world.reconcile(exits=4)
    decided = world.report("recover", "-e", "dev", "--unit", "database", "--accept", run, "--reason", "seen")
    (evidence,) = decided.json["details"]["evidence"]
    assert (evidence["run"], evidence["adoptable"], evidence["result"]) == (run, True, "executed")
    assert world.stored("observed/units/database.yaml")["receipt"]["run"] == run
    assert deaths.runs(world, "evidence") == []
    assert world.reconcile(exits=4).verdicts()["database"] == "executed"


def test_a_late_checkpoint_is_reported_and_kept_as_evidence_until_it_is_accepted(world: World) -> None:
    dying_pair(world)
    process = deaths.start_until(world, ["database", "migrate"])
    run = deaths.live_run(world)
    world.nyl("lease", "break", "-e", "dev", "--reason", "no answer")
    assert world.reconcile(exits=4).verdicts() == {"database": "imported", "migrate": "uncertain"}
    deaths.open_gate(world)
    _, told = process.communicate(timeout=20)
    assert (process.returncode, "NYL-LEASE-LOST" in told) == (4, True)
    state = world.state()
    found = world.reconcile(exits=4)
    assert "NYL-RUN-LATE-CHECKPOINT" in found.codes
    assert found.verdicts() == {"database": "current", "migrate": "uncertain"}
    assert (world.state(), deaths.runs(world), deaths.runs(world, "evidence")) == (state, [], [run])
    assert "NYL-RUN-LATE-CHECKPOINT" not in world.reconcile(exits=4).codes
    world.nyl("recover", "-e", "dev", "--unit", "migrate", "--accept", run, "--reason", "it finished")
    assert deaths.runs(world, "evidence") == []
    assert world.reconcile().verdicts() == {"database": "current", "migrate": "current"}


def test_a_late_failure_is_reported_and_kept_for_the_operator_to_look_at(world: World) -> None:
    world.environment().unit("migrate", script=f"{deaths.waits(world)}; exit 3").initialise()
    process = deaths.start_until(world, ["migrate"])
    run = deaths.live_run(world)
    world.nyl("lease", "break", "-e", "dev", "--reason", "no answer")
    world.reconcile(exits=4)
    deaths.open_gate(world)
    process.communicate(timeout=20)
    (late,) = (each for each in world.reconcile(exits=4).diagnostics if each["code"] == "NYL-RUN-LATE-CHECKPOINT")
    assert ("recorded a failure" in late["message"], "--accept" in late["fix"]) == (True, False)
    assert deaths.runs(world, "evidence") == [run]
    recover = ("recover", "-e", "dev", "--unit", "migrate", "--reason", "looked")
    assert "it is no receipt" in world.nyl(*recover, "--accept", run, exits=1).stderr
    (evidence,) = world.report(*recover, "--retry").json["details"]["evidence"]
    assert (evidence["run"], evidence["result"], evidence["adoptable"]) == (run, "failed", False)
    assert deaths.runs(world, "evidence") == []


def test_a_late_removal_is_reported_and_kept_until_the_teardown_is_decided_on(world: World) -> None:
    wait = {"command": ["sh", "-c", f"echo down >> {world.log}; {deaths.waits(world)}"]}
    world.environment().unit("cache", teardown=wait).initialise().reconcile()
    world.forget()
    deaths.close(world)
    process = world.start("teardown", "-e", "dev", "--unit", "cache")
    deaths.until(lambda: world.ran() == ["down"])
    run = deaths.live_run(world)
    world.nyl("lease", "break", "-e", "dev", "--reason", "no answer")
    world.nyl("recover", "-e", "dev")
    deaths.open_gate(world)
    process.communicate(timeout=20)
    (late,) = world.report("recover", "-e", "dev").diagnostics
    assert (late["code"], "recorded the removal" in late["message"]) == ("NYL-RUN-LATE-CHECKPOINT", True)
    assert deaths.runs(world, "evidence") == [run]
    world.nyl("recover", "-e", "dev", "--unit", "cache", "--retry", "--reason", "run it again")
    assert (deaths.runs(world), deaths.runs(world, "evidence")) == ([], [])


def test_naming_other_units_imports_all_the_same(world: World) -> None:
    dying_pair(world).unit("other").commit("Add")
    die_at(world, "database", "migrate", "other")
    found = world.reconcile("--unit", "other", exits=4)
    assert found.verdicts() == {"database": "imported", "migrate": "uncertain", "other": "imported"}


def test_status_and_plan_show_what_a_dead_run_left_before_it_is_imported(world: World) -> None:
    run = die_at(dying_pair(world), "database", "migrate")
    status = world.report("status", "-e", "dev", exits=4)
    assert status.verdicts() == {"database": "current", "migrate": "uncertain"}
    assert {"NYL-RUN-UNIMPORTED", "NYL-UNIT-UNCERTAIN"} <= status.codes
    assert status.unit("migrate")["run"] == run
    assert world.plan().verdicts() == {"database": "none", "migrate": "blocked"}
    assert deaths.runs(world) == [run]


def test_a_unit_that_left_source_keeps_its_state(world: World) -> None:
    run = die_at(dying_pair(world, teardown=["true"]), "database", "migrate")
    given = started(world, run, "migrate")["unit"]["uid"]
    world.remove("units/migrate.yaml").commit("Remove")
    status = world.report("status", "-e", "dev", exits=4)
    found = world.reconcile(exits=None)
    leaving = [{"unit": "migrate", "why": "removed", "effect": "teardown"}]
    assert status.environment()["leaving"] == found.environment()["leaving"] == leaving
    assert "NYL-PLAN-UNITS-LEAVING" in found.codes
    stored = world.stored("desired/units/migrate.yaml", "desired")
    assert (stored["unit"]["uid"], stored["lifecycle"]["state"]) == (given, "deleting")


def test_a_run_that_fails_before_its_transition_leaves_the_break_in_effect(world: World) -> None:
    die_at(dying_pair(world), "database", "migrate")
    world.write("units/database.yaml", "not: [a unit").commit("Break")
    world.reconcile(exits=1)
    refused = world.nyl("hold", "-e", "dev", "--unit", "migrate", exits=2)
    assert "NYL-LEASE-BROKEN" in refused.stderr
    assert "run `nyl recover -e dev` to import it" in refused.stderr
