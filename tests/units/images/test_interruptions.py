"""Builds and pushes that are cancelled, killed or take too long."""

import threading
import time
from collections.abc import Callable

import pytest

from nyl.units.context import UnitContext
from nyl.units.images.tags import key_tag
from nyl.units.outcomes import Failed, Uncertain
from tests.support.registry_front import RegistryFront
from tests.units.images.bench import ImageBench, receipt
from tests.units.images.stub import BUILDX, with_stub

At = Callable[[str], ImageBench]


def test_a_push_that_is_cancelled_is_uncertain_and_the_next_one_converges(front: RegistryFront, image_at: At) -> None:
    image = image_at(front.host)

    def cancel(method: str, path: str) -> None:
        if "/blobs/uploads" in path and image.context is not None:
            image.context.cancellation.cancel()

    front.before = cancel
    assert image.execute(tags=["dev"]) == Uncertain("the run was cancelled while buildah push ran")
    front.before = None
    published = image.executed(tags=["dev"])
    assert front.behind.digest(image.name, "dev") == published["digest"]


def test_a_builder_that_is_killed_is_uncertain(image: ImageBench) -> None:
    with_stub(image, "kill -9 $$")
    assert image.execute(**BUILDX) == Uncertain("docker buildx build was killed by SIGKILL")


def test_a_build_that_passes_its_timeout_is_uncertain(image: ImageBench) -> None:
    folder = with_stub(image, f"echo $$ > {image.folder}/pid; sleep 600")
    image.seconds = 1
    assert image.execute(**BUILDX) == Uncertain("docker buildx build passed its timeout of 1s")
    assert (folder / "argv").exists()


@pytest.mark.parametrize(
    ("end", "told"),
    [
        (lambda context: setattr(context, "deadline", time.monotonic()), "it passed its timeout of 1m"),
        (lambda context: context.cancellation.cancel(), "it was cancelled"),
    ],
)
def test_no_tag_is_moved_once_the_work_has_to_end(
    front: RegistryFront, image_at: At, end: Callable[[UnitContext], None], told: str
) -> None:
    image = image_at(front.host)
    first = image.executed(tags=["dev"])["digest"]

    def pushed(method: str, path: str) -> None:
        if method == "GET" and "/manifests/sha256:" in path and image.context is not None:
            end(image.context)

    image.write("more")
    front.before = pushed
    ended = image.execute(receipt({"digest": first}), key="another", tags=["dev", "latest"])
    assert isinstance(ended, Uncertain)
    assert ended.reason.startswith(f"{told} after it pushed sha256:")
    assert ended.reason.endswith("before it set the tag dev")
    assert front.behind.digest(image.name, "dev") == first
    assert front.behind.digest(image.name, "latest") is None
    front.before = None
    published = image.executed(receipt({"digest": first}), key="another", tags=["dev", "latest"])["digest"]
    assert published != first
    assert front.behind.digest(image.name, "dev") == front.behind.digest(image.name, "latest") == published


def test_a_push_that_passes_the_timeout_is_uncertain_and_moves_no_tag(front: RegistryFront, image_at: At) -> None:
    image = image_at(front.host)
    first = image.executed(tags=["dev"])["digest"]
    over = threading.Event()

    def slow(method: str, path: str) -> None:
        if "/blobs/uploads" in path:
            over.wait(60)

    image.write("more")
    front.before = slow
    image.seconds = 3
    ended = image.execute(receipt({"digest": first}), key="another", tags=["dev"])
    over.set()
    assert isinstance(ended, Uncertain)
    assert ended.reason.endswith("passed its timeout of 3s")
    assert front.behind.digest(image.name, "dev") == first
    assert front.behind.digest(image.name, key_tag("another")) is None


def test_a_run_that_is_cancelled_before_the_push_pushed_nothing(front: RegistryFront, image_at: At) -> None:
    image = image_at(front.host)

    def cancel(method: str, path: str) -> None:
        if image.context is not None:
            image.context.cancellation.cancel()

    front.before = cancel
    ended = image.execute()
    assert isinstance(ended, Failed | Uncertain)
    assert front.pushes() == []
