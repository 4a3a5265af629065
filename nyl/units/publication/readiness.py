"""What a target's settings must be for a teardown of its publication to complete. Pure.

Follows Publication teardown waits of the page Deletion and holds: this is checked before a teardown starts.
"""

from collections.abc import Iterator

from nyl.core.dataclass import dataclass
from nyl.kubernetes.catalog.applications import catalog_name, catalog_prunes
from nyl.kubernetes.declarations import Declarations
from nyl.kubernetes.resources import ApplicationDeletionPolicy
from nyl.kubernetes.target_plan import TargetPlan
from nyl.units.publication.waiting import WaitPolicy, WaitStrategy


@dataclass(frozen=True)
class TeardownSettings:
    """What decides whether Argo CD removes the workloads of a target, and whether nyl can see that."""

    target: str
    orphaning: tuple[str, ...] = ()
    """Enabled ApplicationGroups whose Applications leave their workloads behind."""
    has_catalog: bool = True
    prunes: bool = True
    """Whether the catalog Application removes Applications that leave the catalog."""
    argocd_cluster: str = ""
    context: str | None = None
    """The kubeconfig context of that Cluster."""


def teardown_settings(plan: TargetPlan, declarations: Declarations) -> TeardownSettings:
    """The settings of a target whose groups are rendered."""
    effective = plan.target
    target, argocd = effective.target, effective.argocd
    orphan = ApplicationDeletionPolicy.ORPHAN
    return TeardownSettings(
        target.name,
        tuple(sorted(name for name, group in plan.groups.items() if group.deletion_policy is orphan)),
        catalog_name(target, argocd) is not None,
        catalog_prunes(target, argocd),
        effective.argocd_cluster,
        declarations.clusters[effective.argocd_cluster].context,
    )


def unmet_requirements(settings: TeardownSettings, policy: WaitPolicy) -> tuple[str, ...]:
    """What keeps a teardown from completing, one sentence each without a full stop; empty where nothing does."""
    return tuple(_unmet(settings, policy))


def _unmet(settings: TeardownSettings, policy: WaitPolicy) -> Iterator[str]:
    for group in settings.orphaning:
        yield f"applicationDeletionPolicy of ApplicationGroup {group} is Orphan, so that its workloads would stay"
    if settings.has_catalog and not settings.prunes:
        yield (
            f"the catalog Application of DeploymentTarget {settings.target} has no syncPolicy.automated.prune, so that "
            "it would keep the Applications that leave the catalog"
        )
    if policy.strategy is WaitStrategy.DELAY and not settings.has_catalog:
        yield (
            f"teardownWait lets time pass, but DeploymentTarget {settings.target} has no catalog Application that "
            "would remove its Applications meanwhile"
        )
    if policy.strategy is WaitStrategy.OBSERVE and settings.context is None:
        yield f"teardownWait observes Argo CD, but Cluster {settings.argocd_cluster} has no live.context to look with"
