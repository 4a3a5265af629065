"""The command lines of buildx, which a recording stub holds: no engine runs here."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from nyl.units.images.buildx import build_options
from nyl.units.outcomes import Failed, FailureCategory, Succeeded
from tests.units.images.bench import ImageBench, job
from tests.units.images.stub import BUILDX, WRITE, with_stub


def recorded(folder: Path) -> list[list[str]]:
    """The command lines that the stub got."""
    return [each.split("\n") for each in (folder / "argv").read_text().removesuffix("\n--\n").split("\n--\n")]


@pytest.mark.parametrize(
    ("fields", "options"),
    [
        ({}, "--platform linux/amd64"),
        ({"platforms": ["linux/amd64", "linux/arm64/v8"]}, "--platform linux/amd64,linux/arm64/v8"),
        ({"target": "run"}, "--platform linux/amd64 --target run"),
        (
            {"buildArgs": {"B": "two words", "A": "", "N": 1, "O": {"k": [True]}}},
            '--platform linux/amd64 --build-arg A= --build-arg B=two words --build-arg N=1 --build-arg O={"k": [true]}',
        ),
        ({"contexts": {"shared": {"path": "."}}}, "--platform linux/amd64 --build-context shared=STAGED/1"),
        (
            {"cache": {"from": ["type=gha", "r/cache"], "to": ["type=gha,mode=max"]}},
            "--platform linux/amd64 --cache-from type=gha --cache-from r/cache --cache-to type=gha,mode=max",
        ),
    ],
)
def test_options(image: ImageBench, fields: Mapping[str, Any], options: str) -> None:
    image.write("x", "", place="shared")
    with job(image, **BUILDX, **fields) as made:
        folder = made.context.temporary
        text = " ".join(build_options(made, push=True))
        start = (
            "--progress plain --provenance=false --sbom=false "
            f"--file {folder}/image/build/Dockerfile --metadata-file {folder}/metadata.json "
        )
        end = f" --output type=image,name={made.reference},push=true,rewrite-timestamp=true"
        assert text.startswith(start)
        assert text.endswith(end)
        told = text.removeprefix(start).removesuffix(end).replace(f"{folder}/image", "STAGED")
        assert told.replace(" --build-arg SOURCE_DATE_EPOCH=0", "", 1) == options


def test_the_digest_is_that_of_the_metadata_file(image: ImageBench) -> None:
    there = image.executed(key="sha256:" + "1" * 64)
    folder = with_stub(image, "echo pushing sha256:0000; " + WRITE % there["digest"])
    outcome = image.execute(key="sha256:" + "2" * 64, tags=["dev"], **BUILDX)
    assert isinstance(outcome, Succeeded), outcome
    assert outcome.artifacts["image"]["digest"] == there["digest"]
    assert outcome.versions == {"buildx": "v0.19.0"}
    (argv,) = recorded(folder)
    assert argv[:2] == ["buildx", "build"]
    assert argv[-1].endswith("/image/0")
    environment = (folder / "environment").read_text()
    assert "SOURCE_DATE_EPOCH=0\n" in environment
    assert "DOCKER_CONFIG=" not in environment


def test_logins_are_docker_s_configuration_beside_the_users_plugins_and_builders(image: ImageBench) -> None:
    folder = with_stub(image, "exit 1")
    image.write("cli-plugins/docker-buildx", "", place=".docker").write("config.json", "{}", place=".docker")
    image.secrets = {"u": "alice", "p": "hunter22"}
    image.failed(registryAuth={image.host: {"usernameSecret": "u", "passwordSecret": "p"}}, **BUILDX)
    environment = dict(each.split("=", 1) for each in (folder / "environment").read_text().splitlines())
    assert environment["DOCKER_CONFIG"].endswith("/logins")
    assert environment["BUILDX_CONFIG"] == str(image.folder / ".docker/buildx")
    assert (folder / "config").read_text().split() == ["cli-plugins", "config.json"]


def test_a_push_that_is_refused_is_none_when_the_registry_has_that_image_already(image: ImageBench) -> None:
    key = "sha256:" + "1" * 64
    there = image.executed(key=key)
    refuse = 'case "$argv" in *push=true*) exit 1;; esac\n'
    folder = with_stub(image, refuse + WRITE % there["digest"])
    assert image.executed(key=key, **BUILDX)["digest"] == there["digest"]
    assert [any("push=true" in word for word in each) for each in recorded(folder)] == [True, False]


def test_a_failed_build_is_told_with_its_last_line(image: ImageBench) -> None:
    with_stub(image, "echo 'ERROR: no such stage' >&2; exit 17")
    assert image.failed(**BUILDX) == Failed(
        FailureCategory.EXECUTION, True, "docker buildx build ended with exit code 17: ERROR: no such stage"
    )


@pytest.mark.parametrize("text", ["", "not json", "[]", "{}", '{"containerimage.digest": "latest"}'])
def test_a_metadata_file_without_a_digest_is_no_success(image: ImageBench, text: str) -> None:
    with_stub(image, f'printf %s {shlex.quote(text)} > "$metadata"' if text else ":")
    assert image.failed(**BUILDX).category is FailureCategory.OUTPUTS


def test_docker_without_buildx_is_told(image: ImageBench) -> None:
    with_stub(image, "", version="exit 1")
    failed = image.failed(**BUILDX)
    assert (failed.category, failed.retryable) == (FailureCategory.START, True)
    assert "has no buildx" in failed.message


@pytest.mark.parametrize(("builder", "program"), [({}, "docker"), ({"tool": "buildah"}, "buildah")])
def test_a_builder_that_is_not_there_is_told(image: ImageBench, builder: dict[str, str], program: str) -> None:
    image.variables = {**image.variables, "PATH": "/nowhere"}
    failed = image.failed(builder=builder)
    assert (failed.category, failed.retryable) == (FailureCategory.START, True)
    assert failed.message.startswith(f"{program} is not on PATH")
