"""Environments that publish a target: a world of a tree, and the units around it."""

from typing import Any

import yaml

from tests.support.tree_worlds import TreeWorld
from tests.support.world import World

IMAGE = "registry.example.com/web@sha256:4f0c"
INDEX = "_nyl/index.json"


class PublicationWorld(TreeWorld):
    """The target `prod`, published by unit `kubernetes` of `dev`: its ConfigMap has what unit `image` gives."""

    def _write(self) -> None:
        super()._write()
        self.environment("dev").with_image().image().publication()
        self.reads({"unit": "image", "output": "reference"})

    def image(self, reference: str = IMAGE, **spec: Any) -> "PublicationWorld":
        """Declares the unit that gives the image."""
        self.unit("image", writes={"reference": reference}, **spec)
        return self

    def publication(self, name: str = "kubernetes", target: str = "prod", **spec: Any) -> "PublicationWorld":
        """Declares a unit that publishes a target."""
        document = {
            "apiVersion": "units.gitops.nyl/v1",
            "kind": "KubernetesPublication",
            "metadata": {"name": name},
            "spec": {"target": target, **spec},
        }
        self.write(f"units/{name}.yaml", yaml.safe_dump(document, sort_keys=False))
        return self

    def reads(self, reference: dict[str, str], name: str = "image") -> "PublicationWorld":
        """Binds an input of the Release to a unit."""
        self.bind(
            f"{{platform/web: {{{name}: {{fromUnit: {yaml.safe_dump(reference, default_flow_style=True).strip()}}}}}}}"
        )
        return self

    def receipt(self, unit: str = "kubernetes", environment: str = "dev") -> Any:
        """What is observed of a unit."""
        return self.stored(f"observed/units/{unit}.yaml", environment=environment)

    def desired(self, unit: str = "kubernetes", environment: str = "dev") -> Any:
        """What is desired of a unit."""
        return self.stored(f"desired/units/{unit}.yaml", "desired", environment)

    def artifact(self, unit: str = "kubernetes", environment: str = "dev") -> Any:
        """The artifact `tree` of a unit's receipt."""
        return yaml.safe_load(self.nyl("get", "artifact", f"{unit}/tree", "-e", environment).stdout)


def published(world: World) -> World:
    """A publication that was reconciled once."""
    PublicationWorld(world.tmp).initialise().reconcile()
    return world
