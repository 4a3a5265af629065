"""`nyl init --github`: workflows in new repositories and in those that are there."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.environment import nyl_executable
from tests.support.world import World

SHIPPED = Path(__file__).parents[2] / "workflows"
NAMES = sorted(path.name for path in SHIPPED.iterdir())
PATHS = [f".github/workflows/{name}" for name in NAMES]


def placed(world: World, *arguments: str, **options: Any) -> dict[str, Any]:
    """What `nyl init --github` says of the workflows."""
    details = world.report("init", "--github", *arguments, **options).json["details"]
    found: dict[str, Any] = details["workflows"]
    return found


def test_a_new_repository_gets_the_workflows_as_they_are_shipped(world: World) -> None:
    new = world.tmp / "new"
    world.environ |= {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "init.defaultBranch", "GIT_CONFIG_VALUE_0": "main"}
    assert placed(world, str(new)) == {"branch": "main", "written": PATHS, "left": []}
    for name in NAMES:
        assert (new / ".github" / "workflows" / name).read_bytes() == (SHIPPED / name).read_bytes()
    assert world.report("validate", cwd=new).json["environmentOrder"] == ["dev"]


def test_a_project_that_is_there_keeps_everything_and_gets_what_is_missing(world: World) -> None:
    mine = world.write(".github/workflows/nyl-plan.yml", "mine\n").pair().project / PATHS[2]
    assert placed(world, "--hooks") == {"branch": "main", "written": [*PATHS[:2], *PATHS[3:]], "left": [PATHS[2]]}
    assert mine.read_text() == "mine\n"
    assert (world.root / ".git" / "hooks" / "pre-push").exists()
    assert placed(world) == {"branch": "main", "written": [], "left": PATHS}
    assert "Left these workflows as they are" in world.nyl("init", "--github").stdout


def test_the_workflows_name_the_default_branch_and_the_projects_folder(tmp_path: Path) -> None:
    world = World(tmp_path, folder="infra/shop")
    world.environment().commit(branch="trunk")
    world.git("update-ref", "refs/remotes/origin/trunk", "HEAD")
    world.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk")
    assert placed(world)["branch"] == "trunk"
    document = yaml.safe_load((world.root / ".github/workflows/nyl-plan.yml").read_text())
    assert document["env"] == {"PROJECT": "infra/shop"}
    assert document[True]["pull_request"] == {"branches": ["trunk"]}


@pytest.mark.parametrize("branch", ["main", "master"])
def test_a_branch_of_work_is_not_taken_for_the_default_one(world: World, branch: str) -> None:
    world.environment().commit(push=False)
    world.git("branch", "-m", branch)
    world.git("checkout", "-q", "-b", "feature")
    assert placed(world)["branch"] == branch


def test_a_file_in_the_way_is_named_and_the_project_stays(world: World) -> None:
    world.write(".github", "a file\n").environment()
    report = world.report("init", "--github", "--hooks", exits=1)
    assert report.codes == {"NYL-FILE-EXISTS"}
    assert "prePush" in report.json["details"]
    assert (world.root / ".github").read_text() == "a file\n"


@pytest.mark.parametrize("name", [".github", ".github/workflows", ".git/hooks"])
def test_workflows_and_hooks_are_not_written_through_symlinks(world: World, name: str) -> None:
    link, outside = world.environment().root / name, world.tmp / "outside"
    outside.mkdir()
    link.parent.mkdir(exist_ok=True)
    shutil.rmtree(link, ignore_errors=True)
    link.symlink_to(outside)
    report = world.report("init", "--github", "--hooks", exits=1)
    assert report.codes == {"NYL-HOOK-REFUSED" if "hooks" in name else "NYL-PATH-REFUSED"}
    assert list(outside.iterdir()) == []


def test_what_init_proposes_next_commits_the_workflows_too(world: World) -> None:
    told = world.nyl("init", "--github", "sub", cwd=world.root).stdout
    steps = [line.strip() for line in told.partition("Next:\n")[2].splitlines()]
    environ = world.environ | {"PATH": f"{nyl_executable().parent}:{world.environ['PATH']}"}
    subprocess.run(["sh", "-ec", "\n".join(steps[:2])], cwd=world.root, env=environ, check=True, capture_output=True)
    assert ".github/workflows/nyl-plan.yml" in world.git("ls-files").splitlines()
