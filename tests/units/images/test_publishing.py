"""The driver against a real registry, with buildah."""

from collections.abc import Callable

from nyl.units.outcomes import Verified
from tests.support.image_registry import ImageRegistry
from tests.support.registry_front import RegistryFront
from tests.units.images.bench import ImageBench, receipt


def test_an_image_is_pushed_and_its_artifact_tells_where(image: ImageBench, registry: ImageRegistry) -> None:
    published = image.write("hello", "hi").executed(tags=["dev"])
    digest = registry.digest(image.name, "dev")
    tag = image.tag(tags=["dev"])
    assert published == {
        "apiVersion": "artifacts.gitops.nyl/v1",
        "kind": "ContainerImage",
        "repository": image.repository,
        "digest": digest,
        "reference": f"{image.repository}@{digest}",
        "platforms": ["linux/amd64"],
        "platformDigests": {"linux/amd64": digest},
        "tags": [tag, "dev"],
    }
    assert registry.digest(image.name, tag) == digest


def test_several_platforms_become_one_index_which_is_not_pushed_again(
    front: RegistryFront, image_at: Callable[[str], ImageBench], registry: ImageRegistry
) -> None:
    image, platforms = image_at(front.host), ["linux/amd64", "linux/arm64"]
    front.immutable = True
    published = image.executed(platforms=platforms)
    index = registry.manifest(image.name, published["digest"])
    assert {each["platform"]["architecture"]: each["digest"] for each in index["manifests"]} == {
        "amd64": published["platformDigests"]["linux/amd64"],
        "arm64": published["platformDigests"]["linux/arm64"],
    }
    assert published["platforms"] == platforms
    front.seen.clear()
    assert image.executed(platforms=platforms) == published
    assert front.pushes() == []


def test_a_verification_finds_an_image_that_was_deleted_and_a_build_gives_the_same_digest(
    image: ImageBench, registry: ImageRegistry
) -> None:
    published = image.write("a/b", "x").executed()
    assert image.verify(published) == Verified(False)
    (image.folder / "context/a/b").chmod(0o600)
    registry.delete(image.name, published["digest"])
    assert image.verify(published) == Verified(
        True, f"the registry does not hold {image.repository}@{published['digest']} any more"
    )
    assert image.executed(receipt(published))["digest"] == published["digest"]
