"""Runs page, Following execution: what a run shows while it works, and after."""

import base64
import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.support.copies import copied
from tests.support.environment import nyl_executable
from tests.support.world import World


@pytest.fixture
def talker(tmp_path: Path) -> World:
    """One unit that prints to both streams."""
    return copied(tmp_path, _talker)


def _talker(world: World) -> World:
    return world.environment().unit("talker", script="echo to stdout; echo to stderr >&2").initialise()


def test_every_dispatched_unit_has_a_start_and_an_end_message(pair: World) -> None:
    said = pair.nyl("reconcile", "-e", "dev", "--progress", "plain").stderr.splitlines()
    for name in ("dev/database", "dev/migrate"):
        mentioned = [line for line in said if name in line]
        assert len(mentioned) >= 2
        assert "executed" in mentioned[-1]
        assert re.search(r"\d", mentioned[-1].split("executed")[1])


@pytest.mark.parametrize("mode", ["plain", "bar"])
def test_progress_that_nobody_can_read_changes_no_exit_code(talker: World, mode: str) -> None:
    line = f"{nyl_executable()} reconcile -e dev --progress {mode} 2> /dev/full"
    ended = subprocess.run(["sh", "-c", line], cwd=talker.project, env=talker.environ, stdout=subprocess.PIPE)
    assert ended.returncode == 0
    assert b"executed" in ended.stdout
    assert talker.stored("observed/units/talker.yaml")["receipt"]


def test_an_end_message_has_a_reason_when_the_unit_fails(world: World) -> None:
    world.environment().unit("broken", script="exit 7").initialise()
    said = world.nyl("reconcile", "-e", "dev", exits=3).stderr
    assert any("dev/broken" in line and "failed" in line and "7" in line for line in said.splitlines())


def test_tool_output_is_indented_and_labelled(talker: World) -> None:
    said = talker.nyl("reconcile", "-e", "dev").stderr.splitlines()
    shown = [line for line in said if "to stdout" in line or "to stderr" in line]
    assert len(shown) == 2
    assert all(line.startswith(" ") and "dev/talker" in line for line in shown)


def test_quiet_hides_tool_output_and_keeps_the_messages(talker: World) -> None:
    said = talker.nyl("reconcile", "-e", "dev", "--quiet-unit-output").stderr
    assert "to stdout" not in said
    assert "dev/talker" in said


def test_stdout_has_the_report_alone(talker: World) -> None:
    ended = talker.reconcile()
    json.loads(ended.stdout)
    assert "to stdout" in ended.stderr


def test_unit_logs_append_privately_and_combine_with_quiet(talker: World, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    arguments = ("reconcile", "-e", "dev", "--unit-log-dir", str(logs), "--quiet-unit-output")
    assert "to stdout" not in talker.nyl(*arguments).stderr
    log = logs / "dev/talker.log"
    first = log.read_text()
    assert "to stdout" in first
    assert "to stderr" in first
    assert log.stat().st_mode & 0o077 == 0
    talker.unit("talker", script="echo again").commit()
    talker.nyl(*arguments)
    assert log.read_text().startswith(first)
    assert "again" in log.read_text()
    recorded = talker.git("log", "-p", "nyl/dev/desired", "nyl/dev/observed", cwd=talker.origin)
    assert "name: talker" in recorded
    assert not [each for each in ("to stdout", "to stderr", str(logs)) if each in recorded]


def test_a_log_that_cannot_be_written_warns_and_the_result_stands(talker: World, tmp_path: Path) -> None:
    (tmp_path / "occupied").write_text("a file")
    ended = talker.reconcile("--unit-log-dir", str(tmp_path / "occupied"))
    assert ended.verdicts() == {"talker": "executed"}
    warned = [each for each in ended.diagnostics if each["code"] == "NYL-UNIT-LOG"]
    assert [each["severity"] for each in warned] == ["warning"]


@pytest.mark.parametrize("shown", ["plain", "base64", "second line"])
def test_secrets_are_masked_in_display_and_log(world: World, tmp_path: Path, shown: str) -> None:
    secret = "first-line-of-key\nsecond-line-of-key"
    scripts = {
        "plain": "printf '%s\\n' \"$KEY\"",
        "base64": "printf '%s' \"$KEY\" | base64 -w0",
        "second line": "printf '%s\\n' \"$KEY\" | tail -n 1",
    }
    world.write("nyl.toml", '[secrets]\nprovider = "env"\n').environment()
    world.unit("leaky", script=scripts[shown], env={"secrets": {"KEY": "key"}}).initialise()
    environ = {"NYL_SECRET_KEY": secret}
    said = world.nyl("reconcile", "-e", "dev", "--unit-log-dir", str(tmp_path / "logs"), environ=environ)
    everything = said.stdout + said.stderr + (tmp_path / "logs/dev/leaky.log").read_text()
    assert "line-of-key" not in everything
    assert base64.b64encode(secret.encode()).decode()[:16] not in everything


def test_the_summary_follows_dispatch_order_then_dependency_order(world: World) -> None:
    world.environment().unit("z").unit("a", dependsOn=["z"])
    world.unit("m", script="exit 1").unit("c", dependsOn=["b"]).unit("b", dependsOn=["m"]).initialise()
    ended = world.reconcile(exits=3).environment()
    assert ended["unitOrder"] == ["m", "z", "a", "b", "c"]
    assert list(ended["units"]) == ended["unitOrder"] or set(ended["units"]) == set(ended["unitOrder"])


def test_names_break_ties_in_a_parallel_wave(world: World) -> None:
    world.environment()
    for name in ("d", "b", "a", "c"):
        world.unit(name)
    assert world.initialise().reconcile().environment()["unitOrder"] == ["a", "b", "c", "d"]


def test_the_text_table_lists_units_in_that_order(pair: World) -> None:
    shown = pair.nyl("reconcile", "-e", "dev").stdout
    assert re.search(r"^ *UNIT +KIND +RESULT +DETAIL$", shown, re.MULTILINE)
    assert re.search(r"database +Command +executed.*\n.*migrate +Command +executed", shown)
    assert not [line for line in shown.splitlines() if line != line.rstrip()]


def test_progress_off_says_nothing_of_units(talker: World) -> None:
    assert "dev/talker" not in talker.nyl("reconcile", "-e", "dev", "--progress", "off", "--quiet-unit-output").stderr


def test_terminal_escapes_in_tool_output_are_neutralised(world: World) -> None:
    world.environment().unit("painter", script=r"printf '\033[31mred\033[2Jgone\007\n'").initialise()
    said = world.nyl("reconcile", "-e", "dev").stderr
    assert "red" in said
    assert not {"\x1b", "\x07"} & set(said)


def test_a_report_file_holds_the_same_document(pair: World, tmp_path: Path) -> None:
    ended = pair.reconcile("--report", f"json:{tmp_path}/report.json")
    assert json.loads((tmp_path / "report.json").read_text()) == ended.json


def test_each_plan_step_is_folded_by_itself_as_it_ends(world: World) -> None:
    world.environment().write("nyl.toml", "[orchestration]\nconcurrency = 1\n")
    for name in ("a", "b", "c"):
        world.unit(name, plan=["/bin/sh", "-c", f"echo looking at {name} >&2"])
    said = world.initialise().nyl("plan", "-e", "dev", environ={"GITHUB_ACTIONS": "true"}).stderr.splitlines()
    told = [line.partition(" (")[0] for line in said if line.startswith(("dev: planning", "::group::"))]
    turns = [line for name in ("a", "b", "c") for line in (f"dev: planning {name}", f"::group::dev/{name}")]
    assert [each for each in dict.fromkeys(told) if each != turns[0]] == turns[1:]  # a quick plan is quiet at first
