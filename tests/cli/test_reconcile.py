import json
import signal
import time
from pathlib import Path

import pytest

from tests.support.world import World


def wait_for(file: Path) -> None:
    deadline = time.monotonic() + 30
    while not file.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert file.exists()


def test_stdout_holds_the_report_and_stderr_the_work(world: World) -> None:
    world.pair().unit("loud", script="echo '[red]hello[/red]'; printf '\\033[31mred\\n'").initialise()
    ended = world.nyl("reconcile", "-e", "dev", "-o", "json")
    assert json.loads(ended.stdout)["kind"] == "ReconcileReport"
    assert "dev/database: started: no receipt\n" in ended.stderr
    assert "    dev/loud | [red]hello[/red]\n" in ended.stderr
    assert "\x1b" not in ended.stderr


def test_quiet_and_off_hide_what_they_name(world: World) -> None:
    world.environment().unit("a", script="echo hello").unit("b", script="echo hello").initialise()
    quiet = world.nyl("reconcile", "-e", "dev", "--unit", "a", "--quiet-unit-output").stderr
    assert "dev/a: executed in" in quiet
    assert "hello" not in quiet
    assert world.nyl("reconcile", "-e", "dev", "--progress", "off").stderr == ""


def test_quick_commands_say_nothing_on_stderr(known: World) -> None:
    for command in (["status"], ["plan", "-e", "dev"], ["validate"], ["get", "units"]):
        signs_of_life = known.nyl(*command).stderr.splitlines()  # only a machine under load sees any
        assert all(line.endswith("s)") or "waiting to" in line for line in signs_of_life), signs_of_life


def test_the_report_file_is_the_report_of_stdout(known: World, tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    for command in ("plan", "reconcile", "status", "validate"):
        ended = known.nyl(command, "-e", "dev", "-o", "json", "--report", f"json:{path}")
        assert path.read_text() == ended.stdout


def test_a_report_file_that_cannot_be_stops_a_run_before_it_starts(world: World, tmp_path: Path) -> None:
    world.pair().initialise()
    ended = world.nyl("reconcile", "-e", "dev", "--report", f"json:{tmp_path}/none/x", exits=1)
    assert ended.stderr.count("error NYL-REPORT-UNWRITABLE") == 1
    assert world.ran() == []


def test_several_environments_have_headings_and_the_worst_exit(world: World) -> None:
    world.environment("a", unitSelector={"matchLabels": {"in": "a"}})
    world.environment("b", unitSelector={"matchLabels": {"in": "b"}})
    world.unit("good", labels={"in": "b"}).unit("bad", labels={"in": "a"}, script="exit 3").initialise("a", "b")
    ended = world.nyl("reconcile", "-e", "a", "-e", "b", exits=3)
    assert [line for line in ended.stdout.splitlines() if line.startswith("Environment ")] == [
        "Environment a",
        "Environment b",
    ]
    assert "NYL-UNIT-FAILED (a/bad)" in ended.stderr


def test_one_environment_without_state_does_not_hide_another(world: World) -> None:
    world.environment("a").environment("b").unit("web").initialise("b")
    ended = world.nyl("status", exits=1)
    rows = {line.split()[0]: line.split()[1] for line in ended.stdout.splitlines()[1:]}
    assert rows["a"] == "unreadable"
    assert rows["b"] == "ready"
    assert "error NYL-STATE-MISSING" in ended.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_cancels_the_run_and_still_prints_one_document(world: World, number: int) -> None:
    world.environment().unit("slow", script=f"touch '{world.tmp}/up'; sleep 60").initialise()
    started = world.start_installed("reconcile", "-e", "dev", "-o", "json")
    wait_for(world.tmp / "up")
    started.send_signal(number)
    out, err = started.communicate(timeout=20)
    assert started.returncode == 4
    document = json.loads(out)
    assert document["exit"] == 4
    assert "NYL-RUN-CANCELLED" in {each["code"] for each in document["diagnostics"]}
    assert "error NYL-RUN-CANCELLED" in err


def test_an_interrupted_plan_says_so(world: World) -> None:
    world.environment().unit("a", fingerprint=["sh", "-c", f"touch '{world.tmp}/up'; sleep 25"]).initialise()
    started = world.start_installed("plan", "-e", "dev", "-o", "json")
    wait_for(world.tmp / "up")
    started.send_signal(signal.SIGINT)
    out, err = started.communicate(timeout=40)
    assert (started.returncode, json.loads(out)["exit"]) == (4, 4)
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--approved-by", "alice"), "add --approve UNIT or --approve-all"),
        (("--approval-source", "https://ci.example/7"), "add --approve UNIT or --approve-all"),
        (("--approve", "db", "--approved-by", "alice,"), "has an empty name"),
    ],
)
def test_who_approved_is_told_of_something_that_is_approved(
    known: World, arguments: tuple[str, ...], told: str
) -> None:
    for command in (("reconcile", "-e", "dev"), ("teardown", "-e", "dev", "--unit", "db")):
        ended = known.report(*command, *arguments, exits=1)
        assert "NYL-USAGE" in ended.codes
        assert told in ended.stdout
