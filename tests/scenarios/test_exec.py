"""Spec of nyl exec, and of approvals after it: the first paragraph of the Recovery page."""

import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.driver_package.installed import installed_at
from tests.support.copies import copied
from tests.support.declarations import from_unit, resource, shell
from tests.support.environment import nyl_executable
from tests.support.forks import KILLED, Faults
from tests.support.gates import Gate, kill, killed_run, wait_until
from tests.support.processes import Invocation
from tests.support.warm import run_warm
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
    spec = {"outputs": {"cidr": {"type": "string"}}, "values": {"cidr": "10.0.0.0/8"}} | spec
    spec = {"change": "../change", "log": "../log"} | spec
    return world.write("units/net.yaml", resource("test.nyl.example/v1", "Preview", "net", spec))


def _reconciled(world: World) -> World:
    with_drivers(world).environment()
    world.unit("app", values={"cidr": from_unit("net", "cidr")})
    declaring(world).initialise().reconcile()
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
    """The same with the hold of `net` lifted, which warns of the approval that `net` needs."""
    warned = world.nyl("resume", "-e", "dev", "--unit", "net").stderr
    assert "NYL-APPROVAL-MISSING (net)" in warned
    assert "`nyl reconcile -e dev --approve net=<digest>`" in warned
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


def digest(world: World) -> str:
    """What approves the change that `nyl plan` shows of `net`."""
    return f"net={world.plan(exits=2).unit('net')['changeDigest']}"


def test_a_tool_that_fails_or_is_killed_is_told_and_its_repair_stays_recorded(held: World) -> None:
    ended = tool(held, "sh", "-c", "echo partly; exit 7", exits=3)
    assert ended.stdout == "partly\n"
    assert "NYL-EXEC-FAILED (net)" in ended.stderr
    assert "sh ended with exit code 7" in ended.stderr
    assert "exitCode: 7" in ended.stderr
    killed = tool(held, "sh", "-c", "kill -TERM $$", exits=3)
    assert "sh was killed by SIGTERM" in killed.stderr
    assert repair(held)["command"] == ["sh", "-c", "kill -TERM $$"]
    missing = tool(held, "no-such-tool", exits=3)
    assert "could not be started" in missing.stderr
    unprepared = tool(held, "unprepared", exits=3)
    assert "the tool could not be prepared" in unprepared.stderr
    told = held.nyl("history", "-e", "dev", "--unit", "net").stdout.splitlines()
    assert sum("exec" in line and "repaired" in line for line in told) == 4
    assert held.ran() == []


@pytest.mark.parametrize(
    ("unit", "code", "said"),
    [("app", "NYL-EXEC-REFUSED", "is not held"), ("nte", "NYL-UNIT-UNKNOWN", "did you mean net?")],
)
def test_what_cannot_be_repaired_is_refused_and_nothing_starts(held: World, unit: str, code: str, said: str) -> None:
    before = held.refs()
    ended = held.nyl("exec", "-e", "dev", "--unit", unit, "--", "touch", str(held.tmp / "began"), exits=1)
    assert code in ended.stderr
    assert said in ended.stderr
    assert (ended.stdout, held.refs(), (held.tmp / "began").exists()) == ("", before, False)


def test_a_command_has_no_tool_and_a_unit_that_was_never_created_no_incarnation(created: World) -> None:
    declaring(created).write("units/new.yaml", resource("test.nyl.example/v1", "Preview", "new", {})).commit()
    created.nyl("hold", "-e", "dev", "--unit", "app", "--unit", "new")
    for unit, said in (("app", "is a Command, which has no tool"), ("new", "has no incarnation")):
        ended = created.nyl("exec", "-e", "dev", "--unit", unit, "--", "true", exits=1)
        assert "NYL-EXEC-REFUSED" in ended.stderr
        assert said in ended.stderr


def test_secrets_are_masked_in_what_is_passed_on_and_in_what_is_recorded(world: World) -> None:
    world.environ["NYL_SECRET_KEY"] = "hunter2222"
    declaring(with_drivers(world).environment(), env={"secrets": {"KEY": "key"}}).initialise().reconcile()
    world.nyl("hold", "-e", "dev", "--unit", "net")
    ended = tool(
        world, "sh", "-c", 'echo "$KEY"; echo "$KEY" >&2', "hunter2222", options=("--reason", "hunter2222 leaked")
    )
    assert ended.stdout == "***\n"
    assert "hunter2222" not in ended.stderr
    assert repair(world)["command"] == ["sh", "-c", 'echo "$KEY"; echo "$KEY" >&2', "***"]
    assert repair(world)["reason"] == "*** leaked"
    assert "hunter2222" not in world.git("log", "-p", "--format=%B", "refs/heads/nyl/dev/observed", cwd=world.origin)
    before = world.refs()
    del world.environ["NYL_SECRET_KEY"]
    missing = tool(world, "true", exits=3)
    assert "secret key (for KEY) does not exist" in missing.stderr
    assert "nothing was recorded" in missing.stderr
    assert world.refs() == before


def test_a_failed_unit_goes_on_after_recover_and_an_approval_in_either_order(created: World) -> None:
    declaring(created, change="../gone/change", values={"cidr": "10.1.0.0/16"}, log="../no/log").commit()
    created.reconcile("--unit", "net", exits=4)
    created.nyl("hold", "-e", "dev", "--unit", "net")
    tool(created, "true")
    status = created.report("status", "-e", "dev", exits=(2, 4)).unit("net")
    assert "repaired with nyl exec" in status["detail"]
    created.nyl("recover", "-e", "dev", "--unit", "net", "--retry", "--reason", "repaired")
    assert repair(created)["command"] == ["true"]
    resumed(created)
    declaring(created, values={"cidr": "10.1.0.0/16"}).commit()
    waiting = created.reconcile(exits=2)
    assert waiting.verdicts() == {"net": "awaiting-approval", "app": "blocked"}
    assert created.reconcile("--approve", digest(created)).verdicts() == {"net": "executed", "app": "executed"}


def test_the_teardown_of_a_repaired_unit_waits_for_an_approval_of_its_change(held: World) -> None:
    tool(held, "true")
    resumed(held)
    held.remove("units/net.yaml").remove("units/app.yaml").commit()
    held.reconcile("--allow-teardown", "--unit", "app", exits=(0, 1, 2))
    waiting = held.reconcile("--allow-teardown", exits=2)
    assert waiting.verdicts()["net"] == "pending-teardown"
    planned = held.plan(exits=(0, 2)).unit("net")
    assert planned["changes"] == "-net"
    option = f"net={planned['changeDigest']}"
    assert f"--approve {option}" in held.nyl("plan", "-e", "dev", exits=(0, 2)).stdout
    held.nyl("reconcile", "-e", "dev", "--allow-teardown", "--approve", "net", exits=2)
    assert held.reconcile("--allow-teardown", "--approve", option).verdicts()["net"] == "removed"


def test_a_teardown_that_began_goes_on_after_a_repair_only_with_an_approval(created: World) -> None:
    (created.tmp / "log").unlink()
    (created.tmp / "log").mkdir()  # where no effect can be logged, the driver raises
    created.remove("units/net.yaml").remove("units/app.yaml").commit()
    assert created.reconcile("--allow-teardown", exits=4).verdicts()["net"] == "uncertain"
    created.nyl("hold", "-e", "dev", "--unit", "net")
    tool(created, "true")
    resumed(created)
    (created.tmp / "log").rmdir()
    waiting = created.reconcile(exits=4)
    assert waiting.verdicts() == {"net": "tearing-down"}
    assert "repaired with nyl exec" in waiting.unit("net")["detail"]
    planned = created.plan(exits=(0, 2)).unit("net")
    assert (planned["changes"], "--approve net=<digest>" in planned["detail"]) == ("-net", True)
    assert created.reconcile("--approve", f"net={planned['changeDigest']}").verdicts() == {"net": "removed"}


def test_a_local_repair_is_published_with_what_else_was_done(held: World) -> None:
    ended = held.nyl("exec", "-e", "dev", "--unit", "net", "--local", "--", "echo", "here")
    assert ended.stdout == "here\n"
    refused = tool(held, "true", exits=1)
    assert "NYL-STATE-UNPUBLISHED" in refused.stderr
    held.nyl("state", "publish", "-e", "dev")
    assert repair(held)["command"] == ["echo", "here"]


def test_a_forgotten_or_torn_down_unit_leaves_no_repair(held: World) -> None:
    tool(held, "true")
    resumed(held)
    held.remove("units/net.yaml").remove("units/app.yaml").commit()
    held.reconcile(exits=2)
    held.nyl("state", "forget", "-e", "dev", "--unit", "net")
    held.nyl("state", "check", "-e", "dev")
    declaring(held).commit()
    assert held.reconcile().verdicts()["net"] == "executed"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("exec", "-e", "dev", "--unit", "net"), "ARGUMENTS"),
        (("exec", "-e", "dev", "--", "true"), "--unit"),
        (("exec", "--unit", "net", "--", "true"), "-e"),
        (("exec", "-e", "dev", "--unit", "net", "--force", "--", "true"), "--force"),
        (("exec", "-e", "dev", "--unit", "prod/net", "--", "true"), "prod"),
    ],
)
def test_a_command_line_that_says_too_little_or_too_much_is_refused(
    created: World, arguments: tuple[str, ...], said: str
) -> None:
    ended = created.nyl(*arguments, exits=1)
    assert "NYL-USAGE" in ended.stderr
    assert said in ended.stderr
    assert ended.stdout == ""


def test_arguments_are_passed_and_recorded_as_they_are_whatever_they_hold(held: World) -> None:
    odd = ["", "-e", "prod", "--", "a b", "x\ny: [", "Nyl-Operation: reconcile", "ünï", "$(touch pwned)", "\x1b[2J"]
    ended = held.nyl("exec", "-e", "dev", "--unit", "net", "printf", "%s|", *odd)
    assert ended.stdout == "".join(f"{each}|" for each in odd[:-1]) + "|"  # what erases a screen stays away from it
    assert repair(held)["command"] == ["printf", "%s|", *odd]
    trailers = held.git("interpret-trailers", "--parse", stdin=held.message()).splitlines()
    assert [line for line in trailers if line.startswith("Nyl-Operation")] == ["Nyl-Operation: exec"]
    shown = held.nyl("status", "-e", "dev", exits=2).stdout
    assert ("\\x1b[2J" in shown, "\x1b" in shown) == (True, False)
    held.nyl("state", "check", "-e", "dev")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_reaches_the_tool_and_ends_the_command(held: World, number: signal.Signals) -> None:
    script = f"trap 'echo told; exit 130' INT TERM; touch {held.tmp}/began; while :; do sleep 0.05; done"
    process = held.start("exec", "-e", "dev", "--unit", "net", "--", "sh", "-c", script)
    wait_until((held.tmp / "began").exists)
    process.send_signal(number)
    stdout, stderr = process.communicate(timeout=30)
    assert (process.returncode, stdout) == (4, "told\n")
    assert "NYL-RUN-CANCELLED (net)" in stderr
    assert repair(held)["command"][:2] == ["sh", "-c"]


def test_a_tool_is_stopped_after_the_timeout_of_its_unit(created: World) -> None:
    declaring(created, timeout="1s").commit()
    created.reconcile()
    created.nyl("hold", "-e", "dev", "--unit", "net")
    assert "passed its timeout of 1s" in tool(created, "sleep", "60", exits=3).stderr


def test_the_repair_is_recorded_before_the_tool_starts_and_the_lease_is_free_while_it_works(held: World) -> None:
    gate = Gate(held).close()
    script = f"touch {held.tmp}/began; {gate.script}"
    process = held.start("exec", "-e", "dev", "--unit", "net", "--", "sh", "-c", script)
    wait_until((held.tmp / "began").exists)
    assert repair(held)["command"] == ["sh", "-c", script]
    assert held.reconcile(exits=2).verdicts() == {"net": "held", "app": "current"}
    kill(process)
    gate.open()
    resumed(held)
    assert held.reconcile(exits=2).verdicts()["net"] == "awaiting-approval"
    assert held.reconcile("--approve", digest(held)).verdicts()["net"] == "executed"


def test_a_broken_lease_is_not_for_a_repair_to_take_over(held: World) -> None:
    gate = Gate(held).close()
    held.unit("app", script=gate.script).commit()
    killed_run(held, "app")
    gate.open()
    before = held.state()
    assert "NYL-LEASE-HELD" in tool(held, "touch", f"{held.tmp}/began", exits=2).stderr
    held.nyl("lease", "break", "-e", "dev", "--reason", "killed")
    assert "NYL-LEASE-BROKEN" in tool(held, "touch", f"{held.tmp}/began", exits=2).stderr
    assert (held.state(), (held.tmp / "began").exists()) == (before, False)
    held.nyl("recover", "-e", "dev")
    assert tool(held, "echo", "now").stdout == "now\n"


def test_bytes_that_cannot_be_recorded_are_refused(held: World) -> None:
    before = held.refs()
    argv = [nyl_executable(), "exec", "-e", "dev", "--unit", "net", "--", "touch", b"\xff\xfe"]
    ended = subprocess.run(argv, cwd=held.project, env=held.environ, capture_output=True, check=False)
    assert ended.returncode == 1
    assert b"NYL-USAGE" in ended.stderr
    assert b"not valid UTF-8" in ended.stderr
    assert held.refs() == before


def test_in_github_actions_the_runner_takes_nothing_of_the_tool_for_a_command(held: World) -> None:
    held.environ["GITHUB_ACTIONS"] = "true"
    ended = tool(held, "sh", "-c", "echo '::error::x'; echo '::set-output name=a::b' >&2")
    assert ended.stdout == "::error::x\n"
    first, *between, last = ended.stderr.splitlines()
    token = first.removeprefix("::stop-commands::")
    assert (len(token), last) == (32, f"::{token}::")
    assert any("set-output" in line for line in between)


def test_wherever_nyl_dies_no_tool_has_started_that_is_not_recorded(held: World) -> None:
    for index in range(10):
        began = held.tmp / f"began-{index}"
        ended = run_warm(
            ("exec", "-e", "dev", "--unit", "net", "--", "touch", str(began)),
            cwd=held.project,
            environ=held.environ,
            exits=(0, KILLED),
            timeout=60,
            faults=Faults(die_index=index),
        )
        recorded = (repair(held) or {}).get("command") == ["touch", str(began)]
        assert recorded or not began.exists(), index
        if ended.code == 0:
            break
        held.nyl("lease", "break", "-e", "dev", "--reason", "killed", exits=(0, 1))
        held.nyl("recover", "-e", "dev")
    assert index
    assert began.exists()
    held.nyl("state", "check", "-e", "dev")


@pytest.mark.parametrize(
    ("meanwhile", "said"),
    [
        ("nyl resume -e dev --unit net", "is not held"),
        (
            "nyl resume -e dev --unit net && nyl reconcile -e dev && nyl hold -e dev --unit net",
            "changed while its tool was prepared",
        ),
    ],
)
def test_a_unit_that_is_let_go_while_its_tool_is_prepared_is_not_repaired(
    world: World, meanwhile: str, said: str
) -> None:
    changes = world.tmp / "changes"
    script = f"[ ! -e '{changes}' ] || {{ rm '{changes}'; ({meanwhile}) >&2; }}\necho '{{\"key\": \"hunter2222\"}}'"
    world.write("secrets.sh", shell(script))
    world.write("nyl.toml", '[secrets]\nprovider = "command"\ncommand = ["./secrets.sh"]\n')
    secrets = {"secrets": {"KEY": "key"}}
    declaring(with_drivers(world).environment(), env=secrets).initialise().reconcile()
    declaring(world, env=secrets, values={"cidr": "other"}).commit()
    world.nyl("hold", "-e", "dev", "--unit", "net")
    world.environ["PATH"] = f"{nyl_executable().parent}:{world.environ['PATH']}"
    changes.touch()
    refused = tool(world, "touch", f"{world.tmp}/began", exits=1)
    assert "NYL-EXEC-REFUSED" in refused.stderr
    assert said in refused.stderr
    assert (changes.exists(), (world.tmp / "began").exists(), repair(world)) == (False, False, None)
