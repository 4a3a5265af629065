import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.git.remotes import Remote
from tests.git.building import LEASE, Scene


@contextmanager
def no_room() -> Iterator[None]:
    """While open, this process can write next to nothing into files."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_failed_fetch_into_a_repository_that_can_keep_nothing_is_not_the_networks(scene: Scene) -> None:
    scene.git("remote", "set-url", "origin", str(scene.folder / "gone.git"))
    repository = scene.open()
    remote = Remote(repository, "origin")
    with no_room():
        told, asked = (failure(it).diagnostic for it in (lambda: remote.fetch(LEASE), remote.list))
    assert told.code is Code.FILE_INACCESSIBLE
    assert str(repository.common_dir) in told.message
    assert "does not appear to be a git repository" in told.message
    assert "room on its disk" in told.fix
    assert asked.code is Code.REMOTE_UNAVAILABLE
    assert failure(lambda: remote.fetch(LEASE)).diagnostic.code is Code.REMOTE_UNAVAILABLE


def failure(work: Callable[[], object]) -> NylError:
    with pytest.raises(NylError) as caught:
        work()
    return caught.value
