"""The example of a whole platform in a world, with Terraform's states and the images of a registry beside the project.

Where these are is a value of the units, which must not change when a world is copied. So all worlds of a process name
the same places, and those of the world that was made last are what these lead to.
"""

import json
import shutil
from functools import cache
from pathlib import Path
from typing import Any

from tests.support.declarations import resource
from tests.support.image_registry import ImageRegistry, buildah_environment, started
from tests.support.kubernetes_tools import helm
from tests.support.repositories import kept
from tests.support.tools import TERRAFORM_ENVIRONMENT, terraform
from tests.support.world import World

EXAMPLE = Path(__file__).parents[2] / "examples/platform"
IMAGE = "shop/web"
"""The repository of the image in the registry."""


class PlatformWorld(World):
    """The platform: declared, pushed, and both environments initialised."""

    def __init__(self, tmp: Path) -> None:
        is_new = not (tmp / "work").exists()
        super().__init__(tmp, url="../origin.git")
        self.states = tmp / "states"
        self.registry = _registry()
        _lead(_states(), self.states)
        _lead(kept("platform-registry") / "storage", tmp / "images")
        self.environ |= TERRAFORM_ENVIRONMENT | buildah_environment()
        self.environ["PATH"] = f"{helm().parent}:{terraform().parent}:{self.environ['PATH']}"
        if is_new:
            self._declare()

    def _declare(self) -> None:
        shutil.copytree(EXAMPLE, self.root, dirs_exist_ok=True)
        (self.root / "run").unlink()
        here = {
            "stateDir": str(_states()),
            "registry": self.registry.address,
            "builderVariables": sorted(buildah_environment()),
        }
        selector = {"environmentSelector": {"matchLabels": {"platform": "shop"}}}
        group = resource("gitops.nyl/v1", "EnvironmentGroup", "place", {**selector, "defaults": {"values": here}})
        self.write("environments/place.yaml", group)
        self.initialise("dev", "prod")

    def change(self, path: str, old: str, new: str) -> "PlatformWorld":
        """Commits and pushes another text in a file."""
        text = (self.project / path).read_text()
        assert old in text
        self.write(path, text.replace(old, new))
        self.commit(f"Change {path}")
        return self

    def image(self, tag: str = "dev") -> str | None:
        """The digest of the image with a tag."""
        return self.registry.digest(IMAGE, tag)

    def resources(self, unit: str, environment: str = "dev") -> list[dict[str, Any]]:
        """What Terraform's state says that a unit has."""
        state = json.loads((self.states / environment / f"{unit}.tfstate").read_text())
        return [_values(each["attributes"]) for found in state["resources"] for each in found["instances"]]

    def published(self) -> str:
        """The newest commit of the deploy branch."""
        return self.refs()["refs/heads/deploy"]

    def deployed(self, path: str) -> str:
        """A file of the deploy branch."""
        return self.git("show", f"deploy:{path}", cwd=self.origin)

    def deployed_files(self, target: str = "dev") -> list[str]:
        """The files of a target on the deploy branch."""
        return self.git("ls-tree", "-r", "--name-only", "deploy", f"{target}/", cwd=self.origin).splitlines()


def platform(folder: Path) -> PlatformWorld:
    """The platform with nothing run yet."""
    return _copied(_declared(), folder)


def running_platform(folder: Path) -> PlatformWorld:
    """The platform after the first run of `dev`."""
    return _copied(_running(), folder)


def _values(attributes: dict[str, Any]) -> dict[str, Any]:
    """Attributes of terraform_data, of which Terraform keeps the types beside the values."""
    return {name: each["value"] if isinstance(each, dict) else each for name, each in attributes.items()}


def _states() -> Path:
    return kept("platform-states")


def _lead(link: Path, folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to(folder)


@cache
def _registry() -> ImageRegistry:
    return started(kept("platform-registry"))


def _copied(made: Path, folder: Path) -> PlatformWorld:
    shutil.copytree(made, folder, symlinks=True, dirs_exist_ok=True)
    world = PlatformWorld(folder)
    world.git("update-index", "-q", "--refresh", check=False)  # the files are others than those that Git looked at
    return world


@cache
def _declared() -> Path:
    folder = kept("platform")
    folder.mkdir()
    return PlatformWorld(folder).tmp


@cache
def _running() -> Path:
    world = _copied(_declared(), kept("running-platform"))
    world.reconcile()
    return world.tmp
