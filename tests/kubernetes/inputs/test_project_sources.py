"""The sources of inputs in a real repository."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.git.objects import ObjectReader
from nyl.git.status import worktree_changes
from nyl.kubernetes.expansion.artifacts import Artifacts
from nyl.kubernetes.git_files import GitFiles
from nyl.kubernetes.inputs.carrying import CarryFiles
from nyl.kubernetes.inputs.project_sources import ProjectSources
from nyl.kubernetes.inputs.sources import GitLock, SourceFile
from nyl.kubernetes.vendoring.policy import Direct, Vendored
from nyl.kubernetes.vendoring.snapshot import Snapshot
from nyl.project.resources import RepositoryLocation
from nyl.project.trees import CommitTree, WorktreeTree
from tests.git.building import Scene
from tests.kubernetes.inputs.builders import HeldState

DIRECT = Direct()
LOCKED = b"database: {host: one}\n"


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    found = Scene(tmp_path)
    found.write("app/env/db.yaml", "database: {host: one}\n")
    found.write(".gitignore", "ignored.yaml\nbuild/\n")
    found.commit()
    return found


def sources(scene: Scene, *, committed: bool = False, artifacts: Artifacts = DIRECT) -> ProjectSources:
    repository = scene.open()
    head = CommitTree(ObjectReader(repository), scene.git("rev-parse", "HEAD").strip(), "app")
    tree = head if committed else WorktreeTree(scene.work, head, worktree_changes(repository), "app")
    carried = CarryFiles(repository, scene.work, "app")
    return ProjectSources(
        tree, GitFiles(repository, scene.folder / "cache"), carried, HeldState, artifacts, "app/vendor"
    )


def lock(scene: Scene, path: str) -> GitLock:
    commit = scene.git("rev-parse", "HEAD").strip()
    scene.git("push", "-q", "origin", "HEAD:main")
    return GitLock(RepositoryLocation(f"file://{scene.origin}"), "main", commit, path, "staging platform/web/a")


def test_a_file_is_the_one_of_the_tree_that_is_rendered(scene: Scene) -> None:
    scene.write("app/env/db.yaml", "database: {host: two}\n")
    assert sources(scene).file("env/db.yaml") == SourceFile("app/env/db.yaml", b"database: {host: two}\n")
    assert sources(scene, committed=True).file("env/db.yaml").content == b"database: {host: one}\n"


def test_an_untracked_file_that_git_does_not_ignore_is_seen_in_the_working_tree(scene: Scene) -> None:
    scene.write("app/new.yaml", "a: 1\n")
    assert sources(scene).file("new.yaml").content == b"a: 1\n"
    with pytest.raises(NylError, match="that Git sees"):
        sources(scene, committed=True).file("new.yaml")


@pytest.mark.parametrize("path", ["ignored.yaml", "gone.yaml", "env"])
def test_a_file_that_git_does_not_see_is_no_source(scene: Scene, path: str) -> None:
    scene.write("app/ignored.yaml", "a: 1\n")
    with pytest.raises(NylError) as caught:
        sources(scene).file(path)
    assert caught.value.diagnostic.code is Code.SOURCE_INPUT


@pytest.mark.parametrize("path", ["/out/staging/web/a.yaml", "vendor/a.yaml", "behind/db.yaml"])
def test_files_of_rendered_trees_and_behind_symlinks_are_no_sources(scene: Scene, path: str) -> None:
    scene.write("out/staging/_nyl/index.json", "{}")
    scene.write("out/staging/web/a.yaml", "a: 1\n")
    scene.write("app/vendor/a.yaml", "a: 1\n")
    (scene.work / "app/behind").symlink_to("env")
    with pytest.raises(NylError) as caught:
        sources(scene).file(path)
    assert caught.value.diagnostic.code is Code.PATH_REFUSED


def test_a_file_whose_key_would_look_like_another_one_is_refused(scene: Scene) -> None:
    scene.write("@input/platform/web/a", "a: 1\n")
    with pytest.raises(NylError) as caught:
        sources(scene).file("/@input/platform/web/a")
    assert caught.value.diagnostic.code is Code.PATH_REFUSED


def test_a_locked_file_is_read_from_its_repository(scene: Scene) -> None:
    assert sources(scene).git(lock(scene, "app/env/db.yaml")) == b"database: {host: one}\n"


def test_a_locked_file_may_be_what_another_target_publishes(scene: Scene) -> None:
    scene.write("staging/_nyl/index.json", "{}")
    scene.write("staging/state/images.json", "{}")
    scene.commit()
    assert sources(scene).git(lock(scene, "staging/state/images.json")) == b"{}"


@pytest.mark.parametrize("path", ["link.yaml", "behind/db.yaml", "gone.yaml", "app/env"])
def test_a_locked_file_is_a_regular_one(scene: Scene, path: str) -> None:
    (scene.work / "link.yaml").symlink_to("app/env/db.yaml")
    (scene.work / "behind").symlink_to("app/env")
    scene.commit()
    with pytest.raises(NylError) as caught:
        sources(scene).git(lock(scene, path))
    assert caught.value.diagnostic.code in (Code.PATH_REFUSED, Code.SOURCE_INPUT)


def vendored(scene: Scene, elsewhere: Direct | None, captured: Mapping[str, bytes] = MappingProxyType({})) -> Vendored:
    """A vendor folder of the working tree that holds some files."""
    entries = {}
    for key, data in captured.items():
        entries[key] = hashlib.sha256(data).hexdigest()
        scene.write(f"app/vendor/files/{entries[key]}", data)
    return Vendored(Snapshot(sources(scene).tree, "app/vendor", entries), elsewhere)


@pytest.mark.parametrize("elsewhere", [None, Direct()])
def test_a_locked_file_that_is_captured_is_read_by_the_vendor_policy(scene: Scene, elsewhere: Direct | None) -> None:
    locked = lock(scene, "app/env/db.yaml")
    assert locked.key == f"@git/file://{scene.origin}@{locked.commit}/app/env/db.yaml"
    assert sources(scene, artifacts=vendored(scene, elsewhere, {locked.key: b"captured"})).git(locked) == b"captured"


def test_with_mode_required_a_locked_file_is_never_fetched(scene: Scene) -> None:
    locked = lock(scene, "app/env/db.yaml")
    assert sources(scene, artifacts=vendored(scene, Direct())).git(locked) == LOCKED
    with pytest.raises(NylError) as caught:
        sources(scene, artifacts=vendored(scene, None)).git(locked)
    assert caught.value.diagnostic.code is Code.VENDOR_MISSING


def test_carry_files_are_those_of_the_working_tree_whatever_tree_is_rendered(scene: Scene) -> None:
    scene.write("app/build/images.json", b"{}")
    assert sources(scene, committed=True).carry("build/images.json") == b"{}"


def test_publication_state_is_never_vendored(scene: Scene) -> None:
    required = sources(scene, artifacts=vendored(scene, None))
    assert required.state.read("state/images.json") is None
