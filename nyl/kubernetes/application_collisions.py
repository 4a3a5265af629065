"""Whether Applications of one project have one name in one Argo CD.

Follows Checks that protect users in the Kubernetes specification.
"""

from collections.abc import Iterable, Iterator

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Location, NylError, Problems
from nyl.kubernetes.catalog.applications import catalog_name
from nyl.kubernetes.catalog.names import ApplicationNames
from nyl.kubernetes.group_releases import GroupRelease
from nyl.kubernetes.targets import EffectiveTarget


@dataclass(frozen=True)
class NamedApplication:
    """An Application that a target makes, by what makes it one object in the cluster of its Argo CD."""

    cluster: str
    namespace: str
    name: str
    owner: str
    """What it is made for, such as `Release platform/web of DeploymentTarget prod`."""
    location: Location


def named_applications(
    target: EffectiveTarget, releases: Iterable[GroupRelease], problems: Problems
) -> Iterator[NamedApplication]:
    """The Applications of some Releases of a target, and that of its catalog. Names that are refused are problems."""
    names = ApplicationNames(target.context)
    home, namespace = target.argocd_cluster, target.argocd.namespace
    for release in releases:
        try:
            name = names.of(release.group, release.document)
        except NylError as error:
            problems.add(error)
            continue
        owner = f"Release {release.address} of DeploymentTarget {target.name}"
        place = release.document.location
        yield NamedApplication(home, release.group.application_namespace or namespace, name, owner, place)
    catalog = catalog_name(target.target, target.argocd)
    if catalog is not None:
        owner = f"the catalog of DeploymentTarget {target.name}"
        yield NamedApplication(home, namespace, catalog, owner, target.target.location)


def taken_names(applications: Iterable[NamedApplication]) -> Iterator[NylError]:
    """NYL-APPLICATION-TAKEN for each Application whose name another has in the same namespace and cluster."""
    first: dict[tuple[str, str, str], NamedApplication] = {}
    for each in applications:
        known = first.setdefault((each.cluster, each.namespace, each.name), each)
        if known is not each:
            yield NylError(
                Code.APPLICATION_TAKEN,
                f"{each.location}: the Application {each.namespace}/{each.name} of {each.owner} has the name of that "
                f"of {known.owner} ({known.location}), in the Argo CD of Cluster {each.cluster}.",
                "let `applicationNameTemplate` of an ApplicationGroup tell them apart, such as by "
                "`{{ target.metadata.name }}-{{ release.name }}`",
                location=each.location,
            )
