"""Spec of nyl lease."""

from datetime import timedelta
from typing import Any

from nyl.core.clock import Instant
from tests.support.declarations import from_unit
from tests.support.gates import Gate, killed_run
from tests.support.world import World


def dead_run(world: World, **spec: Any) -> str:
    """`dev` is held by a run that was killed while `migrate` ran; its id."""
    gate = Gate(world).close()
    world.write("nyl.toml", '[orchestration]\nresolution_timeout = "2h"\nlease_grace = "15m"\n')
    world.environment("dev", **spec).unit("database", writes={"host": "db"})
    world.unit("migrate", values={"host": from_unit("database", "host")}, script=gate.script).initialise()
    run = killed_run(world)
    gate.open()
    return run


def shown(world: World) -> dict[str, Any]:
    details: dict[str, Any] = world.report("lease", "show", "-e", "dev").json["details"]
    return details


def test_a_lease_that_nobody_holds_is_shown_as_such(known: World) -> None:
    before = known.refs()
    assert known.nyl("lease", "show", "-e", "dev").stdout == "nobody holds dev\n"
    assert shown(known) == {"lease": None, "runs": [], "evidence": [], "breaks": []}
    assert known.refs() == before


def test_breaking_names_the_run_and_warns_that_it_may_be_alive(world: World) -> None:
    run = dead_run(world)
    ended = world.nyl("lease", "break", "-e", "dev", "--reason", "runner was killed")
    assert ended.stdout == f"lease-break dev: done\n  broken: run {run}\n"
    assert "warning NYL-LEASE-HELD\n" in ended.stderr
    assert f"the lease of run {run} by " in ended.stderr
    assert "it can no longer write state" in ended.stderr
    assert "units it was executing become uncertain at the next run" in ended.stderr


def test_the_holder_its_run_and_the_break_are_shown(world: World) -> None:
    run = dead_run(world)
    before = shown(world)
    assert (before["lease"]["run"], before["lease"]["state"]) == (run, "held")
    assert [(each["run"], each["executing"], each["checkpoints"]) for each in before["runs"]] == [
        (run, ["migrate"], ["database"])
    ]
    taken, deadline = (Instant.parse(before["lease"][each]) for each in ("takenAt", "deadline"))
    assert deadline - taken == timedelta(hours=2, minutes=15)
    assert f"dev is held by run {run} (reconcile)" in world.nyl("lease", "show", "-e", "dev").stdout
    world.nyl("lease", "break", "-e", "dev", "--reason", "runner was killed")
    (broken,) = shown(world)["breaks"]
    assert (broken["run"], broken["by"]) == (run, "Alice Example <alice@example.com>")
    assert "runner was killed" in world.nyl("lease", "show", "-e", "dev").stdout


def test_the_lease_of_an_environment_that_is_not_declared_any_more_is_shown_and_broken(world: World) -> None:
    run = dead_run(world, state={"coordinationRefPrefix": "refs/locks"})
    before = world.refs()
    world.remove("environments/dev.yaml").commit(push=False)
    assert shown(world)["lease"]["run"] == run
    told = world.nyl("lease", "break", "-e", "dev", "--reason", "killed").stderr
    assert "`nyl recover -e dev` imports it where the project declares dev" in told
    assert shown(world)["breaks"][0]["run"] == run
    changed = {name for name, commit in world.refs().items() if before.get(name) != commit}
    assert changed == {"refs/locks/dev/lease"}
    assert "NYL-ENVIRONMENT-UNKNOWN" in world.nyl("lease", "show", "-e", "qa", exits=1).stderr


def test_breaking_needs_a_reason_and_says_when_there_was_nothing_to_break(known: World) -> None:
    assert "Missing option '--reason'" in known.nyl("lease", "break", "-e", "dev", exits=1).stderr
    before = known.refs()
    done = known.nyl("lease", "break", "-e", "dev", "--reason", "habit")
    assert done.stdout == "lease-break dev: done\n  broken: nothing\n"
    assert "warning NYL-LEASE-UNBREAKABLE" in done.stderr
    assert known.refs() == before
