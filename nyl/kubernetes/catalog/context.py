"""What all objects of one target's catalog share."""

from collections.abc import Mapping
from typing import Any

from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Location
from nyl.kubernetes.manifests import Manifest
from nyl.kubernetes.resources import AppProjectDefinition, ArgoCDInstance, Cluster, DeploymentTarget, Destination

API_VERSION = "argoproj.io/v1alpha1"


@dataclass(frozen=True)
class CatalogContext:
    """A target with what its Applications are made of."""

    target: DeploymentTarget
    cluster: Cluster
    """The one that the target deploys to."""
    argocd: ArgoCDInstance
    argocd_cluster: Cluster
    """The one that Argo CD runs in, with the destination that Argo CD knows it by."""
    repository: str
    """The URL that Argo CD reads the published tree from."""
    values: Mapping[str, Any]
    """The target's values, those of its Cluster below them."""
    projects: Mapping[str, AppProjectDefinition]

    def published(self, folder: str) -> dict[str, Any]:
        """The source of an Application that syncs a folder of the published tree, and every folder in it."""
        publication = self.target.publication
        return {
            "repoURL": self.repository,
            "targetRevision": publication.revision,
            "path": "/".join(filter(None, (publication.prefix, folder))),
            "directory": {"recurse": True},
        }


def destination(cluster: Destination) -> dict[str, str]:
    """A cluster as Argo CD's resources name it."""
    return {"server": cluster.server} if cluster.server is not None else {"name": cluster.name or ""}


def synthesized(kind: str, metadata: Mapping[str, Any], spec: Mapping[str, Any], origin: str, at: Location) -> Manifest:
    """An object of Argo CD that says what it was made for ("Provenance comments"). Empty metadata is left out."""
    value = {
        "apiVersion": API_VERSION,
        "kind": kind,
        "metadata": {key: each for key, each in metadata.items() if each},
        "spec": spec,
    }
    return Manifest(value, (f"synthesized {kind} of {origin}",), at)
