"""Clusters, targets, Argo CD instances and projects, from documents that were checked with their schemas.

Follows Resources in the Kubernetes specification. These resources are static: nothing in them is a template.
"""

from collections.abc import Mapping
from typing import Any

from nyl.core.codes import Code
from nyl.core.diagnostics import Location, NylError
from nyl.kubernetes.resources import (
    AppProjectDefinition,
    ArgoCDInstance,
    Cluster,
    DeploymentTarget,
    Destination,
    ProjectManagement,
    Publication,
)
from nyl.project.repositories import resolve_repository
from nyl.project.resources import GitRepository

_Document = Mapping[str, Any]
_FORBIDDEN = (".git", ".github")
"""Folders of a branch that mean something to Git and to its host."""


def cluster(document: _Document, location: Location) -> Cluster:
    """A Cluster."""
    spec = document["spec"]
    kubernetes = spec.get("kubernetes", {})
    return Cluster(
        name=document["metadata"]["name"],
        destination=Destination(spec["destination"].get("server"), spec["destination"].get("name")),
        kube_version=kubernetes.get("kubeVersion"),
        api_versions=tuple(kubernetes.get("apiVersions", ())),
        values=spec.get("values", {}),
        context=spec.get("live", {}).get("context"),
        document=_without(document, "live"),
        location=location,
    )


def deployment_target(
    document: _Document, location: Location, repositories: Mapping[str, GitRepository]
) -> DeploymentTarget:
    """A DeploymentTarget. Raises NYL-REPOSITORY-UNKNOWN, NYL-URL-REFUSED for a repository or branch that is refused,
    and NYL-PATH-REFUSED for a prefix that is no folder of a branch, or `.git` or `.github` or below them."""
    metadata, spec = document["metadata"], document["spec"]
    name = metadata["name"]
    return DeploymentTarget(
        name=name,
        labels=metadata.get("labels", {}),
        cluster=spec.get("clusterRef", metadata)["name"],
        match_labels=spec.get("applicationGroupSelector", {}).get("matchLabels", {}),
        values=spec.get("values", {}),
        publication=_publication(name, spec["publication"], location, repositories),
        catalog=spec.get("catalogApplication", {}),
        argocd=spec["argocdRef"]["name"] if "argocdRef" in spec else None,
        release_inputs=spec.get("releaseInputs", {}),
        document=_without(document, "releaseInputs"),
        location=location,
    )


def argocd_instance(document: _Document, location: Location) -> ArgoCDInstance:
    """An ArgoCDInstance."""
    spec = document.get("spec") or {}
    return ArgoCDInstance(
        name=document["metadata"]["name"],
        namespace=spec.get("namespace", "argocd"),
        cluster=spec["clusterRef"]["name"] if "clusterRef" in spec else None,
        catalog_defaults=spec.get("catalogApplicationDefaults", {}),
        location=location,
    )


def app_project(document: _Document, location: Location) -> AppProjectDefinition:
    """An AppProjectDefinition."""
    spec = document["spec"]
    management = ProjectManagement(spec.get("management", "Rendered"))
    return AppProjectDefinition(document["metadata"]["name"], management, spec.get("manifest", {}), location)


def publication_prefix(path: str, location: Location) -> str:
    """A folder of a branch that may be published to, without slashes at its ends; '' is the root.

    Raises NYL-PATH-REFUSED.
    """
    parts = [each for each in path.split("/") if each not in ("", ".")]
    if path.startswith("/") or ".." in parts or "\\" in path or any(ord(each) < 32 for each in path):
        raise _refused(path, "leaves the root of the branch, or holds what no path may hold", location)
    if any(each.casefold() == ".git" for each in parts) or (parts and parts[0].casefold() in _FORBIDDEN):
        raise _refused(path, "lies in a folder that Git or its host reads", location)
    return "/".join(parts)


def _publication(
    target: str, spec: _Document, location: Location, repositories: Mapping[str, GitRepository]
) -> Publication:
    return Publication(
        resolve_repository(spec, repositories, location),
        _branch(spec["revision"], location),
        publication_prefix(spec.get("pathPrefix", target), location),
    )


def _branch(revision: str, location: Location) -> str:
    from nyl.git.refs import check_ref_name, full_ref

    try:
        ref = full_ref(check_ref_name(revision))
    except NylError as error:
        raise error.at(location, "publication.revision") from None
    # Argo CD reads the default branch at HEAD, and Git makes no branch of that name.
    if not ref.startswith("refs/heads/") or ref == "refs/heads/HEAD":
        message = f"{location}: publication.revision is {revision}, which is no branch."
        raise NylError(Code.URL_REFUSED, message, "name a branch, such as `deploy`", location=location)
    return ref.removeprefix("refs/heads/")


def _refused(path: str, why: str, location: Location) -> NylError:
    message = f"{location}: the path prefix {path!r} of the publication {why}."
    fix = "give a folder below the root of the branch, such as `production`"
    return NylError(Code.PATH_REFUSED, message, fix, location=location)


def _without(document: _Document, field: str) -> _Document:
    """The document as templates see it."""
    spec = {key: value for key, value in document["spec"].items() if key != field}
    return {**document, "metadata": {"labels": {}, **document["metadata"]}, "spec": spec}
