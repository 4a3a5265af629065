"""Builders for what a catalog is made of."""

from dataclasses import replace
from typing import Any

from nyl.core.diagnostics import Location
from nyl.kubernetes.catalog.context import CatalogContext
from nyl.kubernetes.resources import (
    ApplicationDeletionPolicy,
    ApplicationGroup,
    ArgoCDInstance,
    Cluster,
    DeploymentTarget,
    Destination,
    GroupSource,
    NamespacePolicy,
    Publication,
    ReleaseCustomization,
    ReleaseDocument,
)


def cluster(name: str = "shared", destination: Destination | None = None) -> Cluster:
    server = destination or Destination(server=f"https://{name}.example.com")
    return Cluster(name, server, None, (), {}, None, {}, Location("clusters.yaml", 1))


def target(name: str = "staging", prefix: str = "staging", **catalog: Any) -> DeploymentTarget:
    publication = Publication(None, "deploy", prefix)
    return DeploymentTarget(
        name, {}, "shared", {}, {}, publication, catalog, None, {}, {"metadata": {"name": name}}, Location("t.yaml", 3)
    )


def argocd(**defaults: Any) -> ArgoCDInstance:
    return ArgoCDInstance("central", "argocd", "management", defaults, Location("argocd.yaml", 1))


def context(**changes: Any) -> CatalogContext:
    base = CatalogContext(
        target(), cluster(), argocd(), cluster("management"), "https://git.example.com/deploy", {}, {}
    )
    return replace(base, **changes)


def group(name: str = "platform", **changes: Any) -> ApplicationGroup:
    base = ApplicationGroup(
        name=name,
        labels={},
        enabled=True,
        project_ref=None,
        project_template=None,
        application_namespace=None,
        destination_namespace=None,
        output_path=name,
        application_name_template=None,
        application_labels={},
        application_annotations={},
        source=GroupSource(f"applications/{name}", (), (), True),
        sync_policy={},
        deletion_policy=ApplicationDeletionPolicy.FOREGROUND,
        namespace=NamespacePolicy(),
        shared_namespaces={},
        customization=ReleaseCustomization(),
        location=Location(f"{name}.yaml", 2),
    )
    return replace(base, **changes)


def release(name: str = "web", namespace: str | None = "web") -> ReleaseDocument:
    document = {"metadata": {"name": name, "namespace": namespace, "labels": {"team": "a"}}}
    return ReleaseDocument(name, namespace, {}, Location(f"apps/{name}.yaml", 4), 0, document)
