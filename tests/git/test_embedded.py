from pathlib import Path

from nyl.git.embedded import EmbeddedRemote
from nyl.git.updates import RefStatus, RefUpdate
from tests.git.building import LEASE, STATE, Scene, write_commit


def test_refs_move_only_from_what_is_expected(scene: Scene) -> None:
    repository = scene.open()
    store = EmbeddedRemote(repository)
    one, two = write_commit(repository, a="1"), write_commit(repository, a="2")
    assert store.push([RefUpdate(LEASE, one, None), RefUpdate(STATE, one, None)]).accepted
    assert not store.push([RefUpdate(LEASE, two, None)]).accepted
    assert not store.push([RefUpdate(LEASE, two, two)]).accepted
    assert store.push([RefUpdate(LEASE, two, one)]).statuses == {LEASE: RefStatus.MOVED}
    assert store.fetch("refs/nyl/dev/*", STATE) == {LEASE: two, STATE: one}


def test_one_refused_ref_refuses_all(scene: Scene) -> None:
    repository = scene.open()
    store = EmbeddedRemote(repository)
    commit = write_commit(repository)
    store.push([RefUpdate(LEASE, commit, None)])
    result = store.push([RefUpdate(STATE, commit, None), RefUpdate(LEASE, None, scene.first)])
    assert set(result.statuses.values()) == {RefStatus.REFUSED}
    assert store.list("refs/nyl/*", STATE) == {LEASE: commit}


def test_deletions_expect_a_value_or_absence(scene: Scene) -> None:
    repository = scene.open()
    store = EmbeddedRemote(repository)
    commit = write_commit(repository)
    store.push([RefUpdate(LEASE, commit, None)])
    assert not store.push([RefUpdate(LEASE, None, None)]).accepted
    assert store.push([RefUpdate(LEASE, None, commit)]).accepted
    assert store.push([RefUpdate(LEASE, None, None)]).accepted


def test_head_is_the_default_branch(scene: Scene) -> None:
    store = EmbeddedRemote(scene.open())
    assert store.fetch("HEAD") == {"HEAD": scene.first}
    assert store.default_branch() == "refs/heads/main"
    scene.git("checkout", "-q", "--detach")
    assert store.default_branch() is None


def test_sha256_repositories_work(tmp_path: Path) -> None:
    scene = Scene(tmp_path, "sha256")
    store = EmbeddedRemote(scene.open())
    assert store.push([RefUpdate(LEASE, scene.first, None)]).accepted
    assert store.push([RefUpdate(LEASE, None, scene.first)]).accepted
