"""Which specs there are, and what they read."""

from collections.abc import Mapping
from typing import Any

import pytest

from nyl.core.diagnostics import NylError
from nyl.core.schemas import Validator
from nyl.units.driver import Capability, RecoveryPolicy
from nyl.units.images.driver import OciImageDriver
from nyl.units.images.schema import SCHEMA
from nyl.units.images.spec import image_spec
from nyl.units.inputs import InputFiles, SourceField

BARE: Mapping[str, Any] = {"context": {"path": "web"}, "repository": "registry.example.com/web"}
DRIVER = OciImageDriver()
LOGIN = {"usernameSecret": "u", "passwordSecret": "p"}


def problems(**fields: Any) -> list[str]:
    return [each.pointer for each in Validator({**SCHEMA, "additionalProperties": False}).problems({**BARE, **fields})]


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"context": {"path": ".", "revision": "main", "commit": "a" * 40, "repositoryRef": {"name": "lib"}}},
        {"contexts": {"shared": {"path": "x"}, "docker.io/library/alpine:3": {"path": "y"}}},
        *(
            {"repository": each}
            for each in (
                "localhost/web",
                "localhost:5000/web",
                "127.0.0.1:5000/a/b",
                "registry:5000/web",
                "ghcr.io/acme/web-1.2_3__x",
                "docker.io/library/web",
            )
        ),
        {"platforms": ["linux/amd64", "linux/arm/v7"]},
        {"tags": ["v1.2_3-x", "{}".format("a" * 128)]},
        {"builder": {}},
        {"builder": {"tool": "buildah"}},
        {"cache": {"from": ["type=gha"], "to": []}},
        {"registryAuth": {"registry.example.com": LOGIN, "localhost:5000": LOGIN}},
        {"buildArgs": {"A_1": None, "b": {"any": ["thing"]}}, "moveTags": True, "target": "run", "dockerfile": "a/b"},
    ],
)
def test_specs_that_are_taken(fields: dict[str, Any]) -> None:
    assert problems(**fields) == []


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"context": "web"}, "/context"),
        ({"context": {}}, "/context"),
        ({"context": {"path": "x", "repository": {"repoURL": "u"}}}, "/context"),
        ({"contexts": {"Big": {"path": "x"}}}, "/contexts"),
        ({"contexts": {"a=b": {"path": "x"}}}, "/contexts"),
        *(
            ({"repository": each}, "/repository")
            for each in (
                "web",
                "acme/web",
                "registry.example.com",
                "https://registry.example.com/web",
                "registry.example.com/Web",
                "registry.example.com/web:latest",
                "registry.example.com/web@sha256:1",
                "registry.example.com/../web",
                "registry.example.com/web\n",
                "user:password@registry.example.com/web",
            )
        ),
        ({"platforms": []}, "/platforms"),
        ({"platforms": ["linux"]}, "/platforms/0"),
        ({"platforms": ["linux/amd64,linux/arm64"]}, "/platforms/0"),
        ({"platforms": ["linux/amd64", "linux/amd64"]}, "/platforms"),
        ({"tags": ["a b"]}, "/tags/0"),
        ({"tags": ["-x"]}, "/tags/0"),
        ({"tags": ["a\n"]}, "/tags/0"),
        ({"tags": ["nyl-0123456789abcdef"]}, "/tags/0"),
        ({"tags": ["a" * 129]}, "/tags/0"),
        ({"tags": ["a", "a"]}, "/tags"),
        ({"target": "--help"}, "/target"),
        ({"builder": {"tool": "kaniko"}}, "/builder/tool"),
        ({"builder": {"Tool": "buildah"}}, "/builder"),
        ({"cache": ["x"]}, "/cache"),
        ({"buildArgs": {"A B": "x"}}, "/buildArgs"),
        ({"buildArgs": {"A=B": "x"}}, "/buildArgs"),
        ({"registryAuth": {}}, "/registryAuth"),
        ({"registryAuth": {"https://registry.example.com": LOGIN}}, "/registryAuth"),
        ({"registryAuth": {"registry.example.com": {"usernameSecret": "u"}}}, "/registryAuth/registry.example.com"),
        ({"dockerfile": ""}, "/dockerfile"),
        ({"secret": "x"}, ""),
    ],
)
def test_specs_that_are_refused(fields: dict[str, Any], pointer: str) -> None:
    assert any(each.startswith(pointer) for each in problems(**fields))


@pytest.mark.parametrize("path", ["../Dockerfile", "/Dockerfile", "a/../../Dockerfile", "..", "/etc/passwd"])
def test_a_dockerfile_outside_of_the_context_is_refused(path: str) -> None:
    with pytest.raises(NylError, match="outside of the image's context"):
        DRIVER.inputs({**BARE, "dockerfile": path})


def test_everything_that_is_built_from_is_read_and_nothing_else() -> None:
    inputs = DRIVER.inputs(
        {
            **BARE,
            "dockerfile": "docker/./Main",
            "contexts": {"a/b": {"path": "/lib", "revision": "main", "repositoryRef": {"name": "lib"}}},
            "buildArgs": {"A": {"fromUnit": {"unit": "x", "output": "y"}}},
        }
    )
    assert inputs.private
    assert inputs.afterwards.sources == inputs.afterwards.files == ()
    assert inputs.sources == (
        SourceField("/context", "web"),
        SourceField("/contexts/a~1b", "/lib", repository_ref="lib", revision="main"),
    )
    assert inputs.files == (
        InputFiles(
            ("web",),
            "/context",
            (
                "web/docker/Main.containerignore",
                "web/docker/Main.dockerignore",
                "web/.containerignore",
                "web/.dockerignore",
            ),
        ),
        InputFiles(("/lib",), "/contexts/a~1b", ("/lib/.containerignore", "/lib/.dockerignore")),
        InputFiles(("web/docker/Main",), "/context"),
    )


def test_defaults() -> None:
    spec = image_spec(BARE)
    assert (spec.tool, spec.dockerfile, spec.platforms, spec.tags, spec.logins) == (
        "buildx",
        "Dockerfile",
        (),
        (),
        None,
    )


def test_what_the_kind_promises() -> None:
    assert DRIVER.neutral_fields == ("builder", "cache", "moveTags")
    assert DRIVER.reference_fields == ("/buildArgs",)
    assert DRIVER.capabilities(BARE) == {Capability.VERIFY}
    assert DRIVER.recovery(BARE) is RecoveryPolicy.CONVERGE
    assert DRIVER.secrets({**BARE, "registryAuth": {"a.example": LOGIN, "b.example": LOGIN}}) == ("u", "p")
    assert DRIVER.secrets(BARE) == ()
