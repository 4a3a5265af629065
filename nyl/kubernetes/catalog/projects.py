"""AppProjects: those that groups describe, and those that are defined on their own."""

from collections.abc import Iterable, Mapping
from typing import Any

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.kubernetes.catalog.context import API_VERSION, CatalogContext, destination, synthesized
from nyl.kubernetes.manifests import Manifest
from nyl.kubernetes.resources import ApplicationGroup, AppProjectDefinition, ProjectManagement, ProjectTemplate

_NAMESPACES = {"group": "", "kind": "Namespace"}


def project_name(context: CatalogContext, group: ApplicationGroup) -> str:
    """The AppProject that a group's Applications belong to.

    Raises NylError (NYL-RESOURCE-INVALID) for a `projectRef` that names no AppProjectDefinition.
    """
    if group.project_template is not None:
        return group.project_template.name
    return _defined_name(_definition(context, group)) if group.project_ref is not None else "default"


def app_project(context: CatalogContext, group: ApplicationGroup) -> Manifest | None:
    """The AppProject that a group brings into the catalog; None for an external one and for Argo CD's own `default`.

    Raises NylError (NYL-RESOURCE-INVALID) for a template that allows no namespace at all, and for a definition that is
    no AppProject of the instance.
    """
    if group.project_template is not None:
        return _templated(context, group, group.project_template)
    if group.project_ref is None:
        return None
    definition = _definition(context, group)
    return _rendered(context, definition) if definition.management is ProjectManagement.RENDERED else None


def _templated(context: CatalogContext, group: ApplicationGroup, template: ProjectTemplate) -> Manifest:
    namespaces = _unique((*template.destination_namespaces, *filter(None, (group.destination_namespace,))))
    if not namespaces:
        raise NylError(
            Code.RESOURCE_INVALID,
            f"The projectTemplate of ApplicationGroup {group.name} allows no namespace, so that Argo CD would refuse "
            "all its Applications.",
            "set spec.projectTemplate.destinationNamespaces or spec.destinationNamespace",
            location=group.location,
        )
    cluster = destination(context.cluster.destination)
    created = (_NAMESPACES,) if group.namespace.create else ()
    spec: dict[str, Any] = {
        "sourceRepos": [context.repository],
        "sourceNamespaces": [group.application_namespace or context.argocd.namespace],
        "destinations": [{**cluster, "namespace": each} for each in namespaces],
        "clusterResourceWhitelist": _unique((*template.cluster_resource_whitelist, *created)),
    }
    if template.namespace_resource_whitelist is not None:
        spec["namespaceResourceWhitelist"] = list(template.namespace_resource_whitelist)
    metadata = {"name": template.name, "namespace": context.argocd.namespace}
    return synthesized("AppProject", metadata, spec, f"ApplicationGroup {group.name}", group.location)


def _rendered(context: CatalogContext, definition: AppProjectDefinition) -> Manifest:
    manifest = definition.manifest
    own, namespace = manifest.get("metadata") or {}, context.argocd.namespace
    expected = {"apiVersion": API_VERSION, "kind": "AppProject"}
    wrong = [
        f"its {field} is {manifest[field]}, not {value}"
        for field, value in expected.items()
        if manifest.get(field, value) != value
    ]
    if own.get("namespace", namespace) != namespace:
        wrong.append(f"its namespace is {own['namespace']}, and Argo CD's is {namespace}")
    if wrong:
        raise NylError(
            Code.RESOURCE_INVALID,
            f"The manifest of AppProjectDefinition {definition.name} is no AppProject of ArgoCDInstance "
            f"{context.argocd.name}: {', '.join(wrong)}.",
            "correct spec.manifest",
            location=definition.location,
        )
    metadata = {**own, "name": _defined_name(definition), "namespace": namespace}
    return synthesized(
        "AppProject",
        metadata,
        manifest.get("spec") or {},
        f"AppProjectDefinition {definition.name}",
        definition.location,
    )


def _definition(context: CatalogContext, group: ApplicationGroup) -> AppProjectDefinition:
    found = context.projects.get(group.project_ref or "")
    if found is None:
        raise NylError(
            Code.RESOURCE_INVALID,
            f"The projectRef {group.project_ref} of ApplicationGroup {group.name} names no AppProjectDefinition.",
            "add the AppProjectDefinition, or correct the reference",
            location=group.location,
        )
    return found


def _defined_name(definition: AppProjectDefinition) -> str:
    metadata: Mapping[str, Any] = definition.manifest.get("metadata") or {}
    return str(metadata.get("name") or definition.name)


def _unique(items: Iterable[Any]) -> list[Any]:
    found: list[Any] = []
    for each in items:
        if each not in found:
            found.append(each)
    return found
