"""Spec of nyl exec, and of approvals after it: the first paragraph of the Recovery page."""

from pathlib import Path
from typing import Any

import pytest

from tests.driver_package.installed import installed_at
from tests.support.copies import copied
from tests.support.declarations import from_unit, resource
from tests.support.processes import Invocation
from tests.support.world import World

ALICE = "Alice Example <alice@example.com>"


def with_drivers(world: World) -> World:
    """A world in which the test kinds are installed."""
    packages = world.tmp / "site-packages"
    if not packages.exists():
        packages.mkdir()
        installed_at(packages)
    world.environ["PYTHONPATH"] = str(packages)
    return world


def declaring(world: World, **spec: Any) -> World:
    """Declares the unit `net`, which changes what a file beside the project says, and logs it to another."""
    spec = {"change": "../change", "log": "../log", "values": {"cidr": "10.0.0.0/8"}} | spec
    return world.write("units/net.yaml", resource("test.nyl.example/v1", "Preview", "net", spec))


def _reconciled(world: World) -> World:
    with_drivers(world).environment()
    world.unit("app", values={"cidr": from_unit("net", "cidr")})
    declaring(world, outputs={"cidr": {"type": "string"}}).initialise().reconcile()
    return world.forget()


def _held(world: World) -> World:
    _reconciled(world).nyl("hold", "-e", "dev", "--unit", "net", "--reason", "incident")
    return world


@pytest.fixture
def created(tmp_path: Path) -> World:
    """`net` and its consumer `app`, which were executed."""
    return with_drivers(copied(tmp_path, _reconciled))


@pytest.fixture
def held(tmp_path: Path) -> World:
    """The same with `net` held."""
    return with_drivers(copied(tmp_path, _held))


def tool(world: World, *arguments: str, exits: int = 0, options: tuple[str, ...] = ()) -> Invocation:
    """Calls nyl exec of `net`."""
    return world.nyl("exec", "-e", "dev", "--unit", "net", *options, "--", *arguments, exits=exits)


def repair(world: World) -> Any:
    """What the state says of the repair of `net`."""
    return world.stored("observed/units/net.yaml").get("repair")


def resumed(world: World) -> World:
    """The same with the hold of `net` lifted."""
    world.nyl("resume", "-e", "dev", "--unit", "net")
    return world


def test_the_tool_works_on_the_recorded_configuration_and_its_stdout_is_passed_on(held: World) -> None:
    held.environment("dev", values={"size": "large"})
    declaring(held, values={"cidr": "other"}).commit()
    ended = tool(
        held, "sh", "-c", 'printf "$NYL_TEST_VALUES\\ntwo"; echo aside >&2', options=("--reason", "lost state")
    )
    assert ended.stdout == '{"cidr": "10.0.0.0/8"}\ntwo'
    uid = held.stored("desired/units/net.yaml", "desired")["unit"]["uid"]
    for told in (f"preparing net of {uid}", "aside", "exec dev: done", "exitCode: 0"):
        assert told in ended.stderr
    found = repair(held)
    command = ["sh", "-c", 'printf "$NYL_TEST_VALUES\\ntwo"; echo aside >&2']
    assert (found["by"], found["command"], found["reason"]) == (ALICE, command, "lost state")
    message = held.message()
    assert message.startswith("nyl: exec dev (1 repaired)\n\nunits:\n  net: ")
    assert '"reason":"lost state","result":"repaired"' in message
    held.nyl("state", "check", "-e", "dev")


def test_after_a_repair_the_unit_executes_with_an_approval_of_the_change_by_its_digest(held: World) -> None:
    tool(held, "true")
    resumed(held)
    (held.tmp / "change").write_text("lost table comes back")
    for options in ((), ("--approve", "net"), ("--approve-all",)):
        waiting = held.reconcile(*options, exits=2)
        assert waiting.verdicts() == {"net": "awaiting-approval", "app": "current"}, options
        assert "repaired with nyl exec by Alice" in waiting.unit("net")["detail"]
    planned = held.plan(exits=2).unit("net")
    assert (planned["action"], planned["changes"]) == ("await-approval", "lost table comes back")
    status = held.report("status", "-e", "dev", exits=2).unit("net")
    assert (status["state"], status["receipt"]) == ("awaiting-approval", "current")
    done = held.reconcile("--approve", f"net={planned['changeDigest']}")
    assert done.verdicts() == {"net": "executed", "app": "current"}
    assert repair(held) is None
    assert held.stored("observed/units/net.yaml")["receipt"]["approval"]["reviewed"] is True
    assert held.reconcile().verdicts() == {"net": "current", "app": "current"}
