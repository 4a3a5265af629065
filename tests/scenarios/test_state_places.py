"""Where state lives: other repositories, shared branches, other names, and two clones at once."""

from pathlib import Path

from tests.support import deaths, declarations
from tests.support.world import World

ONE_REF = {"desiredRef": "nyl/shared", "observedRef": "nyl/shared"}


def units(world: World) -> World:
    """The pair of units without an environment."""
    return world.pair().remove("environments/dev.yaml")


def test_desired_and_observed_may_be_one_ref(world: World) -> None:
    world.pair().environment("dev", values={"size": "small"}, state=ONE_REF).initialise()
    before = world.refs()["refs/heads/nyl/shared"]
    assert world.reconcile().verdicts() == {"database": "executed", "migrate": "executed"}
    assert set(world.state_refs()) == {"refs/heads/nyl/shared"}
    after = world.refs()["refs/heads/nyl/shared"]
    assert world.git("rev-list", "--count", f"{before}..{after}", cwd=world.origin) == "1"
    assert world.reconcile().verdicts() == {"database": "current", "migrate": "current"}


def test_environments_may_share_refs_in_folders_of_their_own(world: World) -> None:
    units(world)
    for name in ("dev", "production"):
        world.environment(name, values={"size": name}, state=ONE_REF | {"path": f"envs/{name}"})
    world.initialise("dev", "production")
    ended = world.reconcile("-e", "dev", "-e", "production")
    assert set(ended.verdicts("dev").values()) | set(ended.verdicts("production").values()) == {"executed"}
    names = world.git("ls-tree", "-r", "--name-only", "nyl/shared", cwd=world.origin).splitlines()
    assert {"envs/dev/observed/units/database.yaml", "envs/production/observed/units/database.yaml"} <= set(names)
    assert set(world.reconcile("-e", "dev").verdicts().values()) == {"current"}


def test_runs_of_environments_that_share_a_ref_do_not_lose_each_other(world: World) -> None:
    units(world)
    for name in ("dev", "production"):
        world.environment(name, values={"size": name}, state=ONE_REF | {"path": name})
    world.initialise("dev", "production")
    running = [world.start("reconcile", "-e", name) for name in ("dev", "production")]
    assert [each.wait(60) for each in running] == [0, 0]
    names = world.git("ls-tree", "-r", "--name-only", "nyl/shared", cwd=world.origin).splitlines()
    assert {"dev/observed/units/migrate.yaml", "production/observed/units/migrate.yaml"} <= set(names)


def test_state_may_live_in_a_declared_repository(world: World, tmp_path: Path) -> None:
    elsewhere = tmp_path / "state.git"
    world.git("init", "-q", "--bare", elsewhere, cwd=tmp_path)
    url = {"repoURL": f"file://{elsewhere}"}
    world.write("state.yaml", declarations.resource("gitops.nyl/v1", "GitRepository", "platform-state", url))
    state = {"repositoryRef": {"name": "platform-state"}}
    world.pair().environment("dev", values={"size": "small"}, state=state).initialise()
    assert world.reconcile().verdicts() == {"database": "executed", "migrate": "executed"}
    assert world.state_refs() == {}
    assert "refs/heads/nyl/dev/observed" in world.git("for-each-ref", cwd=elsewhere)


def test_coordination_refs_may_be_branches(world: World) -> None:
    hook = world.origin / "hooks/update"
    hook.write_text('#!/bin/sh\ncase "$1" in refs/heads/*) ;; *) echo "branches only"; exit 1;; esac\n')
    hook.chmod(0o755)
    world.pair().environment("dev", values={"size": "small"}, state={"coordinationRefPrefix": "refs/heads/nyl-run"})
    world.initialise()
    assert world.reconcile().verdicts() == {"database": "executed", "migrate": "executed"}
    assert not [ref for ref in world.refs() if "nyl-run" in ref]


def test_a_forge_that_takes_branches_only_is_told_with_the_setting_that_helps(pair: World) -> None:
    hook = pair.origin / "hooks/update"
    hook.write_text('#!/bin/sh\ncase "$1" in refs/heads/*) ;; *) exit 1;; esac\n')
    hook.chmod(0o755)
    assert "coordinationRefPrefix" in pair.nyl("reconcile", "-e", "dev", exits=1).stderr
    assert pair.ran() == []


def test_state_init_refuses_what_is_there(pair: World) -> None:
    before = pair.refs()
    assert "NYL-STATE-EXISTS" in pair.nyl("state", "init", "-e", "dev", exits=1).stderr
    assert pair.refs() == before


def test_two_runners_with_one_identity_in_the_same_instant_do_not_both_work(pair: World) -> None:
    clones = [pair.clone(name) for name in ("one", "two")]
    running = [pair.start("reconcile", "-e", "dev", cwd=clone) for clone in clones]
    codes = sorted(each.wait(60) for each in running)
    assert codes in ([0, 0], [0, 2])
    assert pair.ran() == ["database", "migrate"]


def test_another_clone_continues_where_this_one_stopped(reconciled: World) -> None:
    clone = reconciled.clone("other")
    assert reconciled.reconcile(cwd=clone).verdicts() == {"database": "current", "migrate": "current"}


def test_state_commits_carry_nothing_of_the_sources(reconciled: World) -> None:
    for ref in ("desired", "observed"):
        names = reconciled.git(
            "ls-tree", "-r", "--name-only", reconciled.state(ref), cwd=reconciled.origin
        ).splitlines()
        assert names
        assert all(name.split("/")[0] in ("state.yaml", "desired", "observed") for name in names)


def test_a_remote_that_is_gone_is_said_to_be_unavailable(reconciled: World) -> None:
    reconciled.origin.rename(reconciled.tmp / "gone.git")
    for command in ("plan", "status", "reconcile"):
        assert "NYL-REMOTE-UNAVAILABLE" in reconciled.nyl(command, "-e", "dev", exits=1, hurries=True).stderr
    assert reconciled.ran() == []


def test_a_repository_of_another_owner_works_without_touching_the_configuration(pair: World) -> None:
    configuration = (pair.tmp / "home/.gitconfig").read_bytes()
    pair.environ["GIT_TEST_ASSUME_DIFFERENT_OWNER"] = "1"
    assert pair.reconcile().verdicts() == {"database": "executed", "migrate": "executed"}
    assert (pair.tmp / "home/.gitconfig").read_bytes() == configuration


def test_a_dead_run_of_another_state_is_not_imported_where_both_share_its_coordination_refs(world: World) -> None:
    world.environment(state={"desiredRef": "one", "observedRef": "one"})
    world.unit("a", script=deaths.waits(world)).initialise()
    world.environment(state={"desiredRef": "two", "observedRef": "two"}).remove("units/a.yaml")
    world.unit("b").initialise().git("checkout", "-q", "HEAD^")
    run = deaths.die_at(world, "a")
    world.git("checkout", "-q", "main")
    before = world.refs()
    refused = world.reconcile(exits=1)
    assert "NYL-RUN-FOREIGN" in refused.codes
    assert f"runs/{run}" in refused.stderr
    assert "coordinationRefPrefix" in refused.stderr
    assert "git push" not in refused.stderr
    assert (world.ran(), world.refs()["refs/heads/two"]) == ([], before["refs/heads/two"])
    assert f"refs/nyl/dev/runs/{run}" in world.refs()
    world.git("checkout", "-q", "HEAD^")
    assert world.reconcile(exits=4).verdicts() == {"a": "uncertain"}


def test_a_dead_run_is_still_imported_where_its_state_was_lost_and_initialised_again(world: World) -> None:
    world.unit("a", script=deaths.waits(world)).environment().initialise()
    deaths.die_at(world, "a")
    for ref in ("desired", "observed"):
        world.git("update-ref", "-d", f"refs/heads/nyl/dev/{ref}", cwd=world.origin)
    clone = world.clone("anew")
    world.report("recover", "-e", "dev", cwd=clone)
    world.nyl("state", "init", "-e", "dev", cwd=clone)
    assert world.reconcile(exits=4, cwd=clone).verdicts() == {"a": "uncertain"}
