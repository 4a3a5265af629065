"""Whether targets of one Argo CD agree on its AppProjects.

Follows Catalog in the Kubernetes specification: one name with two contents is an error, whichever catalogs it is in.
"""

from collections.abc import Iterable, Iterator

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError, Problems
from nyl.kubernetes.catalog.context import CatalogContext
from nyl.kubernetes.catalog.projects import app_project
from nyl.kubernetes.declarations import Declarations
from nyl.kubernetes.manifests import Manifest
from nyl.kubernetes.resources import ApplicationGroup
from nyl.kubernetes.targets import EffectiveTarget


@dataclass(frozen=True)
class TargetProject:
    """An AppProject in the catalog of a target."""

    target: str
    argocd_cluster: str
    manifest: Manifest


def target_projects(
    declarations: Declarations,
    target: EffectiveTarget,
    groups: Iterable[ApplicationGroup],
    own_url: str | None,
    problems: Problems,
) -> Iterator[TargetProject]:
    """The AppProjects that some groups bring into a target's catalog. What is wrong with one is added."""
    repository = target.target.publication.repository
    context = CatalogContext(
        target=target.target,
        cluster=target.cluster,
        argocd=target.argocd,
        argocd_cluster=declarations.clusters[target.argocd_cluster],
        repository=repository.url if repository else own_url or "",
        values=target.values,
        projects=declarations.projects,
    )
    for group in groups:
        try:
            found = app_project(context, group)
        except NylError as error:
            problems.add(error)
            continue
        if found is not None:
            yield TargetProject(target.name, target.argocd_cluster, found)


def conflicting_projects(projects: Iterable[TargetProject]) -> Iterator[NylError]:
    """NYL-CATALOG-CONFLICT for each AppProject that the catalogs of two targets have with different contents."""
    first: dict[tuple[str, str], TargetProject] = {}
    for each in projects:
        known = first.setdefault((each.argocd_cluster, str(each.manifest.identity)), each)
        if known.target == each.target or known.manifest.value == each.manifest.value:
            continue
        place = each.manifest.location
        yield NylError(
            Code.CATALOG_CONFLICT,
            f"{place}: {each.manifest.identity} would be in the catalogs of DeploymentTargets {known.target} "
            f"({known.manifest.location}) and {each.target} with different contents, in the Argo CD of Cluster "
            f"{each.argocd_cluster}.",
            'tell them apart, such as by `projectTemplate: {name: "{{ target.metadata.name }}-'
            f'{each.manifest.value["metadata"]["name"]}"}}` in the ApplicationGroup',
            location=place,
        )
