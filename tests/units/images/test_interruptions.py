"""Builds and pushes that are cancelled, killed or take too long."""

from collections.abc import Callable

from nyl.units.outcomes import Failed, Uncertain
from tests.support.registry_front import RegistryFront
from tests.units.images.bench import ImageBench
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


def test_a_run_that_is_cancelled_before_the_push_pushed_nothing(front: RegistryFront, image_at: At) -> None:
    image = image_at(front.host)

    def cancel(method: str, path: str) -> None:
        if image.context is not None:
            image.context.cancellation.cancel()

    front.before = cancel
    ended = image.execute()
    assert isinstance(ended, Failed | Uncertain)
    assert front.pushes() == []
