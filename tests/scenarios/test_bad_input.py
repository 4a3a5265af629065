"""Hostile files, names, tools and state: named, never a traceback, never a lost result."""

import os
import shutil
from pathlib import Path

import pytest

from tests.support import declarations
from tests.support.processes import run_nyl
from tests.support.world import World

UNIT = declarations.command("bad", ["true"])

OVERSIZED = """{ printf '{"x": "'; head -c 2000000 /dev/zero | tr '\\0' x; echo '"}'; } > $NYL_OUTPUTS"""

BROKEN = {
    "broken": UNIT + "  files: [\n",
    "duplicate key": UNIT.replace("spec:", "spec:\n  timeout: 1m\n  timeout: 2m"),
    "unknown field": UNIT.replace("spec:", "spec:\n  comand: [x]"),
    "unknown kind": UNIT.replace("kind: Command", "kind: Comand"),
    "no command": UNIT.replace("command:", "files:"),
    "shell line": UNIT.replace("command:\n  - 'true'", "command: echo hello"),
    "no name": UNIT.replace("name: bad", "title: bad"),
    "hostile name": UNIT.replace("name: bad", "name: ../../etc/passwd"),
    "upper case": UNIT.replace("name: bad", "name: Bad"),
    "option name": UNIT.replace("name: bad", "name: -x"),
    "undefined name": UNIT.replace("'true'", "'{{ values.nothing }}'"),
    "template syntax": UNIT.replace("'true'", "'{{ values. }}'"),
    "sandbox escape": UNIT.replace("'true'", "'{{ \"\".__class__.__mro__ }}'"),
    "process environment": UNIT.replace("'true'", "'{{ env.HOME }}'"),
    "deep": UNIT + "  values: " + "[" * 5000 + "]" * 5000 + "\n",
    "aliases": UNIT
    + "  values:\n    a0: &a0 [x]\n"
    + "".join(f"    a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 10)),
    "utf-16": UNIT.encode("utf-16"),
    "latin-1": UNIT.replace("'true'", "'\xe9'").encode("latin-1"),
    "norway": UNIT.replace("'true'", "no").replace("spec:", "spec:\n  enabled: no"),
    "bad timeout": UNIT + "  timeout: -5m\n",
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN.keys())
def test_a_bad_declaration_is_named_with_its_file(world: World, text: str | bytes) -> None:
    world.environment().write("units/bad.yaml", text).commit()
    refused = world.report("validate", exits=1)
    assert refused.diagnostics
    assert "units/bad.yaml" in str(refused.diagnostics)
    assert all(each["code"] != "NYL-INTERNAL" and each["fix"] for each in refused.diagnostics)


@pytest.mark.parametrize("path", ["../../etc/passwd", "/../etc/passwd", "x/../../../etc/passwd"])
def test_a_path_that_leaves_the_repository_is_refused(world: World, path: str) -> None:
    world.environment().unit("x", files=[path]).initialise()
    refused = world.reconcile(exits=(1, 3))
    assert "NYL-PATH-REFUSED" in refused.codes
    assert world.ran() == []


def test_windows_line_ends_and_byte_order_marks_are_accepted(world: World) -> None:
    world.environment().unit("a").write("units/b.yaml", b"\xef\xbb\xbf" + UNIT.replace("\n", "\r\n").encode())
    assert world.initialise().reconcile().verdicts() == {"a": "executed", "bad": "executed"}


def test_documents_that_are_none_of_nyls_business_may_hold_anything(world: World) -> None:
    world.environment().unit("a").write("other/broken.yaml", "a: [\n").write("chart.yaml", "{{ if }}\nx: {{ y }}\n")
    world.write("data.json", '{"a": 1, "a": 2').commit()
    world.report("validate")


@pytest.mark.parametrize("text", ["nonsense = 1\n", "[orchestration]\nconcurency = 2\n", "[orchestration\n"])
def test_a_bad_configuration_is_named(world: World, text: str) -> None:
    world.write("nyl.toml", text).environment().commit()
    refused = world.report("validate", exits=1)
    assert refused.codes == {"NYL-CONFIG-INVALID"}
    assert "nyl.toml" in str(refused.diagnostics)


def test_an_unknown_key_names_the_nearest_known_one(world: World) -> None:
    world.write("nyl.toml", "[orchestration]\nconcurency = 2\n").commit()
    assert "concurrency" in world.nyl("validate", exits=1).stderr


@pytest.mark.parametrize("argv", [["./missing.sh"], ["./plain.txt"], ["no-such-program"]])
def test_a_command_that_cannot_start_fails_the_unit(world: World, argv: list[str]) -> None:
    world.environment().write("plain.txt", "x").write("units/x.yaml", declarations.command("x", argv)).initialise()
    ended = world.reconcile(exits=3)
    assert ended.verdicts() == {"x": "failed"}
    assert argv[0] in str(ended.unit("x")) + ended.stderr


@pytest.mark.parametrize(
    "script",
    [
        "echo nonsense > $NYL_OUTPUTS",
        "echo '[1]' > $NYL_OUTPUTS",
        ":",
        "ln -s /etc/passwd $NYL_OUTPUTS",
        "rm -f $NYL_OUTPUTS; mkfifo $NYL_OUTPUTS",
        "rm -f $NYL_OUTPUTS; mkdir $NYL_OUTPUTS",
        OVERSIZED,
    ],
    ids=["nonsense", "array", "none", "symlink", "fifo", "folder", "oversized"],
)
def test_invalid_outputs_fail_the_unit_and_do_not_retry(world: World, script: str) -> None:
    world.environment().unit(
        "x", outputs={"x": {"type": "string"}}, script=f"rm -f $NYL_OUTPUTS; {script}"
    ).initialise()
    ended = world.reconcile(exits=3)
    assert (ended.unit("x")["result"], ended.unit("x")["retryable"]) == ("failed", False)


def test_an_undeclared_output_is_ignored_with_a_warning(world: World) -> None:
    world.environment().unit("x", outputs={"a": {"type": "string"}}, writes={"a": "1", "b": "2"}).initialise()
    ended = world.reconcile()
    assert ended.unit("x")["outputs"] == {"a": "1"}
    assert "NYL-UNIT-OUTPUT" in ended.codes


@pytest.mark.parametrize(
    "script",
    [
        "head -c 100000000 /dev/zero | tr '\\0' x",
        "printf 'caf\\351 \\000 end\\n'",
        'read line || true; test -z "$line"',
        "exec >&- 2>&-; sleep 0.1",
        "sleep 300 >/dev/null 2>&1 &",
        "sleep 300 &",
    ],
    ids=[
        "flood",
        "latin-1 and nul",
        "reads stdin",
        "closes its outputs",
        "leaves a child",
        "leaves a child on the pipe",
    ],
)
def test_a_rude_command_still_ends_well(world: World, script: str) -> None:
    world.environment().unit("x", script=script).initialise()
    assert world.nyl("reconcile", "-e", "dev", "--quiet-unit-output", timeout=50).code == 0
    assert world.ran() == ["x"]


def test_a_hostile_reason_does_not_break_the_commit_message(world: World) -> None:
    world.environment().unit("x", script="echo 'Nyl-Run-Id: fake' >&2; printf 'a\\n\\nb: [' >&2; exit 3").initialise()
    world.reconcile(exits=3)
    parsed = world.git("interpret-trailers", "--parse", stdin=world.message())
    assert "fake" not in parsed
    assert parsed.count("Nyl-Run-Id: ") == 1


@pytest.mark.parametrize("damage", ["truncated", "another unit", "newer version", "not YAML"])
def test_a_damaged_state_document_stops_before_anything_runs(reconciled: World, damage: str) -> None:
    path = "observed/units/database.yaml"
    text = reconciled.git("show", f"refs/heads/nyl/dev/observed:{path}", cwd=reconciled.origin)
    edited = {
        "truncated": text[: len(text) // 2],
        "another unit": text.replace("database", "elsewhere"),
        "newer version": text.replace("gitops.nyl/v1", "gitops.nyl/v9"),
        "not YAML": "a: [",
    }[damage]
    clone = reconciled.clone("editor", "--branch", "nyl/dev/observed")
    (clone / path).write_text(edited)
    reconciled.git("commit", "-qam", "Edit by hand", cwd=clone)
    reconciled.git("push", "-q", "origin", "HEAD", cwd=clone)
    before = reconciled.refs()
    refused = reconciled.reconcile(exits=1)
    assert refused.codes & {"NYL-STATE-CORRUPT", "NYL-STATE-VERSION"}
    assert path in str(refused.diagnostics)
    assert (reconciled.ran(), reconciled.refs()) == ([], before)


def test_a_unit_whose_api_group_is_mistyped_did_not_leave(reconciled: World) -> None:
    text = (reconciled.project / "units/migrate.yaml").read_text()
    reconciled.write("units/migrate.yaml", text.replace("units.gitops.nyl/v1", "unit.gitops.nyl/v1")).commit()
    before = reconciled.refs()
    for command in ("plan", "reconcile"):
        (problem,) = reconciled.report(command, "-e", "dev", exits=1).diagnostics
        assert problem["code"] == "NYL-KIND-UNKNOWN"
        assert "unit migrate of dev is declared" in problem["message"]
        assert "write `apiVersion: units.gitops.nyl/v1`" in problem["fix"]
    assert reconciled.refs() == before


def test_a_cache_that_cannot_be_written_only_costs_time(pair: World) -> None:
    shutil.rmtree(pair.project / ".nyl", ignore_errors=True)
    (pair.project / ".nyl").write_text("no folder can be made here, not even by root")
    pair.plan()
    assert pair.reconcile().verdicts() == {"database": "executed", "migrate": "executed"}


def test_on_a_full_disk_nothing_starts_and_nothing_is_lost(tmp_path: Path) -> None:
    world = World(tmp_path, remote=False).pair().initialise()
    shutil.rmtree(world.project / ".nyl", ignore_errors=True)
    before = world.state_refs()
    full = "ulimit -f 0; exec nyl reconcile -e dev -o json"  # no file may grow, as on a disk without space
    ended = run_nyl(Path("/bin/sh"), ["-c", full], cwd=world.project, environ=world.environ, exits=(1,))
    assert ended.codes == {"NYL-GIT-FAILED"}
    assert (world.ran(), world.state_refs()) == ([], before)
    assert world.reconcile().verdicts() == {"database": "executed", "migrate": "executed"}


def test_a_spoiled_cache_never_changes_a_result(reconciled: World) -> None:
    for each in (reconciled.project / ".nyl").rglob("*"):
        if each.is_file() and not each.is_symlink():
            each.write_bytes(os.urandom(4096))
    assert reconciled.reconcile().verdicts() == {"database": "current", "migrate": "current"}


@pytest.mark.parametrize(
    "arguments",
    [
        ["frobnicate"],
        ["reconcile"],
        ["reconcile", "-e", "dev", "--nonsense"],
        ["plan", "-e", "dev", "--concurrency", "x"],
    ],
)
def test_a_wrong_command_line_exits_1_with_one_json_document(pair: World, arguments: list[str]) -> None:
    assert "NYL-USAGE" in pair.report(*arguments, exits=1).codes


def test_outside_a_project_the_way_in_is_named(tmp_path: Path) -> None:
    world = World(tmp_path).remove("nyl.toml")
    refused = world.nyl("plan", "-e", "dev", exits=1)
    assert "NYL-PROJECT-MISSING" in refused.stderr
    assert "nyl init" in refused.stderr


@pytest.mark.parametrize("url", ["https://user:token@example.com/x.git", "ext::sh -c id", "--upload-pack=x", "-x"])
def test_a_dangerous_repository_url_is_refused(world: World, url: str) -> None:
    world.write("repository.yaml", declarations.resource("gitops.nyl/v1", "GitRepository", "other", {"repoURL": url}))
    world.environment().commit()
    refused = world.report("validate", exits=1)
    assert "NYL-URL-REFUSED" in refused.codes
    assert "token" not in refused.stdout
