"""The catalog of a planned target: its Applications, AppProjects, and the Application of the catalog itself.

Follows Catalog of the page Rendered Layout, and Catalog in the Kubernetes specification.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from typing import Any

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError, Problems
from nyl.git.own_place import ORIGIN
from nyl.git.urls import shared_url
from nyl.kubernetes.catalog.applications import application, catalog_application, namespace_application
from nyl.kubernetes.catalog.collection import unique_objects
from nyl.kubernetes.catalog.context import CatalogContext
from nyl.kubernetes.catalog.names import ApplicationNames
from nyl.kubernetes.catalog.overrides import customized
from nyl.kubernetes.catalog.projects import app_project
from nyl.kubernetes.group_releases import GroupRelease
from nyl.kubernetes.manifests import Manifest
from nyl.kubernetes.namespaces import ManagedNamespace
from nyl.kubernetes.resources import ReleaseAddress
from nyl.kubernetes.target_plan import TargetPlan

_Overrides = Mapping[ReleaseAddress, Mapping[str, Any]]


def catalog_objects(
    plan: TargetPlan, overrides: _Overrides, managed: Collection[ManagedNamespace], problems: Problems
) -> list[Manifest]:
    """The objects of a target's catalog. `overrides` are the `applicationOverride` of its Releases.

    Adds what is wrong with any of them: NYL-OVERRIDE-REFUSED, NYL-CATALOG-CONFLICT, NYL-TEMPLATE-INVALID and others.
    """
    try:
        context = catalog_context(plan)
    except NylError as error:
        problems.add(error)
        return []
    found = []
    for make in _makers(plan, context, overrides, managed):
        try:
            made = make()
        except NylError as error:
            problems.add(error)
            continue
        if made is not None:
            found.append(made)
    objects, conflicts = unique_objects(found)
    for each in conflicts:
        problems.add(each)
    return objects


def catalog_context(plan: TargetPlan) -> CatalogContext:
    """What all objects of a target's catalog share. Raises NYL-REPOSITORY-UNKNOWN where the tree has no URL."""
    target, declarations = plan.target, plan.session.declarations
    return CatalogContext(
        target=target.target,
        cluster=target.cluster,
        argocd=target.argocd,
        argocd_cluster=declarations.clusters[target.argocd_cluster],
        repository=_repository_url(plan),
        values=target.values,
        projects=declarations.projects,
    )


def _makers(
    plan: TargetPlan, context: CatalogContext, overrides: _Overrides, managed: Collection[ManagedNamespace]
) -> Iterator[Callable[[], Manifest | None]]:
    names = ApplicationNames(plan.target.context)
    for group in plan.groups.values():
        yield partial(app_project, context, group)
    for address, release in plan.releases.items():
        yield partial(_application, context, names, release, overrides[address])
    for each in managed:
        if each.owner is None:
            yield partial(namespace_application, context, each.group, each.name)
    yield partial(catalog_application, context)


def _application(
    context: CatalogContext, names: ApplicationNames, release: GroupRelease, override: Mapping[str, Any]
) -> Manifest:
    group, document = release.group, release.document
    made = application(context, group, document, names.of(group, document), release.destination or "")
    return customized(made, override, group, document.location)


def _repository_url(plan: TargetPlan) -> str:
    publication = plan.target.target.publication
    if publication.repository is not None:
        return publication.repository.url
    own = plan.session.repository.remote_url(ORIGIN)
    if own is not None:
        return shared_url(own)
    place = plan.target.target.location
    raise NylError(
        Code.REPOSITORY_UNKNOWN,
        f"{place}: DeploymentTarget {plan.target.name} is published to the project's own repository, which has no "
        "remote named origin, so Argo CD cannot be told where to read the tree.",
        "declare a GitRepository and name it in publication.repositoryRef, or run `git remote add origin <url>`",
        location=place,
    )
