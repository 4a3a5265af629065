"""Spec of nyl hold and nyl resume: the section Holds of the page Deletion and holds."""

from typing import Any

import pytest

from tests.support.declarations import from_unit
from tests.support.gates import Gate, kill, wait_until
from tests.support.git_processes import GitRecorder
from tests.support.world import World

RUNNING = ["push", "fetch", "push"]
MOST_PROCESSES = 10


def lifecycle(world: World, unit: str) -> dict[str, Any]:
    """The lifecycle block of a unit in state."""
    block: dict[str, Any] = world.stored(f"desired/units/{unit}.yaml", "desired")["lifecycle"]
    return block


def holding(world: World, *units: str, reason: str = "incident") -> World:
    """Holds units of `dev`."""
    named = [each for unit in units for each in ("--unit", unit)]
    world.nyl("hold", "-e", "dev", *named, "--reason", reason)
    return world


def changed(world: World, unit: str = "database") -> str:
    """Commits another size, which changes the key of the pair's database; the commit."""
    world.environment("dev", values={"size": "large"})
    return world.commit(f"Change {unit}")


def test_a_hold_names_who_held_the_unit_when_and_why(reconciled: World) -> None:
    ended = reconciled.nyl("hold", "-e", "dev", "--unit", "migrate", "--reason", "incident")
    assert ended.stdout.splitlines() == [
        "hold dev: done",
        f"  desired: {reconciled.state('desired')}",
        '  held: ["migrate"]',
    ]
    block = lifecycle(reconciled, "migrate")
    assert (block["state"], block["hold"]["by"]) == ("held", "Alice Example <alice@example.com>")
    assert block["hold"]["reason"] == "incident"
    assert reconciled.message("desired").startswith("nyl: hold dev (1 held)\n\nunits:\n  migrate: ")
    assert "Nyl-Operation: hold" in reconciled.message("desired")


def test_runs_change_nothing_about_a_held_unit_and_consumers_read_what_runs(reconciled: World) -> None:
    before = reconciled.stored("observed/units/database.yaml")
    wanted = reconciled.stored("desired/units/database.yaml", "desired")
    holding(reconciled, "database")
    changed(reconciled)
    assert reconciled.reconcile(exits=2).verdicts() == {"database": "held", "migrate": "current"}
    assert reconciled.ran() == []
    assert reconciled.stored("observed/units/database.yaml") == before
    kept = reconciled.stored("desired/units/database.yaml", "desired")
    assert {**kept, "lifecycle": {}} == {**wanted, "lifecycle": {}}


def test_what_source_would_change_is_recorded_once(reconciled: World) -> None:
    holding(reconciled, "database")
    first = changed(reconciled)
    reconciled.reconcile(exits=2)
    assert lifecycle(reconciled, "database")["hold"]["pending"]["sourceCommit"] == first
    written = reconciled.state("desired")
    reconciled.commit("Nothing of the unit")
    told = reconciled.reconcile(exits=2).json["environments"]["dev"]["units"]["database"]
    assert first in told["detail"]
    assert reconciled.state("desired") == written


def test_a_held_unit_that_keeps_a_change_is_warned_of(reconciled: World) -> None:
    holding(reconciled, "database")
    assert "NYL-UNIT-HELD" not in reconciled.reconcile(exits=2).codes
    first = changed(reconciled)
    for words in (["status"], ["reconcile"], ["status"]):
        told = reconciled.report(*words, "-e", "dev", exits=2)
        assert ["NYL-UNIT-HELD" in told.codes, first in told.unit("database")["detail"]] == [True, True], words
    assert first in str(reconciled.plan(exits=2).unit("database"))


def test_a_resumed_unit_goes_on_with_the_change_that_waited(reconciled: World) -> None:
    holding(reconciled, "database")
    changed(reconciled)
    reconciled.reconcile(exits=2)
    ended = reconciled.nyl("resume", "-e", "dev", "--unit", "database")
    assert ended.stdout.endswith('  resumed: ["database"]\n')
    assert lifecycle(reconciled, "database") == {"state": "active"}
    assert reconciled.reconcile().verdicts() == {"database": "executed", "migrate": "executed"}


def test_a_unit_that_never_ran_is_not_created_and_its_dependents_stay_blocked(pair: World) -> None:
    holding(pair, "database")
    assert pair.reconcile(exits=2).verdicts() == {"database": "held", "migrate": "blocked"}
    assert pair.ran() == []
    document = pair.stored("desired/units/database.yaml", "desired")
    assert "uid" not in document["unit"]
    assert document["unit"]["kind"] == "Command"
    pair.nyl("state", "check", "-e", "dev")
    pair.nyl("resume", "-e", "dev", "--unit", "database")
    assert pair.reconcile().verdicts() == {"database": "executed", "migrate": "executed"}


def test_an_unknown_unit_is_held_with_a_warning(reconciled: World) -> None:
    ended = reconciled.nyl("hold", "-e", "dev", "--unit", "migrant")
    assert "warning NYL-UNIT-UNKNOWN (migrant)" in ended.stderr
    assert "did you mean migrate? take it back with `nyl resume -e dev --unit migrant`" in ended.stderr
    reconciled.unit("migrant").commit()
    assert reconciled.reconcile(exits=2).verdicts()["migrant"] == "held"
    reconciled.nyl("resume", "-e", "dev", "--unit", "migrant")
    assert reconciled.reconcile().verdicts()["migrant"] == "executed"


def test_what_no_unit_can_be_called_is_not_held(pair: World) -> None:
    before = pair.refs()
    for name in ("m" * 300, "Migrate", "a b", "a_b"):
        refused = pair.nyl("hold", "-e", "dev", "--unit", name, exits=1).stderr
        assert "NYL-UNIT-UNKNOWN" in refused
        assert f"No unit can have the name '{name[:64]}" in refused
        assert "at most 63 characters" in refused
    assert pair.refs() == before


def test_a_unit_that_was_held_by_mistake_is_nothing_once_it_is_resumed(reconciled: World) -> None:
    def told() -> list[list[str]]:
        words = (["get", "units"], ["plan"])
        shown = [reconciled.nyl(*each, "-e", "dev", exits=(0, 2)).stdout.splitlines() for each in words]
        return [line.split() for lines in shown for line in lines if "migrant" in line]

    reconciled.nyl("hold", "-e", "dev", "--unit", "migrant")
    assert told() == [["dev", "migrant", "Unknown", "held"], ["migrant", "Unknown", "held"]]
    reconciled.nyl("resume", "-e", "dev", "--unit", "migrant")
    goes = "migrant Unknown release it has no incarnation, so that only its file goes"
    assert told() == [["dev", "migrant", "Unknown"], goes.split()]


def test_holding_twice_and_resuming_what_is_not_held_write_nothing(reconciled: World) -> None:
    holding(reconciled, "migrate")
    before = reconciled.refs()
    holding(reconciled, "migrate", reason="again")
    reconciled.nyl("resume", "-e", "dev", "--unit", "database")
    assert reconciled.refs() == before


def test_resuming_an_unknown_unit_names_the_held_ones(reconciled: World) -> None:
    def refused() -> str:
        return reconciled.nyl("resume", "-e", "dev", "--unit", "nobody", exits=1).stderr

    assert "NYL-UNIT-UNKNOWN" in refused()
    assert "nothing is to be done: no unit of dev is held" in refused()
    holding(reconciled, "migrate")
    assert "choose one that is held: migrate" in refused()


def test_a_condition_outlives_hold_and_resume(pair: World) -> None:
    pair.unit("database", script="exit 1", writes={"host": "db"}).commit()
    pair.reconcile(exits=3)
    before = pair.stored("observed/units/database.yaml")["condition"]
    holding(pair, "database")
    pair.nyl("resume", "-e", "dev", "--unit", "database")
    assert pair.stored("observed/units/database.yaml")["condition"] == before


@pytest.mark.parametrize("command", [("hold", "--reason", "x"), ("resume",)])
def test_they_take_three_round_trips_and_processes_that_do_not_grow(tmp_path: Any, command: tuple[str, ...]) -> None:
    counts = []
    for size in (2, 8):
        folder = tmp_path / str(size)
        folder.mkdir()
        world = World(folder).environment().write("true.sh", "#!/bin/sh\n")
        for number in range(size):
            world.unit(f"u{number}")
        world.initialise().reconcile()
        holding(world, "u0")
        recorder = GitRecorder.install(folder / "recorder")
        unit = "u1" if command[0] == "hold" else "u0"
        world.nyl(*command, "-e", "dev", "--unit", unit, environ=recorder.environ(world.environ["PATH"]))
        assert recorder.round_trips() == RUNNING
        counts.append(len(recorder.calls()))
    assert counts[0] == counts[1] <= MOST_PROCESSES, recorder.calls()


# While a run works


def working(world: World) -> tuple[Gate, Any]:
    """A run of three units in a row; the first waits behind a gate that is closed."""
    gate = Gate(world).close()
    world.environment().unit("first", script=gate.script, writes={"host": "a"})
    world.unit("second", values={"host": from_unit("first", "host")}, writes={"host": "b"})
    world.unit("third", values={"host": from_unit("second", "host")}).initialise()
    process = world.start("reconcile", "-e", "dev", "-o", "json")
    wait_until(lambda: world.ran() == ["first"])
    return gate, process


def test_a_hold_reaches_the_run_that_holds_the_lease(world: World) -> None:
    gate, process = working(world)
    recorder = GitRecorder.install(world.tmp / "recorder")
    ended = world.nyl("hold", "-e", "dev", "--unit", "second", environ=recorder.environ(world.environ["PATH"]))
    assert "writtenBy: run " in ended.stdout
    assert recorder.round_trips() == ["push", "fetch", "push", "fetch"]
    gate.open()
    assert process.wait(timeout=60) == 2
    assert world.ran() == ["first"]
    assert lifecycle(world, "second")["state"] == "held"
    assert "held: [second]" in world.message("desired")
    assert not [ref for ref in world.refs() if "/signals/" in ref or "/runs/" in ref]


def test_a_hold_on_the_unit_that_runs_is_written_with_its_result(world: World) -> None:
    gate, process = working(world)
    holding(world, "first")
    gate.open()
    assert process.wait(timeout=60) in (0, 2)
    assert lifecycle(world, "first")["state"] == "held"
    assert world.stored("observed/units/first.yaml")["receipt"]


@pytest.mark.parametrize("command", ["teardown -e dev --unit first", "reconcile -e dev --allow-teardown"])
def test_a_unit_that_is_held_while_it_is_torn_down_keeps_a_held_file(world: World, command: str) -> None:
    gate = Gate(world)
    world.environment().unit(
        "first", writes={"host": "a"}, teardown=["sh", "-c", f"echo gone >> {world.log}; {gate.script}"]
    )
    world.initialise().reconcile()
    if command.startswith("reconcile"):
        world.remove("units/first.yaml").commit()
    gate.close()
    process = world.forget().start(*command.split())
    wait_until(lambda: world.ran() == ["gone"])
    world.nyl("hold", "-e", "dev", "--unit", "first", "--unit", "ghost", "--reason", "incident")
    gate.open()
    assert process.wait(timeout=60) in (0, 2)
    held = world.stored("desired/units/first.yaml", "desired")
    assert (held["lifecycle"]["hold"]["reason"], held["unit"]["kind"], held["unit"].get("uid")) == (
        "incident",
        "Command",
        None,
    )
    assert lifecycle(world, "ghost")["state"] == "held"
    assert "held: [first, ghost]" in world.message("desired")
    world.reconcile(exits=(0, 2))
    assert world.ran() == ["gone"]


def test_the_hold_of_a_dead_run_is_applied_by_whoever_imports_it(world: World) -> None:
    gate = Gate(world).close()
    world.environment().unit("first", script=gate.script, idempotent=True).unit("second").initialise()
    process = world.start("reconcile", "-e", "dev", "--concurrency", "1")
    wait_until(lambda: world.ran() == ["first"])
    holding(world, "second")

    kill(process)
    gate.open()
    world.forget().nyl("lease", "break", "-e", "dev", "--reason", "runner was killed")
    assert "NYL-LEASE-BROKEN" in world.nyl("hold", "-e", "dev", "--unit", "first", exits=2).stderr
    assert world.reconcile(exits=2).verdicts() == {"first": "recovered", "second": "held"}
    assert lifecycle(world, "second")["state"] == "held"
