"""What reading and writing state costs in child processes and round trips."""

from pathlib import Path

import pytest

from nyl.state.changes import Batch
from tests.state.worlds import Runner, World, desired

NETWORK = {"push", "fetch", "ls-remote"}


def commands(runner: Runner, since: int = 0) -> list[str]:
    known = {*NETWORK, "fast-import", "for-each-ref", "cat-file", "ls-tree", "update-ref", "rev-list", "config"}
    return [next((each for each in call if each in known), " ".join(call)) for call in runner.calls.commands[since:]]


def no_change(runner: Runner) -> list[str]:
    since = len(runner.calls.commands)
    runner.take().release()
    return commands(runner, since)


def test_a_run_without_changes_makes_three_round_trips(world: World, alice: Runner) -> None:
    alice.reconcile("database")
    assert [each for each in no_change(alice) if each in NETWORK] == ["push", "fetch", "push"]


def test_processes_do_not_grow_with_the_number_of_units(world: World, alice: Runner) -> None:
    alice.reconcile("database")
    few = no_change(world.runner("alice"))
    alice.reconcile(*(f"unit-{number}" for number in range(60)))
    many = no_change(world.runner("alice"))
    assert few == many
    assert len(many) <= 9


def test_a_batch_is_one_import_and_one_push(alice: Runner) -> None:
    session = alice.take()
    since = len(alice.calls.commands)
    session.checkpoint(Batch(starting={f"unit-{number}": desired(f"unit-{number}") for number in range(20)}))
    assert commands(alice, since) == ["fast-import", "push"]


@pytest.mark.parametrize("content", [b"", b"no database", None])
def test_a_wrong_or_missing_cache_changes_nothing(tmp_path: Path, world: World, content: bytes | None) -> None:
    cache = tmp_path / "cache.db"
    runner = world.runner("alice", cache=cache).init()
    runner.reconcile("database", host="db")
    expected = runner.store.read()
    if content is None:
        cache.unlink(missing_ok=True)
    else:
        cache.write_bytes(content)
    assert world.runner("alice", cache=cache).store.read() == expected
    assert world.runner("alice", cache=cache).store.read() == expected
