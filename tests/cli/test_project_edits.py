import json
from pathlib import Path

from tests.support.environment import clean_environment, nyl_executable
from tests.support.processes import run_git, run_nyl
from tests.support.world import World


def test_a_fresh_project_plans_and_reconciles_at_once(tmp_path: Path) -> None:
    environ = clean_environment(tmp_path / "home")

    def nyl(*arguments: str, exits: int = 0, cwd: Path = tmp_path / "shop") -> str:
        return run_nyl(nyl_executable(), arguments, cwd=cwd, environ=environ, exits=(exits,)).stdout

    assert nyl("init", "shop", cwd=tmp_path).endswith("  nyl reconcile -e dev\n")
    run_git("add", "-A", cwd=tmp_path / "shop", environ=environ)
    run_git("commit", "-qm", "Start", cwd=tmp_path / "shop", environ=environ)
    assert nyl("validate") == "valid: 1 environment\n"
    nyl("state", "init", "-e", "dev")
    assert "execute" in nyl("plan", "-e", "dev", exits=2)
    assert "observed:" in nyl("reconcile", "-e", "dev")
    assert nyl("reconcile", "-e", "dev").endswith("\nno changes\n")


def test_init_overwrites_nothing_and_says_so_in_json_too(world: World) -> None:
    ended = world.nyl("init", "-o", "json", exits=1)
    assert {each["code"] for each in ended.json["diagnostics"]} == {"NYL-FILE-EXISTS"}


def test_units_and_environments_are_created_and_deleted(world: World) -> None:
    world.commit()
    world.nyl("create", "environment", "dev")
    ended = world.nyl("create", "unit", "web", "--label", "tier=web", "-o", "json")
    assert ended.json["details"] == {"written": "units/web.yaml"}
    assert world.nyl("validate").stdout == "valid: 1 environment\n"
    assert world.nyl("delete", "unit", "web").stdout == "delete-unit: done\n  removed: units/web.yaml\n"


def test_a_deletion_that_would_leave_a_dangling_reference_writes_nothing(world: World) -> None:
    world.pair().commit()
    ended = world.nyl("delete", "unit", "database", exits=1)
    assert "NYL-DEPENDENCY-UNKNOWN (migrate)" in ended.stderr
    assert "nothing was written" in ended.stderr
    assert (world.project / "units/database.yaml").exists()


def pinned(world: World) -> str:
    """A project whose environment is pinned to a commit that is not the newest."""
    old = world.pair().commit()
    world.environment("dev", source={"revision": "main", "commit": old}, values={"size": "small"})
    world.commit()
    return old


def test_source_locks_move_and_a_check_only_says_so(world: World) -> None:
    old = pinned(world)
    ended = world.nyl("update", "source-locks", "--check", "-o", "json", exits=2)
    assert [each["old"] for each in ended.json["details"]["moved"]] == [old]
    assert {each["code"] for each in ended.json["diagnostics"]} == {"NYL-SOURCE-LOCKS-STALE"}
    assert old in (world.project / "environments/dev.yaml").read_text()
    head = world.git("rev-parse", "HEAD")
    assert head in world.nyl("update", "source-locks").stdout
    assert f"commit: {head}" in (world.project / "environments/dev.yaml").read_text()


def test_without_pins_there_is_nothing_to_move(world: World) -> None:
    world.pair().commit()
    assert world.nyl("update", "source-locks").stdout == "no commit is pinned\n"


def test_schemas_are_printed_for_resources_and_reports(world: World) -> None:
    for kind in ("Environment", "Command", "PlanReport"):
        assert json.loads(world.nyl("schema", kind).stdout)["title"] == kind
    assert "NYL-KIND-UNKNOWN" in world.nyl("schema", "Enviroment", exits=1).stderr
