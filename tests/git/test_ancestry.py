import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.git.ancestry import fetch_commit, is_ancestor, is_reachable, precedes
from nyl.git.commits import CommitSpec, CommitWriter, Earlier
from nyl.git.embedded import EmbeddedRemote
from nyl.git.remotes import Remote
from tests.git.building import ME, Scene

_MAIN = "refs/heads/main"


def _grow(scene: Scene, commits: int) -> str:
    for number in range(commits):
        scene.commit(f"Commit {number}")
    scene.git("push", "-q", "origin", "main")
    return scene.git("rev-parse", "main")


def test_tips_and_ancestors_are_reachable(scene: Scene) -> None:
    tip = _grow(scene, 2)
    repository = scene.open()
    remote = Remote(repository, "origin")
    assert is_reachable(repository, remote, tip, [_MAIN])
    assert is_reachable(repository, remote, scene.first, [_MAIN, "refs/heads/none"])


def test_other_commits_are_not_and_what_was_searched_is_told(scene: Scene) -> None:
    tip = _grow(scene, 1)
    other = scene.commit("Not pushed")
    repository = scene.open()
    answer = is_reachable(repository, Remote(repository, "origin"), other, [_MAIN])
    assert not answer
    assert answer.searched == {_MAIN: tip}
    assert not is_reachable(repository, Remote(repository, "origin"), scene.first, ["refs/heads/none"])


def test_known_tips_save_the_round_trip(scene: Scene) -> None:
    repository = scene.open()
    remote = Remote(repository, "origin")
    scene.calls.commands.clear()
    assert is_reachable(repository, remote, scene.first, [_MAIN], {_MAIN: scene.first})
    assert scene.calls.commands == []


def test_a_shallow_clone_deepens_before_it_says_no(scene: Scene) -> None:
    _grow(scene, 5)
    shallow = scene.open(scene.clone("shallow", "--depth=1"))
    assert shallow.is_shallow
    assert not is_ancestor(shallow, scene.first, [shallow.resolve("HEAD") or ""])
    remote = Remote(shallow, "origin")
    assert fetch_commit(shallow, remote, scene.first)
    assert is_reachable(shallow, remote, scene.first, [_MAIN])


def test_a_shallow_clone_answers_the_tip_without_deepening(scene: Scene) -> None:
    tip = _grow(scene, 3)
    shallow = scene.open(scene.clone("shallow", "--depth=1"))
    assert is_reachable(shallow, Remote(shallow, "origin"), tip, [_MAIN])
    assert shallow.is_shallow


def test_a_commit_off_the_branch_is_not_reachable_in_a_shallow_clone(scene: Scene) -> None:
    _grow(scene, 3)
    scene.git("checkout", "-q", "-b", "side", scene.first)
    side = scene.commit("Side")
    scene.git("push", "-q", "origin", "side")
    shallow = scene.open(scene.clone("shallow", "--depth=1"))
    remote = Remote(shallow, "origin")
    assert fetch_commit(shallow, remote, side)
    assert not is_reachable(shallow, remote, side, [_MAIN])


def test_a_complete_clone_stays_complete(scene: Scene) -> None:
    repository = scene.open(scene.clone("complete"))
    tip = _grow(scene, 3)
    remote = Remote(repository, "origin")
    assert fetch_commit(repository, remote, tip)
    assert is_reachable(repository, remote, tip, [_MAIN])
    assert not repository.is_shallow


def test_an_unreachable_remote_is_no_answer(scene: Scene) -> None:
    repository = scene.open()
    scene.git("remote", "set-url", "origin", str(scene.folder / "gone.git"))
    with pytest.raises(NylError) as caught:
        is_reachable(repository, Remote(scene.open(), "origin"), scene.first, [_MAIN])
    assert caught.value.diagnostic.code is Code.REMOTE_UNAVAILABLE


def test_a_commit_nobody_has_cannot_be_fetched(scene: Scene) -> None:
    repository = scene.open()
    assert not fetch_commit(repository, Remote(repository, "origin"), "1" * 40)
    assert not fetch_commit(repository, EmbeddedRemote(repository), "1" * 40)


@pytest.mark.parametrize("options", [[], ["--depth=1", "--no-single-branch"]], ids=["complete", "shallow"])
def test_of_two_commits_either_or_neither_is_the_older_one(scene: Scene, options: list[str]) -> None:
    tip = _grow(scene, 3)
    scene.git("checkout", "-q", "-b", "side", scene.first)
    side = scene.commit("Side")
    scene.git("push", "-q", "origin", "side")
    expected = {(scene.first, tip): True, (tip, scene.first): False, (side, tip): False, (tip, "1" * 40): None}
    for number, (pair, older) in enumerate(expected.items()):
        repository = scene.open(scene.clone(f"clone{number}", *options))
        remote = Remote(repository, "origin")
        assert fetch_commit(repository, remote, pair[0])
        assert precedes(repository, remote, *pair, [_MAIN]) is older


def test_an_older_commit_brings_no_more_history_than_shows_it(scene: Scene) -> None:
    specs = [CommitSpec(b"Change", ME, 1, (Earlier(number - 1) if number else scene.first,)) for number in range(120)]
    *_, recorded, _, tip = CommitWriter(scene.open()).write(specs)
    scene.git("push", "-q", "origin", f"{tip}:main")
    shallow = scene.open(scene.clone("shallow", "--depth=1"))
    assert precedes(shallow, Remote(shallow, "origin"), tip, recorded, [_MAIN]) is False
    assert shallow.resolve(scene.first) is None
