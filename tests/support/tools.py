"""The real tools that tests start, and the environment that keeps them off the network.

A test that needs a tool that is not on PATH is skipped, and fails where CI=true.
"""

import os
import shutil
from pathlib import Path
from typing import NoReturn

import pytest

_MACHINE = "`scripts/tools --system` installs it where apt-get may"
_NO_SETTINGS = Path(__file__).with_name("empty.tfrc")

TERRAFORM_ENVIRONMENT = {"CHECKPOINT_DISABLE": "1", "TF_CLI_CONFIG_FILE": str(_NO_SETTINGS)}
"""Variables that keep terraform from asking for its newest version, and from the settings of who runs the tests."""


def terraform() -> Path:
    """The program `terraform`."""
    return tool("terraform", "see https://developer.hashicorp.com/terraform/install")


def buildah() -> Path:
    """The program `buildah`."""
    return tool("buildah", _MACHINE)


def skopeo() -> Path:
    """The program `skopeo`."""
    return tool("skopeo", _MACHINE)


def docker_registry() -> Path:
    """The program of a registry of images: `docker-registry serve CONFIGURATION`."""
    return tool("docker-registry", _MACHINE)


def tool(program: str, hint: str) -> Path:
    """A program on PATH. `hint` says how it is had."""
    found = shutil.which(program)
    if found is None:
        missing(f"{program} is not installed; {hint}")
    return Path(found)


def missing(reason: str) -> NoReturn:
    """Ends the test that needs what is missing."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)
