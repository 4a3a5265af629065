"""Runs page, Source commit: what decides S, and what it must be reachable from, in clones of every kind."""

from pathlib import Path
from typing import Any

import pytest

from nyl.core.codes import Code
from nyl.engine.source import Source, check_snapshot_source, decide_source
from nyl.git.snapshots import Snapshot
from nyl.project.resources import EnvironmentSource
from tests.engine.builders import environment
from tests.engine.projects import refusal, workspace
from tests.support.world import World

CLONES: list[tuple[str, ...]] = [
    (),
    ("--depth=1",),
    ("--single-branch", "--branch=feature"),
    ("--depth=1", "--branch=feature"),
    ("--depth=1", "--no-single-branch"),
    ("--filter=blob:none",),
]


def decide(world: World, folder: Path | None = None, override: str | None = None, **fields: Any) -> Source:
    return decide_source(workspace(world, folder), environment(**fields), override)


def pinned(commit: str, revision: str = "main") -> EnvironmentSource:
    return EnvironmentSource(revision, commit)


Branches = tuple[World, str, str]


def branched(world: World) -> Branches:
    """Main with some commits, and a branch `feature` from before its last one; the tips of both."""
    for number in range(3):
        world.commit(f"Main {number}")
    world.git("checkout", "-q", "-b", "feature")
    feature = world.commit("Feature", branch="feature")
    world.git("checkout", "-q", "main")
    return world, world.commit("Main again"), feature


@pytest.fixture
def branches(world: World) -> Branches:
    return branched(world)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Branches:
    """The same for all tests that change nothing in it."""
    return branched(World(tmp_path_factory.mktemp("shared")))


def test_without_a_source_the_commit_of_the_worktree_decides(world: World) -> None:
    commit = world.commit()
    world.write("later.txt", "not committed")
    assert decide(world) == Source(commit)


def test_a_revision_is_its_tip_at_the_remote(shared: Branches) -> None:
    world, _, feature = shared
    assert decide(world, source=EnvironmentSource("feature"), protected_refs=("feature",)).commit == feature
    assert decide(world, source=EnvironmentSource("refs/heads/feature"), protected_refs=("feature",)).commit == feature


def test_a_pinned_commit_stays_where_its_revision_moved_on(branches: Branches) -> None:
    world, main, _ = branches
    world.commit()
    assert decide(world, source=pinned(main)).commit == main


def test_the_override_wins_and_is_remembered(shared: Branches) -> None:
    world, main, _ = shared
    assert decide(world, override="main", source=pinned("0" * 40)) == Source(main, "main")
    assert decide(world, override=main) == Source(main, main)


def test_a_commit_off_every_protected_ref_is_refused_naming_commit_and_refs(shared: Branches) -> None:
    world, _, feature = shared
    message = refusal(lambda: decide(world, override="feature"), Code.SOURCE_UNREACHABLE)
    assert feature in message
    assert "refs/heads/main" in message


def test_allow_unprotected_source_waives_that(shared: Branches) -> None:
    world, _, feature = shared
    assert decide(world, override="feature", allow_unprotected_source=True).commit == feature


def test_it_never_waives_a_pin(shared: Branches) -> None:
    world, _, feature = shared
    source = pinned(feature)
    refusal(lambda: decide(world, source=source, allow_unprotected_source=True), Code.SOURCE_UNREACHABLE)


@pytest.mark.parametrize("annotated", [True, False])
def test_a_pin_may_be_reachable_from_its_own_revision_branch_or_tag(branches: Branches, annotated: bool) -> None:
    world, _, feature = branches
    world.git("tag", *(["-a", "-m", "One"] if annotated else []), "v1", feature)
    world.git("push", "-q", "origin", "v1")
    for revision in ("feature", "v1", "refs/tags/v1"):
        assert decide(world, source=pinned(feature, revision)).commit == feature


def test_annotated_tags_that_a_glob_names_protect(branches: Branches) -> None:
    world, _, feature = branches
    world.git("tag", "-a", "-m", "One", "v1", feature)
    world.git("push", "-q", "origin", "v1")
    assert decide(world, override=feature, protected_refs=("refs/tags/v*",)).commit == feature


def test_a_pin_of_a_tag_that_this_clone_lacks_is_fetched(branches: Branches) -> None:
    world, _, feature = branches
    world.git("tag", "v1", feature)
    world.git("push", "-q", "origin", "v1", ":refs/heads/feature")
    clone = world.clone("other", "--single-branch", "--no-tags")
    assert decide(world, clone, source=pinned(feature, "v1")).commit == feature


@pytest.mark.parametrize("options", CLONES, ids=" ".join)
def test_main_is_reachable_in_every_clone(shared: Branches, tmp_path: Path, options: tuple[str, ...]) -> None:
    world, main, _ = shared
    clone = world.clone(str(tmp_path / "other"), *options)
    assert decide(world, clone, override="main").commit == main


@pytest.mark.parametrize("options", CLONES, ids=" ".join)
def test_an_unprotected_branch_is_refused_in_every_clone(
    shared: Branches, tmp_path: Path, options: tuple[str, ...]
) -> None:
    world, _, feature = shared
    clone = world.clone(str(tmp_path / "other"), *options)
    message = refusal(lambda: decide(world, clone, override="feature"), Code.SOURCE_UNREACHABLE)
    assert feature in message


@pytest.mark.parametrize("options", CLONES, ids=" ".join)
def test_an_old_commit_is_found_reachable_however_shallow_the_clone(
    shared: Branches, tmp_path: Path, options: tuple[str, ...]
) -> None:
    world, main, _ = shared
    old = world.git("rev-parse", f"{main}~2")
    clone = world.clone(str(tmp_path / "other"), *options)
    assert decide(world, clone, source=pinned(old)).commit == old


def test_a_detached_checkout_of_a_merge_candidate_works(shared: Branches, tmp_path: Path) -> None:
    world, main, _ = shared
    clone = world.clone(str(tmp_path / "other"), "--depth=1")
    world.git("checkout", "-q", "--detach", cwd=clone)
    world.git("branch", "-q", "-D", "main", cwd=clone)
    assert decide(world, clone).commit == main


def test_a_complete_clone_does_not_become_shallow(shared: Branches) -> None:
    world, _, _ = shared
    refusal(lambda: decide(world, override="feature"), Code.SOURCE_UNREACHABLE)
    assert world.git("rev-parse", "--is-shallow-repository") == "false"


def test_commits_that_were_not_pushed_are_not_reachable(world: World) -> None:
    world.commit()
    commit = world.commit(push=False)
    assert commit in refusal(lambda: decide(world), Code.SOURCE_UNREACHABLE)


def test_protected_refs_may_be_globs_and_full_names(shared: Branches) -> None:
    world, _, feature = shared
    for protected in ("feat*", "refs/heads/feature", "refs/heads/*"):
        assert decide(world, override="feature", protected_refs=(protected,)).commit == feature
    refusal(lambda: decide(world, override="feature", protected_refs=("release/*",)), Code.SOURCE_UNREACHABLE)


def test_no_protected_refs_protect_nothing(shared: Branches) -> None:
    world, _, _ = shared
    refusal(lambda: decide(world, protected_refs=()), Code.SOURCE_UNREACHABLE)


def test_by_default_the_default_branch_of_the_remote_is_protected(world: World) -> None:
    world.git("checkout", "-q", "-b", "trunk")
    commit = world.commit(branch="trunk")
    world.git("symbolic-ref", "HEAD", "refs/heads/trunk", cwd=world.origin)
    assert decide(world).commit == commit
    world.commit("Later", push=False)
    assert "refs/heads/trunk" in refusal(lambda: decide(world), Code.SOURCE_UNREACHABLE)


def test_without_a_remote_the_repositorys_own_branches_count(alone: World) -> None:
    main = alone.commit()
    assert decide(alone).commit == main
    alone.git("checkout", "-q", "-b", "feature")
    alone.commit()
    refusal(lambda: decide(alone), Code.SOURCE_UNREACHABLE)
    assert decide(alone, protected_refs=("feat*",)).commit == alone.git("rev-parse", "HEAD")


@pytest.mark.parametrize("revision", ["nowhere", "0" * 40, "refs/heads/nowhere"])
def test_what_does_not_exist_is_missing(world: World, revision: str) -> None:
    world.commit()
    assert revision in refusal(lambda: decide(world, override=revision), Code.SOURCE_MISSING)


def test_a_pin_that_does_not_exist_is_missing(world: World) -> None:
    world.commit()
    assert "0" * 40 in refusal(lambda: decide(world, source=pinned("0" * 40)), Code.SOURCE_MISSING)


def test_before_the_first_commit_there_is_no_source(world: World) -> None:
    refusal(lambda: decide(world), Code.SOURCE_MISSING)


def test_a_remote_that_does_not_answer_is_no_verdict(branches: Branches) -> None:
    world, _, feature = branches
    world.git("remote", "set-url", "origin", str(world.tmp / "gone.git"))
    world.git("update-ref", "-d", "refs/remotes/origin/main")
    refusal(lambda: decide(world, override=feature), Code.REMOTE_UNAVAILABLE)


def test_what_the_clone_knows_to_be_protected_needs_no_question(world: World) -> None:
    commit = world.commit()
    world.git("remote", "set-head", "origin", "main")
    world.git("remote", "set-url", "origin", str(world.tmp / "gone.git"))
    assert decide(world).commit == commit


def test_a_snapshot_of_the_worktree_needs_allow_unprotected_source(world: World) -> None:
    world.environment("dev").unit("a").commit()
    where = workspace(world)
    check_snapshot_source(where, environment(allow_unprotected_source=True))
    refusal(lambda: check_snapshot_source(where, where.worktree.environments["dev"]), Code.SOURCE_UNREACHABLE)


def test_a_snapshots_content_is_recorded_at_its_ref() -> None:
    snapshot = Snapshot("a" * 40, None, True, 1, 0.0)
    assert Source("a" * 40, snapshot=snapshot).revision == snapshot.ref
    assert Source("a" * 40).revision == "a" * 40
