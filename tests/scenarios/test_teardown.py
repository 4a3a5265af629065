"""Page Deletion and holds, Explicit teardown and Publication teardown waits."""

import re
from pathlib import Path

import pytest

from tests.driver_package.installed import installed_at
from tests.support.copies import copied
from tests.support.declarations import from_unit, resource
from tests.support.processes import Invocation
from tests.support.world import World

GROUP = "test.nyl.example/v1"


def torn(world: World, *arguments: str, exits: int = 0) -> Invocation:
    return world.report("teardown", "-e", "dev", *arguments, exits=exits)


def results(invocation: Invocation) -> dict[str, str]:
    return {name: each["result"] for name, each in invocation.environment()["units"].items()}


def lifecycle(world: World, unit: str) -> dict[str, object]:
    found: dict[str, object] = world.stored(f"desired/units/{unit}.yaml", "desired")["lifecycle"]
    return found


def removable(world: World, name: str, argv: object = None, **spec: object) -> None:
    world.unit(name, **spec)
    path = world.project / f"units/{name}.yaml"
    world.write(f"units/{name}.yaml", path.read_text() + f"  teardown: {argv or [f'./scripts/{name}.sh', 'remove']}\n")


@pytest.fixture
def estate(tmp_path: Path) -> World:
    """`cache`, which can be torn down, and its consumer `web`; both reconciled."""
    return copied(tmp_path, _estate)


def _estate(world: World) -> World:
    world.environment()
    removable(world, "cache", writes={"endpoint": "c1"})
    world.unit("web", values={"e": from_unit("cache", "endpoint")})
    world.initialise().reconcile()
    return world.forget()


def test_a_unit_of_the_ownership_set_is_replaced_by_the_next_reconcile(estate: World) -> None:
    before = estate.stored("desired/units/cache.yaml", "desired")["unit"]["uid"]
    gone = torn(estate, "--unit", "cache", "--reason", "broken disk")
    assert (results(gone), estate.ran()) == ({"cache": "removed"}, ["cache"])
    assert 'requested: {"by":"Alice Example <alice@example.com>","reason":"broken disk"}' in estate.message()
    assert "teardownRequested" not in estate.message()
    assert "Nyl-Operation: teardown" in estate.message()
    estate.nyl("state", "check", "-e", "dev")
    estate.forget()
    assert results(estate.reconcile()) == {"cache": "executed", "web": "current"}
    assert estate.stored("desired/units/cache.yaml", "desired")["unit"]["uid"] != before


def test_hold_keeps_a_held_file_without_an_incarnation_and_no_run_creates_the_unit(estate: World) -> None:
    torn(estate, "--unit", "cache", "--hold", "--reason", "leak")
    document = estate.stored("desired/units/cache.yaml", "desired")
    assert (document["lifecycle"]["state"], "uid" in document["unit"]) == ("held", False)
    assert document["lifecycle"]["hold"]["reason"] == "leak"
    estate.forget()
    assert results(estate.reconcile(exits=2)) == {"cache": "held", "web": "blocked"}
    assert estate.ran() == []
    estate.nyl("state", "check", "-e", "dev")


def test_all_goes_dependents_first_releases_what_cannot_go_and_holds_what_is_owned(estate: World) -> None:
    removable(estate, "kept", deletionPolicy="Retain")
    removable(estate, "tomb", deletionPolicy="Retain")
    removable(estate, "above", dependsOn=["cache"])
    estate.commit("Add")
    estate.reconcile()
    estate.remove("units/tomb.yaml").commit("Leave a tombstone")
    estate.reconcile()
    estate.forget()
    gone = torn(estate, "--all", "--reason", "decommission")
    torn_down = {"above": "removed", "cache": "removed"}
    assert results(gone) == {"web": "released", "kept": "released", "tomb": "released", **torn_down}
    assert estate.ran() == ["above", "cache"]
    assert re.findall(r"\d of \d done", gone.stderr) == ["0 of 2 done", "1 of 2 done"]
    assert set(gone.environment()["details"]["released"]) == {"web", "kept", "tomb"}
    assert 'released: {"kept":{"kind":"Command","run":' in estate.message()
    released = {each["unit"]: each["message"] for each in gone.diagnostics if each["code"] == "NYL-UNIT-RELEASED"}
    assert {name: "held without an incarnation" in told for name, told in released.items()} == {
        "kept": True,
        "web": True,
        "tomb": False,
    }
    assert {lifecycle(estate, name)["state"] for name in ("above", "cache", "web", "kept")} == {"held"}
    assert "receipt" not in estate.nyl("state", "show", "-e", "dev").stdout
    estate.nyl("state", "check", "-e", "dev")
    assert set(results(estate.reconcile(exits=2)).values()) == {"held"}


def test_plan_previews_a_decommissioning_and_changes_nothing(estate: World) -> None:
    before = estate.state_refs()
    preview = estate.plan("--teardown", "--all", exits=0)
    assert preview.verdicts() == {"web": "release", "cache": "teardown"}
    assert preview.environment()["unitOrder"] == ["web", "cache"]
    assert "NYL-TEARDOWN-PENDING" not in preview.codes
    assert estate.state_refs() == before
    assert "NYL-USAGE" in estate.plan("--teardown", exits=1).codes


def test_a_tombstone_and_a_pending_teardown_are_torn_down_on_request_and_their_files_go(world: World) -> None:
    world.environment()
    removable(world, "a", deletionPolicy="Retain")
    removable(world, "b")
    world.initialise().reconcile()
    world.forget().remove("units/a.yaml").remove("units/b.yaml").commit("Remove")
    assert results(world.reconcile(exits=2)) == {"a": "retained", "b": "pending-teardown"}
    assert results(torn(world, "--unit", "a", "--unit", "b")) == {"a": "removed", "b": "removed"}
    assert sorted(world.ran()) == ["a", "b"]
    assert "units/" not in world.nyl("state", "show", "-e", "dev", "-o", "json").stdout


def test_a_teardown_renders_nothing_and_works_with_the_files_of_the_recorded_commit(estate: World) -> None:
    estate.write("units/broken.yaml", "not: [a unit")
    estate.write("scripts/cache.sh", "#!/bin/sh\nexit 9\n").commit("Break the script")
    assert results(torn(estate, "--unit", "cache")) == {"cache": "removed"}


def test_a_project_that_was_moved_tears_down_with_the_files_of_its_previous_folder(world: World) -> None:
    world.environment()
    removable(world, "cache")
    world.initialise().reconcile()
    (world.root / "shop").mkdir()
    for each in ("environments", "scripts", "units", "nyl.toml"):
        world.git("mv", each, "shop")
    world.commit("Move")
    moved = World(world.tmp, folder="shop")
    assert moved.reconcile().environment()["units"]["cache"]["result"] == "current"
    moved.forget().remove("units/cache.yaml").remove("scripts/cache.sh").commit("Leave")
    lost = moved.reconcile("--allow-teardown", exits=1)
    assert "previous_paths" in lost.stderr
    moved.write("nyl.toml", "[project]\nprevious_paths = ['..']\n")
    assert results(moved.reconcile("--allow-teardown")) == {"cache": "removed"}
    assert moved.ran() == ["cache"]


def test_source_runs_the_teardown_with_another_revision_and_the_commit_records_it(estate: World) -> None:
    estate.write("scripts/cache.sh", f"#!/bin/sh\necho other >> '{estate.log}'\n").commit("Another way")
    gone = torn(estate, "--unit", "cache", "--source", "main")
    assert (results(gone), estate.ran()) == ({"cache": "removed"}, ["other"])
    assert 'sourceOverride: {"commit":' in estate.message()


def test_a_commit_that_cannot_be_fetched_fails_before_any_effect_and_names_the_way_out(estate: World) -> None:
    estate.git("checkout", "-q", "--orphan", "fresh")
    estate.git("commit", "-q", "-m", "Start over")
    estate.git("push", "-q", "--force", "origin", "HEAD:main")
    clone = estate.tmp / "clone"
    estate.git("clone", "-q", "-b", "main", "--single-branch", f"file://{estate.origin}", clone, cwd=estate.tmp)
    estate.git("gc", "-q", "--prune=now", cwd=estate.origin)
    failed = estate.report("teardown", "-e", "dev", "--unit", "cache", exits=1, cwd=clone)
    assert results(failed) == {"cache": "pending-teardown"}
    assert estate.stored("desired/units/cache.yaml", "desired")["lifecycle"]["state"] == "active"
    assert "--source" in next(each["fix"] for each in failed.diagnostics if each["code"] == "NYL-SOURCE-MISSING")
    assert estate.ran() == []
    saved = estate.report("teardown", "-e", "dev", "--unit", "cache", "--source", "main", cwd=clone)
    assert (results(saved), estate.ran()) == ({"cache": "removed"}, ["cache"])


@pytest.mark.parametrize(
    ("script", "spec", "code", "result"),
    [("exit 7", {}, 3, "failed"), ("sleep 20", {"timeout": "1s"}, 4, "uncertain")],
)
def test_a_teardown_that_ends_badly_stays_in_progress_and_waits_for_recover(
    world: World, script: str, spec: dict[str, str], code: int, result: str
) -> None:
    world.environment()
    removable(world, "a", ["sh", "-c", f"[ -e '{gone(world)}' ] || {script}"], **spec)
    world.initialise().reconcile()
    assert results(torn(world, "--unit", "a", exits=code)) == {"a": result}
    deletion = world.stored("desired/units/a.yaml", "desired")["lifecycle"]["deletion"]
    assert (deletion["reason"], deletion["teardown"]) == ("replace", "in-progress")
    assert world.stored("observed/units/a.yaml")["condition"]["work"] == "teardown"
    assert results(world.reconcile(exits=code)) == {"a": result}
    assert world.report("status", "-e", "dev", exits=code).unit("a")["state"] == result
    planned = world.plan(exits=2).unit("a")
    assert planned["action"] == "blocked"
    assert f"{result}, waits for an operator" in planned["detail"]
    world.nyl("state", "check", "-e", "dev")
    gone(world).touch()
    world.nyl("recover", "-e", "dev", "--unit", "a", "--retry", "--reason", "mended")
    assert results(world.reconcile(exits=2)) == {"a": "removed"}


def test_an_uncertain_teardown_that_converges_is_uncertain_until_the_next_run(world: World) -> None:
    world.environment()
    removable(
        world, "a", {"command": ["sh", "-c", f"[ -e '{world.tmp}/go' ] || sleep 20"], "idempotent": True}, timeout="1s"
    )
    world.initialise().reconcile()
    torn(world, "--unit", "a", exits=4)
    status = world.report("status", "-e", "dev", exits=4)
    assert (status.unit("a")["state"], "NYL-UNIT-UNCERTAIN" in status.codes) == ("uncertain", True)
    assert world.plan().unit("a")["action"] == "teardown"
    (world.tmp / "go").touch()
    assert results(world.reconcile(exits=2)) == {"a": "removed"}


def test_a_unit_whose_kind_cannot_tear_down_and_one_that_nobody_knows_are_refused(estate: World) -> None:
    before = estate.state_refs()
    assert "NYL-TEARDOWN-UNSUPPORTED" in torn(estate, "--unit", "web", exits=1).codes
    assert "NYL-UNIT-UNKNOWN" in torn(estate, "--unit", "cach", exits=1).codes
    assert "NYL-USAGE" in torn(estate, exits=1).codes
    assert estate.state_refs() == before


def test_units_of_other_environments_keep_their_producer_unless_overridden(estate: World) -> None:
    reference = from_unit("cache", "endpoint", "dev")
    estate.environment("prod", unitSelector={"matchLabels": {"in": "prod"}})
    estate.environment("dev", unitSelector={"matchLabels": {"in": "dev"}})
    removable(estate, "cache", writes={"endpoint": "c1"}, labels={"in": "dev"})
    estate.unit("web", labels={"in": "dev"}, values={"e": from_unit("cache", "endpoint")})
    estate.unit("shop", labels={"in": "prod"}, values={"e": reference}).commit("Two environments")
    estate.nyl("state", "init", "-e", "prod")
    estate.reconcile("-e", "dev", "-e", "prod")
    estate.forget()
    refs = estate.state_refs()
    refused = torn(estate, "--unit", "cache", exits=2)
    told = next(each for each in refused.diagnostics if each["code"] == "NYL-TEARDOWN-HAS-DEPENDENTS")
    assert ("prod/shop" in told["message"], estate.ran()) == (True, [])
    assert estate.state_refs() == refs
    assert results(torn(estate, "--unit", "cache", "--allow-dependents")) == {"cache": "removed"}
    assert 'allowDependents: {"cache":["prod/shop"]}' in estate.message()


def test_an_environment_whose_state_cannot_be_read_may_use_the_unit(estate: World) -> None:
    estate.environment("prod").commit("Another environment")
    estate.nyl("state", "init", "-e", "prod")
    estate.environment("prod", state={"repository": {"repoURL": f"file://{estate.tmp}/nowhere.git"}}).commit("Lose it")
    refused = torn(estate, "--unit", "cache", exits=2)
    told = next(each for each in refused.diagnostics if each["code"] == "NYL-TEARDOWN-HAS-DEPENDENTS")
    assert ("possibly prod" in told["message"], estate.ran()) == (True, [])


# Teardowns that wait


@pytest.fixture
def waiting(world: World) -> World:
    """`site`, whose teardown waits for a file, its producer `base`, and `free`."""
    (world.tmp / "site-packages").mkdir()
    world.environ["PYTHONPATH"] = str(installed_at(world.tmp / "site-packages"))
    world.environment()
    removable(world, "base", writes={"x": "1"})
    removable(world, "free")
    spec = {"until": str(gone(world)), "values": {"x": from_unit("base", "x")}}
    world.write("units/site.yaml", resource(GROUP, "Waiter", "site", spec))
    world.initialise().reconcile()
    for name in ("base", "free", "site"):
        world.remove(f"units/{name}.yaml")
    world.commit("Remove")
    return world.forget()


def gone(world: World) -> Path:
    return world.tmp / "workloads-are-gone"


def test_a_teardown_that_waits_goes_on_by_itself_and_its_producers_wait_with_it(waiting: World) -> None:
    first = waiting.reconcile("--allow-teardown", exits=2)
    assert results(first) == {"site": "tearing-down", "free": "removed", "base": "pending-teardown"}
    assert "NYL-TEARDOWN-WAITING" in first.codes
    wait = waiting.stored("observed/units/site.yaml")["teardown"]
    assert wait["progress"] == {"looked": 1}
    states = waiting.report("status", "-e", "dev", exits=2).environment()["units"]
    assert {name: each["state"] for name, each in states.items()} == {
        "site": "tearing-down",
        "base": "pending-teardown",
    }
    waiting.nyl("state", "check", "-e", "dev")
    waiting.reconcile(exits=2)
    again = waiting.stored("observed/units/site.yaml")["teardown"]
    assert (again["progress"], again["since"]) == ({"looked": 2}, wait["since"])
    gone(waiting).touch()
    assert results(waiting.reconcile("--allow-teardown")) == {"site": "removed", "base": "removed"}


def test_a_teardown_on_request_waits_with_what_waits_for_it_though_only_it_is_named(waiting: World) -> None:
    waiting.reconcile("--allow-teardown", exits=2)
    asked = torn(waiting, "--unit", "base", exits=2)
    assert "NYL-TEARDOWN-WAITING" in asked.codes
    assert "NYL-TEARDOWN-PENDING" not in asked.codes


def test_an_operator_confirms_the_removal(waiting: World) -> None:
    waiting.reconcile("--allow-teardown", exits=2)
    confirmed = torn(waiting, "--unit", "site", "--confirm-removed")
    assert results(confirmed) == {"site": "removed"}
    assert 'confirmedRemoval: {"site":"confirmed by ' in waiting.message()


def test_a_teardown_that_makes_no_claim_of_removal_is_recorded_as_incomplete(waiting: World) -> None:
    done = waiting.reconcile("--allow-teardown", "--allow-incomplete")
    assert results(done) == {"site": "removed", "base": "removed", "free": "removed"}
    assert "NYL-TEARDOWN-INCOMPLETE" in done.codes
    assert 'incomplete: {"site":' in waiting.message()


# Held units


def test_a_teardown_of_a_held_unit_is_only_recorded_and_carried_out_after_the_resume(estate: World) -> None:
    estate.nyl("hold", "-e", "dev", "--unit", "cache", "--reason", "incident")
    preview = estate.plan("--teardown", "--all", exits=2).environment()["units"]["cache"]
    assert (preview["action"], preview["detail"]) == ("held", "a teardown that `nyl teardown --all` requested waits")
    recorded = torn(estate, "--unit", "cache", "--reason", "broken")
    assert (results(recorded), estate.ran()) == ({"cache": "held"}, [])
    assert "NYL-UNIT-HELD" in recorded.codes
    assert "teardownRequested: [cache]" in estate.message("desired")
    deletion = lifecycle(estate, "cache")["deletion"]
    assert isinstance(deletion, dict)
    assert (deletion["reason"], deletion["requested"]["reason"]) == ("replace", "broken")
    assert results(estate.reconcile(exits=2))["cache"] == "held"
    estate.nyl("resume", "-e", "dev", "--unit", "cache")
    assert results(estate.reconcile(exits=2)) == {"cache": "removed", "web": "blocked"}
    assert results(estate.reconcile()) == {"cache": "executed", "web": "current"}
    estate.nyl("state", "check", "-e", "dev")


def test_a_producer_waits_for_a_held_consumer_whose_teardown_was_asked_for_and_both_go_after_the_resume(
    estate: World,
) -> None:
    removable(estate, "above", dependsOn=["cache"])
    estate.commit("Add")
    estate.reconcile()
    estate.forget().nyl("hold", "-e", "dev", "--unit", "above")
    torn(estate, "--unit", "above")
    waits = torn(estate, "--unit", "cache", exits=2)
    assert (results(waits), estate.ran()) == ({"cache": "pending-teardown"}, [])
    assert waits.unit("cache")["detail"] == "waits for above"
    estate.nyl("resume", "-e", "dev", "--unit", "above")
    gone = torn(estate, "--unit", "above", "--unit", "cache")
    assert (results(gone), estate.ran()) == ({"above": "removed", "cache": "removed"}, ["above", "cache"])


def test_a_hold_during_the_wait_pauses_the_teardown_and_keeps_its_progress(waiting: World) -> None:
    waiting.reconcile("--allow-teardown", exits=2)
    waiting.nyl("hold", "-e", "dev", "--unit", "site")
    gone(waiting).touch()
    assert results(waiting.reconcile("--allow-teardown", exits=2)) == {"site": "held", "base": "pending-teardown"}
    assert waiting.stored("observed/units/site.yaml")["teardown"]["progress"] == {"looked": 1}
    waiting.nyl("resume", "-e", "dev", "--unit", "site")
    assert results(waiting.reconcile("--allow-teardown")) == {"site": "removed", "base": "removed"}


def test_a_confirmation_is_recorded_with_the_teardown_of_a_held_unit(waiting: World) -> None:
    waiting.reconcile("--allow-teardown", exits=2)
    waiting.nyl("hold", "-e", "dev", "--unit", "site")
    assert results(torn(waiting, "--unit", "site", "--confirm-removed")) == {"site": "held"}
    waiting.nyl("resume", "-e", "dev", "--unit", "site")
    assert results(torn(waiting, "--unit", "site")) == {"site": "removed"}
    assert 'confirmedRemoval: {"site":"confirmed by ' in waiting.message()


def test_a_held_file_without_an_incarnation_goes_after_the_resume_once_source_left_it(estate: World) -> None:
    torn(estate, "--unit", "cache", "--hold")
    estate.remove("units/web.yaml").remove("units/cache.yaml").commit("Remove")
    assert results(estate.reconcile(exits=2))["cache"] == "held"
    assert estate.plan(exits=2).verdicts() == {"cache": "held"}
    estate.nyl("resume", "-e", "dev", "--unit", "cache")
    assert estate.plan(exits=0).verdicts() == {"cache": "release"}
    assert results(estate.reconcile()) == {"cache": "removed"}
    assert "units/cache.yaml" not in estate.nyl("state", "show", "-e", "dev").stdout
