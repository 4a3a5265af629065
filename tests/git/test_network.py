import resource
from collections.abc import Iterator
from contextlib import contextmanager

from nyl.core.codes import Code
from nyl.git.network import unavailable
from nyl.git.process import GitResult
from tests.git.building import Scene

_FAILED = GitResult(128, b"", "fatal: it did not work")


@contextmanager
def no_room() -> Iterator[None]:
    """While open, this process can write next to nothing into files."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_failure_of_a_repository_that_can_keep_nothing_is_not_the_networks(scene: Scene) -> None:
    repository = scene.open()
    with no_room():
        told = unavailable(repository, "https://git.example.com/shop", _FAILED).diagnostic
    assert told.code is Code.FILE_INACCESSIBLE
    assert str(repository.common_dir) in told.message
    assert "room on its disk" in told.fix
    assert unavailable(repository, "https://git.example.com/shop", _FAILED).diagnostic.code is Code.REMOTE_UNAVAILABLE
