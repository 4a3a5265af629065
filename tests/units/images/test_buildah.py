"""What buildah is asked for."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from nyl.units.images.buildah import build_options
from nyl.units.outcomes import FailureCategory
from tests.support.image_registry import ImageRegistry
from tests.units.images.bench import ImageBench, job
from tests.units.images.stub import with_buildah

BUILT = f"sha256:{'1' * 64}"
ALWAYS = "--force-rm --identity-label=false --timestamp 0 --ignorefile STAGED/build/Dockerfile.dockerignore "
FILES = ALWAYS + "--file STAGED/build/Dockerfile --iidfile ID"


@pytest.mark.parametrize(
    ("fields", "platform", "options"),
    [
        ({}, None, f"--no-cache {FILES}"),
        ({}, "linux/arm64", f"--no-cache {FILES} --platform linux/arm64"),
        ({"target": "run"}, None, f"--no-cache {FILES} --target run"),
        ({"buildArgs": {"B": "a=b c", "A": "$X"}}, None, f"--no-cache {FILES} --build-arg A=$X --build-arg B=a=b c"),
        ({"contexts": {"lib": {"path": "."}}}, None, f"--no-cache {FILES} --build-context lib=STAGED/1"),
        (
            {"cache": {"from": ["r/a"], "to": ["r/b"]}},
            None,
            f"--layers {FILES} --cache-from r/a --cache-to r/b",
        ),
    ],
)
def test_options(image: ImageBench, fields: Mapping[str, Any], platform: str | None, options: str) -> None:
    image.write("x", "", place="lib")
    with job(image, **fields) as made:
        text = " ".join(build_options(made, platform, Path("ID")))
        assert text.replace(f"{made.context.temporary}/image", "STAGED") == options


def test_storage_holds_nothing_more_afterwards(image: ImageBench) -> None:
    def held() -> list[bytes]:
        with job(image) as made:
            return [
                made.context.run(["buildah", each, "-a", "-q"], capture_stdout=True).stdout
                for each in ("images", "containers")
            ]

    before = held()
    image.executed()
    assert held() == before


def test_build_arguments_arrive_as_they_are(image: ImageBench, registry: ImageRegistry) -> None:
    image.write("Dockerfile", "FROM scratch\nARG A\nARG B\nLABEL a=$A b=$B\n")
    value = "two words, 'quotes' \"and\" $HOME `x` \\ = --help ü"
    published = image.executed(buildArgs={"A": value, "B": {"k": [1, None]}})
    labels = registry.config(image.name, published["digest"])["config"]["Labels"]
    assert labels == {"a": value, "b": '{"k": [1, null]}'}


@pytest.mark.parametrize("value", ["a\0b", "x" * 200_000])
def test_a_build_argument_that_no_program_can_be_given_is_a_failure(image: ImageBench, value: str) -> None:
    failed = image.failed(buildArgs={"A": value})
    assert failed.category is FailureCategory.START
    assert "buildah build could not be started" in failed.message


def test_stages_base_images_and_links_stay_inside_of_the_context(image: ImageBench, registry: ImageRegistry) -> None:
    image.write("Dockerfile", "FROM scratch AS one\nCOPY link /got\nFROM scratch AS two\nCOPY a /a\n").write("a", "x")
    (image.folder / "context/link").symlink_to("/etc/passwd")
    failed = image.failed(target="one")
    assert failed.message.startswith("buildah build ended with exit code ")
    published = image.executed(target="two")
    assert registry.files(image.name, published["digest"]) == {"a": b"x"}


def test_a_dockerfile_that_does_not_parse_fails_with_what_buildah_said(image: ImageBench) -> None:
    image.write("Dockerfile", "FROM scratch\nNONSENSE\n")
    failed = image.failed()
    assert (failed.category, failed.retryable) == (FailureCategory.EXECUTION, True)
    assert "NONSENSE" in failed.message


@pytest.mark.parametrize(
    ("built", "pushed", "told"),
    [
        ("", BUILT, "buildah build wrote no image id"),
        ("rubbish", BUILT, "buildah build wrote no image id"),
        (BUILT, "", "buildah push wrote no digest"),
        (BUILT, "sha256:1", "buildah push wrote no digest"),
    ],
)
def test_files_without_digests_are_no_success(image: ImageBench, built: str, pushed: str, told: str) -> None:
    with_buildah(image, built=built, pushed=pushed)
    failed = image.failed()
    assert (failed.category, failed.retryable, failed.message) == (FailureCategory.OUTPUTS, True, told)


def test_what_stays_in_the_storage_is_told(image: ImageBench, registry: ImageRegistry) -> None:
    with_buildah(image, built=BUILT, pushed=registry.put(image.name, "one"), removed=1)
    image.executed()
    assert image.context is not None
    (warning,) = image.context.warnings
    assert "stays in buildah's storage as localhost/nyl/build:" in warning.message
    assert "buildah rmi localhost/nyl/build:" in warning.fix
