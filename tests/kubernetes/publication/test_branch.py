"""The branch that a tree is published to, as it is read."""

from pathlib import Path

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.git.mirrors import known_mirror, mirror
from nyl.git.objects import ObjectReader
from nyl.git.remotes import Remote
from nyl.git.repository import Repository
from nyl.git.updates import RefStore
from nyl.kubernetes.publication.branch import BranchPlace, PublishedFolder, cached_head, read_head, remember_head
from tests.git.building import Scene


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


def publish(scene: Scene, **files: str) -> str:
    """Moves the deploy branch of the remote to a commit with some more files."""
    for name, text in files.items():
        scene.write(name.replace("__", "/"), text)
    commit = scene.commit("Deploy")
    scene.git("push", "-q", f"file://{scene.origin}", "HEAD:deploy")
    return commit


def place(refs: RefStore, prefix: str = "dev") -> BranchPlace:
    return BranchPlace(refs, "refs/heads/deploy", prefix)


def read(repository: Repository, prefix: str = "dev") -> PublishedFolder:
    return read_head(place(Remote(repository, "origin"), prefix), ObjectReader(repository))


def test_it_is_read_at_the_head_that_the_remote_has_now(scene: Scene) -> None:
    publish(scene, dev__a="old")
    repository = scene.open()
    read(repository)
    head = publish(scene, dev__a="new", prod__a="other")
    found = read(repository)
    assert (found.commit, found.is_cached) == (head, False)
    assert (found.read("a"), found.read("b"), list(found.entries)) == (b"new", None, ["a"])
    assert found.read_many(["a"]) == {"a": b"new"}


def test_a_branch_or_folder_that_does_not_exist_holds_nothing(scene: Scene) -> None:
    assert (read(scene.open()).commit, read(scene.open()).read("a")) == (None, None)
    head = publish(scene, prod__a="x")
    found = read(scene.open(), "dev/deep")
    assert (found.commit, found.read("a"), len(found.entries)) == (head, None, 0)


def test_with_an_empty_prefix_it_is_the_whole_branch(scene: Scene) -> None:
    publish(scene, dev__a="x")
    found = read(scene.open(), "")
    assert (list(found.entries), found.read("dev/a")) == (["README.md", "dev/a"], b"x")


def test_a_link_or_a_folder_is_no_file_to_read(scene: Scene) -> None:
    (scene.work / "dev" / "state").mkdir(parents=True)
    (scene.work / "dev" / "link").symlink_to("../README.md")
    (scene.work / "dev" / "state" / "a").write_text("x")
    publish(scene)
    found = read(scene.open())
    for path, what in (("link", "a symlink"), ("state", "a folder")):
        with pytest.raises(NylError, match=f"(?s)NYL-PATH-REFUSED.*is {what}"):
            found.read(path)
    assert found.read("sta") is None


@pytest.mark.parametrize("kind", ["file", "link"])
def test_a_prefix_that_leads_through_what_is_no_folder_is_refused(scene: Scene, kind: str) -> None:
    publish(scene, real__a="x")
    if kind == "link":
        (scene.work / "dev").symlink_to("real")
    else:
        scene.write("dev", "x")
    publish(scene)
    with pytest.raises(NylError, match="dev is no folder on deploy of") as refused:
        read(scene.open(), "dev/deep").read("a")
    assert refused.value.diagnostic.code is Code.PATH_REFUSED


@pytest.mark.parametrize("by", ["nyl", "git"])
def test_offline_it_is_what_was_fetched_last_by_whomever(scene: Scene, by: str) -> None:
    first, repository = publish(scene, dev__a="x"), scene.open()
    read(repository)
    second = publish(scene, dev__a="y")
    if by == "git":
        scene.git("fetch", "-q", "origin")
    found = cached_head(place(Remote(repository, "origin")), ObjectReader(repository))
    assert (found.commit, found.is_cached) == (second if by == "git" else first, True)


def test_offline_what_was_just_published_is_known(scene: Scene) -> None:
    publish(scene, dev__a="x")
    repository = scene.open()
    head = scene.git("rev-parse", "main").strip()
    remember_head(place(Remote(repository, "origin")), head)
    scene.git("update-ref", "-d", "refs/remotes/origin/deploy")
    assert cached_head(place(Remote(repository, "origin")), ObjectReader(repository)).commit == head


def test_offline_nothing_is_known_of_a_repository_that_was_never_asked(scene: Scene, tmp_path: Path) -> None:
    publish(scene, dev__a="x")
    repository, url, cache = scene.open(), f"file://{scene.origin}", tmp_path / "cache"
    unknown = known_mirror(repository, cache, url)
    assert cached_head(place(unknown), ObjectReader(unknown.repository)).commit is None
    assert not cache.exists()
    asked = mirror(repository, cache, url)
    head = read_head(place(asked), ObjectReader(asked.repository)).commit
    known = known_mirror(repository, cache, url)
    found = cached_head(place(known), ObjectReader(known.repository))
    assert (found.commit, found.read("a")) == (head, b"x")
