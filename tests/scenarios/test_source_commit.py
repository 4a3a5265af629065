"""Runs page, Source commit: which commit a run works at, and which commits are allowed."""

import pytest

from tests.support import declarations
from tests.support.world import World

ABSENT = "0123456789" * 4


def source_of(world: World, *arguments: str) -> str:
    """The commit that a run of `dev` works at."""
    return str(world.reconcile(*arguments).environment()["source"])


def feature(world: World) -> str:
    """A commit on a branch of the remote that is not protected; the worktree stays on main."""
    world.git("checkout", "-q", "-b", "feature")
    commit = world.write("feature.txt", "x").commit("Feature", branch="feature")
    world.git("checkout", "-q", "main")
    return commit


def test_without_source_the_commit_of_the_worktree_decides(pair: World) -> None:
    assert source_of(pair) == pair.git("rev-parse", "HEAD")


def test_uncommitted_changes_never_reach_a_run(reconciled: World) -> None:
    reconciled.environment("dev", values={"size": "large"}).unit("new").write(
        "scripts/migrate.sh", "#!/bin/sh\nexit 1\n"
    )
    assert reconciled.reconcile().verdicts() == {"database": "current", "migrate": "current"}


def test_source_and_its_protection_are_read_from_the_worktree(pair: World) -> None:
    pair.environment("dev", values={"size": "large"}, protectedRefs=["nowhere"])
    assert "NYL-SOURCE-UNREACHABLE" in pair.reconcile(exits=1).codes


def test_a_revision_means_the_tip_of_that_ref(world: World) -> None:
    world.environment(source={"revision": "stable"}, protectedRefs=["stable"]).unit("a").initialise()
    old = world.commit("Stable", branch="stable")
    world.unit("b").commit("Later")
    ended = world.reconcile()
    assert (ended.environment()["source"], ended.verdicts()) == (old, {"a": "executed"})


def test_the_tip_is_asked_of_the_remote(world: World) -> None:
    world.environment(source={"revision": "main"}).unit("a").initialise()
    other = world.clone("other")
    world.git("commit", "-q", "--allow-empty", "-m", "Elsewhere", cwd=other)
    world.git("push", "-q", "origin", "HEAD:main", cwd=other)
    assert source_of(world) == world.git("rev-parse", "HEAD", cwd=other)


def test_a_pinned_commit_stays(world: World) -> None:
    pinned = world.environment().unit("a").commit("Pinned")
    world.environment(source={"revision": "main", "commit": pinned}).unit("b").initialise()
    ended = world.reconcile()
    assert (ended.environment()["source"], ended.verdicts()) == (pinned, {"a": "executed"})


def test_source_option_overrides_once_and_marks_the_transition(pair: World) -> None:
    old = pair.git("rev-parse", "HEAD")
    pair.environment("dev", values={"size": "large"}).commit()
    assert source_of(pair, "--source", old) == old
    assert "sourceOverride" in pair.message()
    assert pair.stored("observed/units/database.yaml")["receipt"]["outputs"] == {"host": "db-small"}
    assert source_of(pair) == pair.git("rev-parse", "HEAD")
    assert "sourceOverride" not in pair.message()


def test_plan_takes_the_source_option_too(pair: World) -> None:
    old = pair.git("rev-parse", "HEAD")
    pair.unit("later").commit()
    assert set(pair.plan("--source", old).verdicts()) == {"database", "migrate"}


def test_a_commit_that_no_protected_ref_reaches_is_refused(pair: World) -> None:
    commit = feature(pair)
    refused = pair.nyl("reconcile", "-e", "dev", "--source", "origin/feature", exits=1)
    pair.nyl("plan", "-e", "dev", "--source", commit, exits=1)
    assert "NYL-SOURCE-UNREACHABLE" in refused.stderr
    assert commit in refused.stderr
    assert "main" in refused.stderr
    assert pair.ran() == []


def test_an_unpushed_commit_is_refused(pair: World) -> None:
    pair.unit("a").commit(push=False)
    assert "NYL-SOURCE-UNREACHABLE" in pair.reconcile(exits=1).codes


def test_allow_unprotected_source_lets_an_environment_run_from_anywhere(world: World) -> None:
    world.environment(allowUnprotectedSource=True).unit("a").initialise()
    commit = feature(world)
    assert source_of(world, "--source", commit) == commit


def test_protected_refs_may_be_globs(world: World) -> None:
    world.environment(protectedRefs=["release/*"]).unit("a").initialise()
    assert "NYL-SOURCE-UNREACHABLE" in world.reconcile(exits=1).codes
    world.commit(branch="release/1.0")
    world.reconcile()


def test_allow_unprotected_source_never_waives_a_pinned_commit(world: World) -> None:
    world.environment().unit("a").commit()
    stray = feature(world)
    world.environment(source={"revision": "main", "commit": stray}, allowUnprotectedSource=True).initialise()
    refused = world.reconcile(exits=1)
    assert "NYL-SOURCE-UNREACHABLE" in refused.codes
    assert stray in str(refused.diagnostics)
    assert str(refused.diagnostics).count("refs/heads/main") == 1, "each ref that was searched is named once"


def test_a_pinned_commit_may_be_reachable_from_its_own_revision(world: World) -> None:
    world.environment().unit("a").commit()
    stray = feature(world)
    world.environment(source={"revision": "feature", "commit": stray}).initialise()
    assert source_of(world) == stray


def test_a_commit_that_does_not_exist_is_said_to_be_missing(pair: World) -> None:
    refused = pair.reconcile("--source", ABSENT, exits=1)
    assert refused.codes & {"NYL-SOURCE-MISSING", "NYL-SOURCE-UNREACHABLE"}
    assert ABSENT in str(refused.diagnostics)


@pytest.mark.parametrize("option", ["--upload-pack=touch hit", "-x", "a..b", "HEAD^{tree}"])
def test_a_revision_that_is_no_revision_is_refused(pair: World, option: str) -> None:
    pair.nyl("reconcile", "-e", "dev", f"--source={option}", exits=1)
    assert pair.ran() == []


def test_group_defaults_decide_the_source_too(world: World) -> None:
    group = {"environmentSelector": {"matchLabels": {"stage": "dev"}}, "defaults": {"allowUnprotectedSource": True}}
    world.write("group.yaml", declarations.resource("gitops.nyl/v1", "EnvironmentGroup", "devs", group))
    world.environment(labels={"stage": "dev"}).unit("a").initialise()
    assert source_of(world, "--source", feature(world))


@pytest.mark.parametrize("options", [["--depth=1"], ["--depth=1", "--no-single-branch"], ["--single-branch"]])
def test_clones_as_ci_makes_them_work(pair: World, options: list[str]) -> None:
    pinned = pair.git("rev-parse", "HEAD")
    for number in range(4):
        pair.write("notes.txt", str(number)).commit()
    pair.environment("dev", values={"size": "small"}, source={"revision": "main", "commit": pinned}).commit()
    clone = pair.clone("ci", *options)
    pair.git("checkout", "-q", "--detach", cwd=clone)
    assert pair.reconcile(cwd=clone).environment()["source"] == pinned


def test_a_shallow_clone_of_an_unprotected_branch_is_told_so(pair: World) -> None:
    commit = feature(pair)
    clone = pair.clone("ci", "--depth=1", "--branch=feature")
    refused = pair.reconcile(cwd=clone, exits=1)
    assert "NYL-SOURCE-UNREACHABLE" in refused.codes
    assert commit in str(refused.diagnostics)


def test_a_complete_clone_never_becomes_shallow(pair: World) -> None:
    pair.reconcile()
    assert pair.git("rev-parse", "--is-shallow-repository") == "false"


def test_a_remote_that_cannot_be_asked_is_not_a_verdict_on_the_commit(pair: World) -> None:
    pair.origin.rename(pair.tmp / "gone.git")
    refused = pair.reconcile(exits=1, hurries=True)
    assert "NYL-REMOTE-UNAVAILABLE" in refused.codes
    assert "NYL-SOURCE-UNREACHABLE" not in refused.codes


def test_a_default_branch_of_another_name_is_asked_of_the_remote(world: World) -> None:
    world.git("symbolic-ref", "HEAD", "refs/heads/trunk", cwd=world.origin)
    world.git("branch", "-q", "-M", "trunk")
    world.environment().unit("a").commit(branch="trunk")
    world.nyl("state", "init", "-e", "dev")
    world.reconcile()


def test_the_index_head_and_branches_of_the_user_stay_as_they_are(pair: World) -> None:
    pair.write("staged.txt", "x")
    pair.git("add", "staged.txt")
    index = (pair.root / ".git/index").read_bytes()
    branches = pair.git("for-each-ref", "refs/heads")
    pair.reconcile()
    assert (pair.root / ".git/index").read_bytes() == index
    assert pair.git("for-each-ref", "refs/heads") == branches
    assert pair.git("symbolic-ref", "HEAD") == "refs/heads/main"
