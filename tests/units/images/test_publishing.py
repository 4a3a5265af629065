"""The driver against a real registry, with buildah."""

from nyl.units.outcomes import Verified
from tests.support.image_registry import ImageRegistry
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


def test_the_same_files_give_the_same_digest(image: ImageBench) -> None:
    image.write("a/b", "x")
    first = image.executed()
    (image.folder / "context/a/b").chmod(0o600)
    assert image.executed() == first


def test_several_platforms_become_one_index(image: ImageBench, registry: ImageRegistry) -> None:
    published = image.executed(platforms=["linux/amd64", "linux/arm64"])
    index = registry.manifest(image.name, published["digest"])
    assert {each["platform"]["architecture"]: each["digest"] for each in index["manifests"]} == {
        "amd64": published["platformDigests"]["linux/amd64"],
        "arm64": published["platformDigests"]["linux/arm64"],
    }
    assert published["platforms"] == ["linux/amd64", "linux/arm64"]


def test_a_verification_finds_an_image_that_was_deleted(image: ImageBench, registry: ImageRegistry) -> None:
    published = image.executed()
    assert image.verify(published) == Verified(False)
    registry.delete(image.name, published["digest"])
    assert image.verify(published) == Verified(
        True, f"the registry does not hold {image.repository}@{published['digest']} any more"
    )
    assert image.executed(receipt(published))["digest"] == published["digest"]
