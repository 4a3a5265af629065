"""Recovery page, Cancellation: a signal makes whatever holds a lease give it back, also what runs no unit."""

import json
import signal
import time

import pytest

from tests.support.gates import Gate, killed_run, wait_until
from tests.support.world import Started, World

OPERATIONS = (
    ("hold", "-e", "dev", "--unit", "database"),
    ("resume", "-e", "dev", "--unit", "database"),
    ("recover", "-e", "dev", "--unit", "database", "--retry", "--reason", "checked"),
    ("state", "forget", "-e", "dev", "--unit", "database"),
    ("state", "delete", "-e", "dev"),
    ("teardown", "-e", "dev", "--unit", "database"),
)


def stall(world: World, hook: str = "post-receive") -> None:
    """Pushes to the remote wait behind a gate, and say when they got there."""
    path = world.origin / "hooks" / hook
    path.write_text(f"#!/bin/sh\ntouch {world.tmp}/pushed\n{Gate(world, 'push').script}\nexit 0\n")
    path.chmod(0o755)
    Gate(world, "push").close()


def signalled(world: World, number: signal.Signals, *arguments: str) -> Started:
    """A command that got a signal while its first push was under way, which may go on then."""
    process = world.start(*arguments, "-o", "json")
    wait_until((world.tmp / "pushed").exists)
    process.send_signal(number)
    return process


def ended(process: Started) -> tuple[int, list[str]]:
    """The exit code and the codes that a command told."""
    stdout, _ = process.communicate(timeout=30)
    return process.returncode, [each["code"] for each in json.loads(stdout)["diagnostics"]]


@pytest.mark.parametrize("arguments", OPERATIONS, ids=lambda each: "-".join(each[:2]))
def test_an_operation_that_gets_a_signal_while_it_takes_the_lease_gives_it_back(
    world: World, arguments: tuple[str, ...]
) -> None:
    world.environment().unit("database", teardown=["true"]).initialise().reconcile()
    before = world.state_refs()
    stall(world)
    process = signalled(world, signal.SIGTERM, *arguments)
    Gate(world, "push").open()
    assert ended(process) == (4, ["NYL-RUN-CANCELLED"])
    assert world.state_refs() == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_import_that_gets_a_signal_puts_the_broken_lease_back(pair: World, number: signal.Signals) -> None:
    gate = Gate(pair).close()
    pair.unit("migrate", script=gate.script).commit()
    killed_run(pair)
    gate.open()
    pair.nyl("lease", "break", "-e", "dev", "--reason", "runner was killed")
    before = pair.state_refs()
    stall(pair)
    process = signalled(pair, number, "recover", "-e", "dev")
    Gate(pair, "push").open()
    assert ended(process) == (4, ["NYL-RUN-CANCELLED"])
    after = pair.state_refs()
    assert after.keys() == before.keys()
    assert pair.report("lease", "show", "-e", "dev").json["details"]["lease"]["state"] == "broken"


def test_an_import_that_gets_a_signal_does_not_wait_for_a_fingerprint(pair: World) -> None:
    gate = Gate(pair).close()
    pair.unit("migrate", script=gate.script).commit()
    run = killed_run(pair)
    gate.open()
    pair.nyl("lease", "break", "-e", "dev", "--reason", "runner was killed")
    slow = f"touch {pair.tmp}/pushed; exec sleep 600"
    pair.unit("migrate", fingerprint=["sh", "-c", slow]).commit()
    assert ended(signalled(pair, signal.SIGTERM, "recover", "-e", "dev")) == (4, ["NYL-RUN-CANCELLED"])
    assert f"refs/nyl/dev/runs/{run}" in pair.refs()
    assert pair.report("lease", "show", "-e", "dev").json["details"]["lease"]["state"] == "broken"


def test_a_signal_while_the_change_is_pushed_waits_for_the_verdict(pair: World) -> None:
    hook = pair.origin / "hooks/pre-receive"
    gate = Gate(pair, "push").close()
    hook.write_text(f"#!/bin/sh\ngrep -q heads || exit 0\ntouch {pair.tmp}/pushed\n{gate.script}\n")
    hook.chmod(0o755)
    process = signalled(pair, signal.SIGTERM, "hold", "-e", "dev", "--unit", "database")
    gate.open()
    assert ended(process) == (0, [])
    assert pair.stored("desired/units/database.yaml", "desired")["lifecycle"]["state"] == "held"
    assert not any(ref.startswith("refs/nyl/") for ref in pair.refs())


def test_a_second_signal_does_not_wait_for_a_remote_that_does_not_answer(pair: World) -> None:
    stall(pair, "pre-receive")
    process = signalled(pair, signal.SIGTERM, "hold", "-e", "dev", "--unit", "database")
    (pair.origin / "hooks/pre-receive").unlink()
    time.sleep(0.3)  # two that come at once are one
    process.send_signal(signal.SIGTERM)
    assert ended(process) == (4, ["NYL-RUN-CANCELLED"])
    assert not any(ref.startswith("refs/nyl/") for ref in pair.refs())


@pytest.mark.parametrize("arguments", OPERATIONS[1:], ids=lambda each: "-".join(each[:2]))
def test_a_signal_ends_waiting_for_the_lease_of_another(pair: World, arguments: tuple[str, ...]) -> None:
    gate = Gate(pair).close()
    pair.unit("migrate", script=gate.script).commit()
    holder = pair.start("reconcile", "-e", "dev")
    wait_until(lambda: "migrate" in pair.ran())
    process = pair.start(*arguments, "--wait-lease", "10m", "-o", "json")
    wait_until(lambda: "waiting for" in (process.stderr.readline() if process.stderr else ""))
    process.send_signal(signal.SIGTERM)
    code, codes = ended(process)
    gate.open()
    assert (code, codes) == (4, ["NYL-RUN-CANCELLED"])
    assert holder.wait(30) == 0
