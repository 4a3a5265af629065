"""Recovery page, Breaking a lease: who takes a broken lease over, and who waits until its run is imported."""

import yaml

from tests.scenarios.test_state_commands import moved
from tests.scenarios.test_takeover import dying_pair, summary
from tests.support import deaths
from tests.support.deaths import die_at
from tests.support.world import World

WRITERS = (
    "hold --unit migrate",
    "resume --unit migrate",
    "recover --unit migrate --retry --reason checked",
    "recover --unit migrate --accept 01a1 --reason checked",
    "state forget --unit migrate",
    "state delete",
    "state delete --teardown",
    "state publish",
)


def test_whatever_else_writes_state_waits_until_the_broken_run_is_imported(world: World) -> None:
    run = die_at(dying_pair(world), "database", "migrate")
    before = world.refs()
    told = (
        "error NYL-LEASE-BROKEN\n"
        f"  the lease of dev was broken and its run {run} has not been imported yet\n"
        f"  fix: run `nyl recover -e dev` to import it (a `nyl reconcile` or `nyl teardown` of dev imports it too), "
        "then run this command again\n"
    )
    for words in WRITERS:
        refused = world.nyl(*words.split(), "-e", "dev", exits=2)
        assert told in refused.stderr, words
        assert refused.stdout.endswith(" dev: refused\n"), words
    # The state knows the unit only once its run is imported.
    assert told in world.nyl("exec", "-e", "dev", "--unit", "migrate", "--", "show", exits=2).stderr
    moved(world)
    assert told in world.nyl("state", "move", "-e", "dev", "--from", f"file://{world.origin}", exits=2).stderr
    assert {ref: each for ref, each in world.refs().items() if "nyl" in ref} == {
        ref: each for ref, each in before.items() if "nyl" in ref
    }


def test_who_waits_for_a_broken_lease_goes_on_once_its_run_is_imported(world: World) -> None:
    die_at(dying_pair(world), "database", "migrate")
    waiting = [world.start(*words.split(), "-e", "dev", "--wait-lease", "30s") for words in ("state publish", "verify")]
    for each in waiting:
        assert each.stderr is not None
        assert any("to be imported" in line for line in each.stderr)
    world.nyl("recover", "-e", "dev")
    assert [each.wait(30) for each in waiting] == [0, 0]


def test_a_teardown_takes_a_broken_lease_over_and_records_the_import_with_the_break(world: World) -> None:
    dying_pair(world).unit("cache", teardown=["true"]).commit()
    run = die_at(world, "cache", "database", "migrate")
    world.nyl("teardown", "-e", "dev", "--unit", "cache", "--reason", "not needed", exits=None)
    told = summary(world)
    assert (told["recovered"], told["leaseBroken"]["reason"]) == (["migrate"], "runner was killed")  # type: ignore[index]
    assert world.stored("observed/units/migrate.yaml")["condition"]["run"] == run
    assert world.stored("observed/units/database.yaml")["receipt"]["run"] == run
    kept = world.git("ls-tree", "-r", "--name-only", world.state("desired"), cwd=world.origin)
    assert "desired/units/cache.yaml" not in kept
    assert deaths.runs(world) == []
    assert not any(ref.endswith("/lease") for ref in world.state_refs())


def test_who_deletes_a_lease_lets_nobody_in_and_its_holder_writes_no_state(world: World) -> None:
    process = deaths.start_until(dying_pair(world), ["database", "migrate"])
    run, state = deaths.live_run(world), (world.state("desired"), world.state())
    world.git("update-ref", "-d", "refs/nyl/dev/lease", cwd=world.origin)
    refused = world.nyl("reconcile", "-e", "dev", exits=2)
    assert f"error NYL-LEASE-HELD\n  dev is held by run {run} (reconcile) by " in refused.stderr
    deaths.open_gate(world)
    _, told = process.communicate(timeout=20)
    assert (process.returncode, "error NYL-LEASE-LOST\n" in told) == (4, True)
    assert (world.state("desired"), world.state()) == state
    assert world.forget().reconcile().verdicts() == {"database": "imported", "migrate": "imported"}
    assert world.ran() == []


def test_a_run_that_was_killed_is_shown_as_it_stood_until_its_lease_ends(world: World) -> None:
    run = die_at(dying_pair(world), "database", "migrate", breaks=False)
    world.nyl("state", "check", "-e", "dev")
    status = world.report("status", "-e", "dev", exits=2)
    assert status.verdicts() == {"database": "running", "migrate": "running"}
    assert {status.unit(name)["run"] for name in status.verdicts()} == {run}
    assert f"run {run} checkpointed its result" in status.unit("database")["detail"]
    ref = yaml.safe_load(world.git("show", f"refs/nyl/dev/runs/{run}:run.yaml", cwd=world.origin))
    assert list(ref["executing"]) == ["migrate"]
