"""Page Deletion and holds: units leave, wait for their teardown, are kept as tombstones, and return."""

import pytest

from tests.driver_package.installed import installed_at
from tests.support.declarations import from_unit, resource
from tests.support.processes import Invocation
from tests.support.world import World

ENDPOINT = {"e": from_unit("cache", "endpoint")}


@pytest.fixture
def story(world: World) -> World:
    """`cache`, which can be torn down, and its consumer `worker`, which is to be kept; both reconciled."""
    world.environment()
    world.unit("cache", script='[ "$1" = remove ] && echo "removing the cache" && exit 0', writes={"endpoint": "c1"})
    add_teardown(world, "cache")
    world.unit("worker", values=ENDPOINT, deletionPolicy="Retain")
    world.initialise().reconcile()
    return world.forget()


def add_teardown(world: World, name: str, argv: list[str] | None = None) -> None:
    path = world.project / f"units/{name}.yaml"
    command = argv or [f"./scripts/{name}.sh", "remove"]
    world.write(f"units/{name}.yaml", path.read_text() + f"  teardown: {command}\n")


def results(invocation: Invocation) -> dict[str, str]:
    return {name: each["result"] for name, each in invocation.environment()["units"].items()}


def leave(world: World, *names: str) -> World:
    for name in names:
        world.remove(f"units/{name}.yaml")
    world.commit("Remove")
    return world


def test_units_that_leave_wait_or_are_kept_and_the_report_is_the_page_s(story: World) -> None:
    leave(story, "cache", "worker")
    told = story.nyl("reconcile", "-e", "dev", exits=2)
    assert shown(told) == (
        "Units leaving the ownership set of dev (2):\n"
        "  teardown, needs --allow-teardown:   cache (removed)\n"
        "  dropped from state, resources kept: (none)\n"
        "  retained as tombstones:             worker (removed)\n"
        "\n"
        "UNIT    KIND     RESULT            DETAIL\n"
        "cache   Command  pending-teardown\n"
        "worker  Command  retained"
    )
    assert told.stderr.endswith(
        "warning NYL-PLAN-UNITS-LEAVING\n"
        "  2 unit(s) leave the ownership set of dev: cache (removed), worker (removed)\n"
        "  fix: restore the units in source or in the unitSelector's labels if they should stay; "
        "pass --fail-on-leaving to plan to make removals fail a pipeline\n"
        "\n"
        "warning NYL-TEARDOWN-PENDING (cache)\n"
        "  unit cache of dev left the ownership set; its teardown waits for --allow-teardown\n"
        "  fix: pass --allow-teardown to nyl reconcile to tear it down, restore it in source to keep it, or let it go "
        "without a teardown with `nyl state forget -e dev --unit cache`\n"
    )
    assert story.ran() == []
    lifecycle = story.stored("desired/units/cache.yaml", "desired")["lifecycle"]
    assert lifecycle == {
        "state": "deleting",
        "deletion": {"reason": "omission", "intent": "teardown", "teardown": "pending"},
    }
    assert story.stored("desired/units/worker.yaml", "desired")["lifecycle"] == {"state": "retained"}
    assert 'retained: {"worker":{"kind":"Command"' in story.message("desired")
    story.nyl("state", "check", "-e", "dev")


def shown(invocation: Invocation) -> str:
    """What a run prints before its commits."""
    return invocation.stdout.split("\n\n  run:")[0]


def test_units_that_are_disabled_or_render_to_nothing_wait_and_return(story: World) -> None:
    path = "units/cache.yaml"
    story.remove("units/worker.yaml")
    declared = (story.project / path).read_text()
    head, body = declared.split("spec:\n")
    empty = f"{head}spec:\n{{% if false %}}\n{body}{{% endif %}}\n"
    for text, why in ((f"{declared}  enabled: false\n", "disabled"), (empty, "removed")):
        story.write(path, text).commit("Leave")
        gone = story.reconcile(exits=2)
        assert (results(gone)["cache"], gone.environment()["leaving"][0]["why"]) == ("pending-teardown", why)
    story.write(path, declared).commit("Mend")
    assert results(story.reconcile()) == {"cache": "current", "worker": "retained"}
    assert story.ran() == []


def test_a_tombstone_protects_its_producer_until_the_operator_overrides_it(story: World) -> None:
    leave(story, "cache", "worker").reconcile(exits=2)
    refused = story.reconcile("--allow-teardown", exits=2)
    assert (results(refused)["cache"], story.ran()) == ("pending-teardown", [])
    assert "NYL-TEARDOWN-HAS-DEPENDENTS" in refused.codes
    allowed = story.nyl("reconcile", "-e", "dev", "--allow-teardown", "--allow-dependents")
    assert shown(allowed) == (
        "Units leaving the ownership set of dev (1):\n"
        "  teardown, needs --allow-teardown:   cache (removed)\n"
        "  dropped from state, resources kept: (none)\n"
        "  retained as tombstones:             (none)\n"
        "\n"
        "UNIT    KIND     RESULT    DETAIL\n"
        "cache   Command  removed\n"
        "worker  Command  retained"
    )
    assert allowed.stderr.endswith(
        "warning NYL-PLAN-UNITS-LEAVING\n"
        "  1 unit(s) leave the ownership set of dev: cache (removed)\n"
        "  fix: restore the units in source or in the unitSelector's labels if they should stay; "
        "pass --fail-on-leaving to plan to make removals fail a pipeline\n"
    )
    assert "removing the cache\n" in allowed.stderr
    assert story.ran() == ["cache"]
    assert 'allowDependents: {"cache":["worker"]}' in story.message()
    gone = story.nyl("state", "show", "-e", "dev", "-o", "json").stdout
    assert "units/cache.yaml" not in gone
    story.nyl("state", "check", "-e", "dev")
    assert results(story.reconcile()) == {"worker": "retained"}
    assert story.report("status", "-e", "dev").environment()["units"]["worker"]["state"] == "retained"


def test_units_that_return_adopt_their_tombstones_and_run_only_where_their_keys_changed(story: World) -> None:
    before = story.stored("desired/units/worker.yaml", "desired")["unit"]["uid"]
    cache = story.stored("desired/units/cache.yaml", "desired")["unit"]["uid"]
    leave(story, "cache", "worker").reconcile("--allow-teardown", exits=2)
    story.reconcile("--allow-teardown", "--allow-dependents")
    story.git("revert", "--no-edit", "HEAD")
    story.commit("Restore")
    story.forget()
    assert shown(story.nyl("reconcile", "-e", "dev")) == (
        "UNIT    KIND     RESULT    DETAIL\ncache   Command  executed\nworker  Command  current"
    )
    assert story.ran() == ["cache"]
    assert story.stored("desired/units/worker.yaml", "desired")["unit"]["uid"] == before
    assert story.stored("desired/units/cache.yaml", "desired")["unit"]["uid"] != cache


def test_a_selector_typo_destroys_nothing_and_mending_it_runs_nothing(story: World) -> None:
    declared = (story.project / "environments/dev.yaml").read_text()
    story.environment("dev", unitSelector={"matchLabels": {"tier": "typo"}}).commit("Typo")
    typo = story.reconcile(exits=2)
    assert results(typo) == {"cache": "pending-teardown", "worker": "retained"}
    leaving = typo.environment()["leaving"]
    assert {each["why"] for each in leaving} == {"deselected"}
    story.write("environments/dev.yaml", declared).commit("Mend")
    assert results(story.reconcile()) == {"cache": "current", "worker": "current"}
    assert story.ran() == []
    assert story.stored("desired/units/cache.yaml", "desired")["lifecycle"] == {"state": "active"}


def test_a_unit_whose_kind_cannot_tear_down_is_released_and_the_commit_lists_what_was_left(world: World) -> None:
    world.environment().unit("a", writes={"host": "h"}).initialise().reconcile()
    leave(world, "a")
    released = world.reconcile()
    assert results(released) == {"a": "released"}
    assert "NYL-UNIT-RELEASED" in released.codes
    assert 'released: {"a":{"kind":"Command","outputs":{"host":"h"}' in world.message()
    assert results(world.reconcile()) == {}
    world.nyl("state", "check", "-e", "dev")


def test_consumers_go_first_and_a_producer_waits_for_those_that_cannot_go_yet(world: World) -> None:
    world.environment()
    for name, needs in (("base", []), ("middle", ["base"]), ("top", ["middle"]), ("other", [])):
        world.unit(name, dependsOn=needs)
        add_teardown(world, name, [f"./scripts/{name}.sh"])
    world.initialise().reconcile()
    leave(world.forget(), "base", "middle", "top", "other")
    torn = world.reconcile("--allow-teardown", "--concurrency", "1")
    assert set(results(torn).values()) == {"removed"}
    assert [name for name in world.ran() if name != "other"] == ["top", "middle", "base"]
    assert torn.environment()["unitOrder"] == world.ran()


def test_a_failed_teardown_stays_in_progress_and_what_it_depends_on_waits(world: World) -> None:
    world.environment().unit("base").unit("top", dependsOn=["base"]).unit("free")
    for name, argv in (("base", ["true"]), ("top", ["false"]), ("free", ["true"])):
        add_teardown(world, name, argv)
    world.initialise().reconcile()
    leave(world, "base", "top", "free")
    failed = world.reconcile("--allow-teardown", exits=3)
    assert results(failed) == {"top": "failed", "free": "removed", "base": "pending-teardown"}
    assert "NYL-TEARDOWN-PENDING" in failed.codes
    document = world.stored("desired/units/top.yaml", "desired")
    assert document["lifecycle"]["deletion"]["teardown"] == "in-progress"
    condition = world.stored("observed/units/top.yaml")["condition"]
    assert (condition["state"], condition["work"]) == ("failed", "teardown")
    assert results(world.reconcile(exits=3)) == {"top": "failed", "base": "pending-teardown"}
    world.nyl("state", "check", "-e", "dev")


def test_a_kind_change_ends_the_old_incarnation_before_the_new_kind_starts(world: World) -> None:
    (world.tmp / "site").mkdir()
    world.environ["PYTHONPATH"] = str(installed_at(world.tmp / "site"))
    world.environment().unit("a")
    add_teardown(world, "a")
    world.initialise().reconcile()
    before = world.stored("desired/units/a.yaml", "desired")["unit"]["uid"]
    world.write("units/a.yaml", resource("test.nyl.example/v1", "Waiter", "a", {})).commit("Another kind")
    waits = world.reconcile(exits=2)
    assert results(waits) == {"a": "pending-teardown"}
    assert {"NYL-UNIT-KIND-CHANGE", "NYL-TEARDOWN-PENDING"} <= waits.codes
    lifecycle = world.stored("desired/units/a.yaml", "desired")["lifecycle"]
    assert lifecycle["deletion"]["reason"] == "kind-change"
    assert results(world.reconcile("--allow-teardown", exits=2)) == {"a": "removed"}
    assert results(world.reconcile()) == {"a": "executed"}
    unit = world.stored("desired/units/a.yaml", "desired")["unit"]
    assert (unit["kind"], unit["uid"] == before) == ("Waiter", False)


def test_leaving_acts_only_on_what_left_and_unit_does_no_deletion_work(story: World) -> None:
    leave(story, "worker")
    story.unit("third").commit("Add")
    named = story.reconcile("--unit", "third")
    assert (results(named), named.environment()["leaving"]) == ({"third": "executed"}, [])
    story.unit("fourth").commit("Add")
    story.forget()
    assert results(story.reconcile("--leaving")) == {"worker": "retained"}
    assert story.ran() == []


def test_plan_lists_leaving_units_first_with_what_allow_teardown_would_do(story: World) -> None:
    leave(story.unit("above"), "cache", "worker")
    planned = story.plan(exits=2)
    assert planned.environment()["unitOrder"] == ["worker", "cache", "above"]
    assert planned.verdicts() == {"worker": "retain", "cache": "teardown", "above": "execute"}
    told = story.nyl("plan", "-e", "dev", "--fail-on-leaving", exits=1)
    assert told.stdout.startswith("Units leaving the ownership set of dev (2):\n")


def test_forgetting_a_pending_teardown_and_a_tombstone_touches_no_resource(story: World) -> None:
    leave(story, "cache", "worker").reconcile(exits=2)
    story.nyl("state", "forget", "-e", "dev", "--unit", "cache", "--unit", "worker")
    assert (results(story.reconcile("--allow-teardown")), story.ran()) == ({}, [])
    assert "units/" not in story.nyl("state", "show", "-e", "dev", "-o", "json").stdout


def test_plan_names_every_override_that_a_teardown_needs(story: World) -> None:
    leave(story, "worker").reconcile()
    planned = leave(story, "cache").plan(exits=2)
    assert "needs --allow-teardown and --allow-dependents, as it is used by worker" in planned.unit("cache")["detail"]


def test_status_tells_of_no_release_before_a_run_made_it(world: World) -> None:
    world.environment().unit("web").initialise().reconcile()
    leave(world, "web")
    told = world.report("status", "-e", "dev", exits=2).environment()
    assert [each["code"] for each in told["diagnostics"]] == ["NYL-PLAN-UNITS-LEAVING"]
