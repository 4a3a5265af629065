"""Where the project's own repository is, whatever its origin is written like."""

from nyl.git.own_place import own_place
from nyl.git.urls import comparable_url
from tests.git.building import Scene


def test_it_is_the_origin_however_that_is_written(scene: Scene) -> None:
    for url in (str(scene.origin), f"../{scene.origin.name}"):
        scene.git("remote", "set-url", "origin", url)
        assert comparable_url(own_place(scene.open())) == comparable_url(str(scene.origin))


def test_without_an_origin_it_is_the_repository_and_the_same_in_its_linked_worktrees(scene: Scene) -> None:
    scene.git("remote", "remove", "origin")
    scene.git("worktree", "add", "-q", "--detach", str(scene.folder / "linked"))
    for place in (scene.work, scene.folder / "linked"):
        assert comparable_url(own_place(scene.open(place))) == str(scene.work)
