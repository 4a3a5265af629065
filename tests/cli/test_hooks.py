"""`nyl hooks`, `nyl init --hooks`, and the hooks for the pre-commit framework."""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.support.world import World

ROOT = Path(__file__).parents[2]


def test_the_commands_say_where_the_hook_is_and_what_it_runs_first(world: World) -> None:
    hook = world.root / ".git" / "hooks" / "pre-push"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\n")
    told = {"state": "other-hook", "hook": str(hook)}
    assert world.report("hooks", "status").json["details"] == told
    installed = {"state": "installed", "hook": str(hook), "before": f"{hook}.before-nyl"}
    for verb in ("install", "install", "status"):
        assert world.report("hooks", verb).json["details"] == installed
    assert world.report("hooks", "uninstall").json["details"] == {"removed": [str(hook)], **told}
    assert hook.read_text() == "#!/bin/sh\n"


def test_a_refusal_is_a_report_too(world: World) -> None:
    world.git("config", "core.hooksPath", "/dev/null")
    assert world.report("hooks", "install", exits=1).codes == {"NYL-HOOK-REFUSED"}
    world.git("config", "core.hooksPath", str(world.tmp / "shared"))
    assert world.report("hooks", "install", exits=1).codes == {"NYL-HOOK-REFUSED"}
    world.nyl("hooks", "install", "--force")
    assert (world.tmp / "shared" / "pre-push").exists()


def test_outside_a_repository_nothing_can_be_installed(world: World) -> None:
    assert world.report("hooks", "install", cwd=world.tmp, exits=1).codes == {"NYL-PROJECT-MISSING"}


def test_a_new_project_gets_the_hook_on_request(world: World) -> None:
    new = world.tmp / "new"
    details = world.report("init", "--hooks", str(new)).json["details"]
    assert details["prePush"] == str(new / ".git" / "hooks" / "pre-push")
    assert "prePush" not in world.report("init", str(world.tmp / "other")).json["details"]


def test_a_new_project_stays_where_its_hook_is_refused(world: World) -> None:
    world.git("config", "core.hooksPath", "/dev/null")
    report = world.report("init", "--hooks", str(world.root / "new"), exits=1)
    assert report.codes == {"NYL-HOOK-REFUSED"}
    assert (world.root / "new" / "nyl.toml").exists()


def test_the_commands_that_programs_call_are_not_listed(world: World) -> None:
    listed = world.nyl("hooks", "--help").stdout.partition("Commands:\n")[2].splitlines()
    assert [line.split()[0] for line in listed] == ["install", "uninstall", "status"]
    assert "pre-push" not in world.nyl("hooks", "pre-pull", exits=1).stderr


def test_every_project_of_the_working_tree_is_validated(world: World) -> None:
    world.nyl("init", str(world.root / "one"))
    assert world.nyl("hooks", "validate", cwd=world.root).stdout == "valid: 1 environment\n" * 2
    world.write("one/environments/dev.yaml", "apiVersion: gitops.nyl/v1\nkind: Environment\n")
    assert "one/environments/dev.yaml" in world.nyl("hooks", "validate", cwd=world.root, exits=1).stderr


@pytest.fixture
def offered(world: World) -> World:
    """The pair, with the hooks that this repository offers, run by the pre-commit framework."""
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    local = [{**each, "language": "system"} for each in hooks]
    world.write(".pre-commit-config.yaml", yaml.safe_dump({"repos": [{"repo": "local", "hooks": local}]}))
    world.environ["PRE_COMMIT_HOME"] = str(world.tmp / "pre-commit")
    world.pair().commit()
    install = [sys.executable, "-m", "pre_commit", "install", "-t", "pre-push"]
    subprocess.run(install, cwd=world.root, env=world.environ, check=True, capture_output=True)
    return world


def test_the_pre_commit_framework_runs_both_hooks(offered: World) -> None:
    manifest = [sys.executable, "-m", "pre_commit", "validate-manifest", str(ROOT / ".pre-commit-hooks.yaml")]
    subprocess.run(manifest, cwd=offered.root, env=offered.environ, check=True)
    push = ["git", "push", "origin", "main"]
    offered.unit("migrate", dependsOn=["nobody"]).commit(push=False)
    refused = subprocess.run(push, cwd=offered.root, env=offered.environ, capture_output=True, text=True)
    assert refused.returncode != 0
    assert (refused.stdout + refused.stderr).count("error NYL-DEPENDENCY-UNKNOWN") == 2
    offered.pair().commit(push=False)
    offered.nyl("hooks", "install")
    passed = subprocess.run(push, cwd=offered.root, env=offered.environ, capture_output=True, text=True)
    assert passed.returncode == 0, passed.stdout + passed.stderr
    assert (passed.stdout + passed.stderr).count("for refs/heads/main: valid") == 2
