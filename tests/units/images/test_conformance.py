"""The suite that every driver must pass, on the kind OciImage with buildah and a real registry."""

import os
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

from nyl.units.conformance import (
    aftercare_problems,
    driver_problems,
    execution_problems,
    interruption_problems,
    secret_problems,
)
from nyl.units.driver import ResolvedUnit
from nyl.units.images.driver import OciImageDriver
from nyl.units.mishaps import Mishap
from tests.units.images.bench import ImageBench


def unit(image: ImageBench, **fields: Any) -> ResolvedUnit:
    return ResolvedUnit("dev", "web", "OciImage", image.spec(**fields), {}, timedelta(seconds=60))


def places(image: ImageBench) -> tuple[Path, Mapping[str, Path], Mapping[str, str]]:
    """The checkout, the context, and what buildah needs."""
    context = image.folder / "context"
    return context, {"/context": context}, {"PATH": os.environ["PATH"], "HOME": str(image.folder), **image.variables}


def test_it_keeps_its_promises(image: ImageBench) -> None:
    elsewhere = {"path": "lib", "repositoryRef": {"name": "shared"}, "revision": "main", "commit": "a" * 40}
    auth = {image.host: {"usernameSecret": "user", "passwordSecret": "password"}}
    specs = [
        image.spec(),
        image.spec(contexts={"shared": elsewhere}, dockerfile="build/Dockerfile", target="runtime"),
        image.spec(buildArgs={"A": "1", "B": "2"}, tags=["dev", "latest"], moveTags=True),
        image.spec(cache={"from": ["x"], "to": ["y"]}, registryAuth=auth, platforms=["linux/amd64", "linux/arm64"]),
    ]

    assert driver_problems(OciImageDriver(), specs) == ()


def test_it_looks_after_what_it_pushed(image: ImageBench) -> None:
    assert execution_problems(OciImageDriver(), unit(image), *places(image)) == ()
    assert aftercare_problems(OciImageDriver(), unit(image), *places(image)) == ()


def test_it_tells_the_truth_when_its_tools_are_killed(image: ImageBench) -> None:
    def tried(step: str, mishap: Mishap) -> bool:
        return mishap is Mishap.KILLED

    assert interruption_problems(OciImageDriver(), unit(image, tags=["dev"]), *places(image), tried) == ()


def test_it_keeps_its_secrets(image: ImageBench) -> None:
    auth = {image.host: {"usernameSecret": "user", "passwordSecret": "password"}}
    secrets = {"user": "the-user-of-all", "password": "correct-horse-battery"}
    context, checkouts, variables = places(image)
    declared = unit(image, registryAuth=auth)

    assert secret_problems(OciImageDriver(), declared, context, secrets, checkouts, variables) == ()
