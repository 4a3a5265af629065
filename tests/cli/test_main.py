import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import click
import jsonschema
import pytest

from nyl.cli.failures import diagnose
from nyl.core.codes import Code
from nyl.engine.results import ReportKind
from nyl.report.schema_files import report_schema
from tests.support.environment import clean_environment, nyl_executable
from tests.support.processes import Invocation
from tests.support.warm import run_warm

Ended = subprocess.CompletedProcess[str]


def warm(*arguments: str, cwd: Path) -> Invocation:
    return run_warm(arguments, cwd=cwd, environ=clean_environment(cwd / "home"), exits=None, timeout=60)


def nyl(*arguments: str, cwd: Path, **variables: str) -> Ended:
    environ = clean_environment(cwd / "home") | variables
    return subprocess.run(
        [str(nyl_executable()), *arguments],
        cwd=cwd,
        env=environ,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )


def shell(line: str, cwd: Path) -> Ended:
    environ = clean_environment(cwd / "home")
    return subprocess.run(["sh", "-c", line], cwd=cwd, env=environ, capture_output=True, text=True)


def test_an_end_of_file_inside_nyl_is_no_interruption(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    abort = click.Abort()
    abort.__cause__ = EOFError("marshal data too short")
    (told,) = diagnose(abort)
    assert told.code is Code.INTERNAL
    assert "marshal data too short" in told.message


def test_whoever_interrupts_the_start_meets_no_half_loaded_library() -> None:
    script = "import sys; import nyl.cli.main; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    assert {name for name in loaded if name.startswith(("nyl.", "click"))} == {"nyl.cli", "nyl.cli.main"}


@pytest.mark.parametrize("second", ["SIGINT", "SIGTERM"])
def test_a_second_signal_changes_nothing_of_how_the_first_is_told(tmp_path: Path, second: str) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import os, signal, sys\n"
        f"at = {{'nyl.cli.root': signal.SIGINT, 'nyl.cli.failures': signal.{second}}}\n"
        "class Finder:\n"
        "    def find_spec(name, *_):\n"
        "        if name in at:\n"
        "            os.kill(os.getpid(), at[name])\n"
        "sys.meta_path.insert(0, Finder)\n"
    )
    ended = nyl("status", "-o", "json", cwd=tmp_path, PYTHONPATH=str(tmp_path))
    assert (ended.returncode, json.loads(ended.stdout)["exit"]) == (4, 4)
    assert ended.stderr.startswith("error NYL-RUN-CANCELLED\n")


@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM"])
def test_a_signal_after_a_command_changes_nothing_of_how_it_ended(tmp_path: Path, number: str) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        f"import gc, os, signal\ngc.freeze = lambda: os.kill(os.getpid(), signal.{number})\n"
    )
    ended = nyl("--version", cwd=tmp_path, PYTHONPATH=str(tmp_path))
    assert (ended.returncode, ended.stderr) == (0, "")


def test_version_and_help_import_nothing_heavy(tmp_path: Path) -> None:
    for option in ("--version", "--help"):
        ended = subprocess.run(
            [sys.executable, "-X", "importtime", str(nyl_executable()), option],
            cwd=tmp_path,
            env=clean_environment(tmp_path / "home"),
            capture_output=True,
            text=True,
        )
        imported = {line.rpartition("|")[2].strip() for line in ended.stderr.splitlines()}
        ours = {name for name in imported if name.startswith("nyl.")}
        assert ours == {"nyl.cli", "nyl.cli.main", "nyl.cli.root", "nyl.cli.lazy", "nyl.cli.signals", "nyl.cli.streams"}
        heavy = {"git", "github", "yaml", "jinja2", "jsonschema", "rich", "requests", "sqlite3", "asyncio"}
        assert not imported & heavy


def test_every_command_has_a_help_that_fits_its_line_in_the_list(tmp_path: Path) -> None:
    listed = warm("--help", cwd=tmp_path).stdout.partition("Commands:\n")[2].splitlines()
    for command in [line.split()[0] for line in listed]:
        assert warm(command, "--help", cwd=tmp_path).stdout.startswith(f"Usage: nyl {command}")


def test_nyl_alone_shows_its_help(tmp_path: Path) -> None:
    ended = nyl(cwd=tmp_path)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith("Usage: nyl")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["recncile"], "No such command 'recncile'."),
        (["plan", "-e", "dev", "--no-such"], "--no-such"),
        (["plan"], "Name the environments"),
        (["get"], "Missing command."),
        (["reconcile", "-e", "dev", "--concurrency", "0"], "0 is not in the range"),
        (["reconcile", "-e", "dev", "--wait-lease", "soon"], "'soon' is not a duration"),
        (["reconcile", "-e", "dev", "--author", "Alice"], "'Alice' is not of the form 'Name <email>'"),
        (["reconcile", "-e", "dev", "--author", "A\nB <a@b>"], "is not of the form 'Name <email>'"),
        (["reconcile", "-e", "dev", "--report", "html:x"], "'html:x' is not of the form json:PATH"),
        (["reconcile", "-l", "stage"], "'stage' is not of the form key=value"),
        (["reconcile", "-l", "a=1", "-l", "a=2"], "The label a cannot be both 1 and 2."),
        (["reconcile", "-e", "a", "-e", "b", "--source", "main"], "--source takes exactly one environment."),
        (["reconcile", "-e", "a", "-e", "b", "--worktree"], "--worktree takes exactly one environment"),
        (["plan", "-e", "a", "--worktree", "--source", "main"], "--worktree takes exactly one environment"),
        (["plan", "-l", "a=b", "--worktree"], "--worktree takes exactly one environment"),
        (["status", "--revision", "abc"], "--revision takes exactly one environment"),
        (["reconcile", "-e", "dev", "--reapply"], "--reapply"),
        (["get", "output", "a/b", "-e", "dev", "extra"], "extra"),
    ],
)
def test_a_wrong_command_line_exits_1_with_its_code(tmp_path: Path, arguments: Sequence[str], message: str) -> None:
    ended = warm(*arguments, cwd=tmp_path)
    assert (ended.code, ended.stdout) == (1, "")
    assert ended.stderr.startswith("error NYL-USAGE\n  ")
    assert message in ended.stderr
    assert "--help`" in ended.stderr


def test_a_mistyped_command_is_answered_with_the_one_that_was_meant(tmp_path: Path) -> None:
    assert "  fix: run `nyl reconcile`, or see `nyl --help`\n" in warm("recncile", cwd=tmp_path).stderr
    assert "  fix: run `nyl get outputs`, or see `nyl get --help`\n" in warm("get", "outptus", cwd=tmp_path).stderr
    assert "  fix: see `nyl --help`\n" in warm("zzz", cwd=tmp_path).stderr


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        (["plan", "-o", "json"], ReportKind.PLAN),
        (["reconcile", "--no-such", "--output=json"], ReportKind.RECONCILE),
        (["status", "--revision", "x", "-ojson"], ReportKind.STATUS),
        (["validate", "--output", "json", "surplus"], ReportKind.VALIDATE),
        (["state", "init", "-o", "json"], ReportKind.OPERATION),
        (["-o", "json"], ReportKind.OPERATION),
    ],
)
def test_json_is_asked_for_and_given_on_usage_errors_too(
    tmp_path: Path, arguments: Sequence[str], kind: ReportKind
) -> None:
    ended = warm(*arguments, cwd=tmp_path)
    document = json.loads(ended.stdout)
    jsonschema.Draft202012Validator(report_schema(kind)).validate(document)
    assert (ended.code, document["exit"], document["diagnostics"][0]["code"]) == (1, 1, "NYL-USAGE")
    assert "error NYL-USAGE" in ended.stderr


@pytest.mark.parametrize("arguments", [["--report=json:r.json"], ["--report", "json:r.json", "--report=xml:no"]])
def test_a_wrong_command_line_is_told_in_the_files_that_it_names(tmp_path: Path, arguments: Sequence[str]) -> None:
    assert warm("plan", *arguments, "--no-such", cwd=tmp_path).code == 1
    document = json.loads((tmp_path / "r.json").read_text())
    assert (document["kind"], document["diagnostics"][0]["code"]) == ("PlanReport", "NYL-USAGE")


def test_outside_a_project_the_code_says_so(tmp_path: Path) -> None:
    ended = nyl("status", "-o", "json", cwd=tmp_path)
    assert ended.returncode == 1
    assert json.loads(ended.stdout)["diagnostics"][0]["code"] == "NYL-PROJECT-MISSING"


def test_a_missing_git_is_told_in_one_sentence(tmp_path: Path) -> None:
    ended = nyl("status", cwd=tmp_path, PATH=str(tmp_path))
    assert ended.returncode == 1
    assert ended.stderr.startswith("error NYL-GIT-UNAVAILABLE\n  Git could not be started: ")
    assert ".." not in ended.stderr


def test_a_working_directory_that_is_gone_is_no_crash(tmp_path: Path) -> None:
    ended = shell('mkdir gone && cd gone && rmdir "$PWD" && nyl status', tmp_path)
    assert ended.returncode == 1
    assert "error NYL-PROJECT-MISSING\n  The working directory does not exist any more" in ended.stderr


def test_a_closed_pipe_is_silent(tmp_path: Path) -> None:
    ended = shell("{ nyl --help; echo $? >&2; } | :", tmp_path)
    assert ended.stderr == "0\n"


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_crash(tmp_path: Path, closed: str) -> None:
    ended = shell(f"nyl schema Environment {closed}; echo $?", tmp_path)
    assert ended.stdout.splitlines()[-1] == "0"
    assert "Traceback" not in ended.stderr


def test_a_full_disk_behind_stdout_is_an_error(tmp_path: Path) -> None:
    ended = shell("nyl schema Environment > /dev/full", tmp_path)
    assert ended.returncode == 1
    assert "error NYL-REPORT-UNWRITABLE" in ended.stderr
    assert "Exception ignored" not in ended.stderr


def test_a_small_character_set_spoils_nothing(tmp_path: Path) -> None:
    ended = nyl("plan", "-e", "dév", "--nö", cwd=tmp_path, PYTHONIOENCODING="ascii", LC_ALL="C", PYTHONUTF8="0")
    assert ended.returncode == 1
    assert "NYL-USAGE" in ended.stderr


def test_a_bug_is_told_with_a_file_that_holds_the_traceback(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['nyl.engine.status'] = None\n")
    ended = nyl("status", cwd=tmp_path, PYTHONPATH=str(tmp_path), TMPDIR=str(tmp_path))
    (saved,) = tmp_path.glob("nyl-traceback-*.txt")
    assert ended.returncode == 1
    assert str(saved) in ended.stderr
    assert "Traceback" not in ended.stderr
    assert "Traceback (most recent call last)" in saved.read_text()
    assert saved.stat().st_mode & 0o777 == 0o600
