"""Applications: one a Release, one a Namespace with an owner of its own, and the parent of them all."""

from collections.abc import Mapping
from typing import Any

from nyl.kubernetes.catalog.context import CatalogContext, destination, synthesized
from nyl.kubernetes.catalog.names import checked_name
from nyl.kubernetes.catalog.projects import project_name
from nyl.kubernetes.catalog.sync_options import finalizers, policy_options, sync_policy, with_options
from nyl.kubernetes.layout import CATALOG_FOLDER, dedicated_folder, release_folder
from nyl.kubernetes.manifests import Manifest
from nyl.kubernetes.resources import (
    ApplicationDeletionPolicy,
    ApplicationGroup,
    ArgoCDInstance,
    DeploymentTarget,
    ReleaseDocument,
    ResourcePolicy,
)

_AUTOMATED = {"automated": {"prune": True, "selfHeal": True}}


def application(
    context: CatalogContext, group: ApplicationGroup, release: ReleaseDocument, name: str, namespace: str
) -> Manifest:
    """The Application of a Release, before the Release's own override.

    `name` is what `ApplicationNames` says, `namespace` the one its objects go to. It syncs the folder of the Release
    with every folder in it ("File paths").
    """
    folder = release_folder(group.output_path, release.name)
    origin = f"Release {group.name}/{release.name}"
    metadata, spec = _of_group(context, group, name, folder, namespace)
    return synthesized("Application", metadata, spec, origin, release.location)


def namespace_application(context: CatalogContext, group: ApplicationGroup, namespace: str) -> Manifest:
    """The Application of a Namespace that no Release owns, by the policies of the group that declares it.

    ("Namespaces", owner `Dedicated`.) Raises NylError (NYL-RESOURCE-INVALID) for a name that Kubernetes refuses.
    """
    what = f"the Application of Namespace {namespace}"
    name = checked_name(f"{context.target.name}-namespace-{namespace}", what, group.location)
    metadata, spec = _of_group(context, group, name, dedicated_folder(namespace), namespace)
    return synthesized("Application", metadata, spec, f"Namespace {namespace}", group.location)


def catalog_application(context: CatalogContext) -> Manifest | None:
    """The parent Application, which syncs the catalog and so itself; None where the target has none ("Catalog").

    The target's settings go before those of its instance, key by key; labels and annotations are merged. Raises
    NylError (NYL-RESOURCE-INVALID) for a name that Kubernetes refuses.
    """
    target, argocd = context.target, context.argocd
    settings = {**argocd.catalog_defaults, **target.catalog}
    name = catalog_name(target, argocd)
    if name is None:
        return None
    own_policy = ResourcePolicy(settings.get("selfPrunePolicy", ResourcePolicy.CONFIRM))
    deletion = ApplicationDeletionPolicy(
        settings.get("applicationDeletionPolicy", ApplicationDeletionPolicy.FOREGROUND)
    )
    metadata = {
        "name": checked_name(name, f"the catalog Application of DeploymentTarget {target.name}", target.location),
        "namespace": argocd.namespace,
        "labels": _both("labels", argocd.catalog_defaults, target.catalog),
        "annotations": with_options(
            _both("annotations", argocd.catalog_defaults, target.catalog), policy_options(Prune=own_policy)
        ),
        "finalizers": finalizers(deletion),
    }
    spec = {
        "project": settings.get("project") or "default",
        "source": context.published(CATALOG_FOLDER),
        "destination": {**destination(context.argocd_cluster.destination), "namespace": argocd.namespace},
        "syncPolicy": sync_policy(settings.get("syncPolicy", _AUTOMATED) or {}),
    }
    return synthesized("Application", metadata, spec, f"the catalog of DeploymentTarget {target.name}", target.location)


def catalog_name(target: DeploymentTarget, argocd: ArgoCDInstance) -> str | None:
    """The name of a target's catalog Application; None where the target has none."""
    settings = {**argocd.catalog_defaults, **target.catalog}
    return str(settings.get("name") or f"{target.name}-catalog") if settings.get("enabled", True) else None


def catalog_prunes(target: DeploymentTarget, argocd: ArgoCDInstance) -> bool:
    """Whether a target's catalog Application removes by itself what leaves the catalog; False where there is none."""
    settings = {**argocd.catalog_defaults, **target.catalog}
    automated = (settings.get("syncPolicy", _AUTOMATED) or {}).get("automated") or {}
    return bool(settings.get("enabled", True) and automated.get("prune") and automated.get("enabled", True))


def _of_group(
    context: CatalogContext, group: ApplicationGroup, name: str, folder: str, namespace: str
) -> tuple[dict[str, Any], dict[str, Any]]:
    metadata = {
        "name": name,
        "namespace": group.application_namespace or context.argocd.namespace,
        "labels": dict(group.application_labels),
        "annotations": dict(group.application_annotations),
        "finalizers": finalizers(group.deletion_policy),
    }
    spec = {
        "project": project_name(context, group),
        "source": context.published(folder),
        "destination": {**destination(context.cluster.destination), "namespace": namespace},
        "syncPolicy": sync_policy(group.sync_policy),
    }
    return metadata, spec


def _both(field: str, defaults: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, str]:
    return {**(defaults.get(field) or {}), **(own.get(field) or {})}
