"""What a newcomer meets: nyl init, the README's first project, the quickstart, the examples."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.environment import clean_environment, nyl_executable
from tests.support.world import World

ROOT = Path(__file__).parents[2]


def test_what_init_writes_works_at_once(tmp_path: Path) -> None:
    world = World(tmp_path)
    shutil.rmtree(world.root)
    world.nyl("init", world.root, cwd=tmp_path)
    if not (world.root / ".git").exists():
        world.git("init", "-q", "-b", "main", world.root, cwd=tmp_path)
    world.git("remote", "add", "origin", str(world.origin), check=False)
    world.initialise()
    world.report("validate")
    assert "execute" in world.plan().verdicts().values()
    assert set(world.reconcile().verdicts().values()) == {"executed"}
    assert set(world.reconcile().verdicts().values()) == {"current"}


def test_init_never_overwrites(world: World) -> None:
    world.write("nyl.toml", "# mine\n").write(".gitignore", "mine\n")
    world.nyl("init", exits=None)
    assert (world.project / "nyl.toml").read_text() == "# mine\n"
    assert (world.project / ".gitignore").read_text().startswith("mine\n")


def test_the_readmes_first_project_runs(tmp_path: Path) -> None:
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    script = next(block for block in blocks if "hello.yaml" in block)
    folder = tmp_path / "hello"
    folder.mkdir()
    environ = clean_environment(tmp_path / "home")
    done = subprocess.run(
        ["sh", "-e", "-c", script], cwd=folder, env=environ, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "hello world" in done.stderr


@pytest.mark.parametrize("environment", ["dev", "production"])
def test_the_quickstart_runs_and_then_has_nothing_to_do(world: World, environment: str) -> None:
    shutil.copytree(ROOT / "examples/quickstart", world.root, dirs_exist_ok=True)
    world.initialise(environment)
    first = world.reconcile("-e", environment)
    assert first.verdicts(environment) == {"bucket": "executed", "database": "executed", "release": "executed"}
    assert set(world.reconcile("-e", environment).verdicts(environment).values()) == {"current"}


def test_create_and_delete_edit_the_project(world: World) -> None:
    pair = world.environment().unit("database").initialise()
    pair.nyl("create", "environment", "staging")
    pair.nyl("create", "unit", "cache")
    pair.report("validate")
    pair.nyl("delete", "unit", "cache")
    pair.nyl("delete", "environment", "staging")
    pair.report("validate")


def test_a_unit_that_others_need_is_not_deleted(pair: World) -> None:
    pair.nyl("delete", "unit", "database", exits=1)
    assert (pair.project / "units/database.yaml").exists()


def test_version_and_help_need_no_project(tmp_path: Path) -> None:
    environ = clean_environment(tmp_path / "home")
    for option in ("--version", "--help"):
        subprocess.run([nyl_executable(), option], cwd=tmp_path, env=environ, check=True, capture_output=True)


def test_get_prints_values_documents_and_graphs(reconciled: World) -> None:
    assert reconciled.nyl("get", "output", "database/host", "-e", "dev").stdout.strip().strip('"') == "db-small"
    for arguments in (
        ("environments",),
        ("units", "-e", "dev"),
        ("outputs", "-e", "dev"),
        ("runs", "-e", "dev"),
        ("unit", "database", "-e", "dev", "-o", "yaml"),
    ):
        assert reconciled.nyl("get", *arguments).stdout
    for form in ("mermaid", "dot"):
        shown = reconciled.nyl("get", "graph", "-e", "dev", "--format", form).stdout
        assert "database" in shown
        assert "migrate" in shown


def test_an_output_that_does_not_resolve_exits_1_and_stale_is_an_option(reconciled: World) -> None:
    reconciled.unit("database", writes={"host": "other"}, script="exit 1").commit()
    reconciled.reconcile(exits=3)
    reconciled.nyl("get", "output", "database/host", "-e", "dev", exits=1)
    stale = reconciled.nyl("get", "output", "database/host", "-e", "dev", "--allow-stale")
    assert "db-small" in stale.stdout
    assert "warning" in stale.stderr


def test_state_reads_as_of_a_commit(reconciled: World) -> None:
    old = reconciled.state()
    reconciled.environment("dev", values={"size": "large"}).commit()
    reconciled.reconcile()
    shown = reconciled.nyl("state", "show", "-e", "dev", "--revision", old).stdout
    assert "db-small" in shown
    assert "db-large" not in shown
