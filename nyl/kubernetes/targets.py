"""Targets with the Cluster and the Argo CD that they refer to, and what templates see of them.

Follows DeploymentTarget and ArgoCDInstance in the Kubernetes specification.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.core.suggestions import suggest
from nyl.kubernetes.declarations import Declarations
from nyl.kubernetes.resources import ArgoCDInstance, Cluster, DeploymentTarget, GroupDocument
from nyl.project.merge import deep_merge
from nyl.project.templates import Templates

VALUES_PLACE = "`values` of the DeploymentTarget or its Cluster"
"""Where a name that templates miss is to be defined."""
NAMES = "`values`, `cluster` and `target`"

_IMPLICIT_NAMESPACE = "argocd"


@dataclass(frozen=True)
class EffectiveTarget:
    """A target with everything that it refers to."""

    target: DeploymentTarget
    cluster: Cluster
    argocd: ArgoCDInstance
    argocd_cluster: str
    """Name of the Cluster that the Argo CD runs in."""
    values: Mapping[str, Any]
    """Those of the target, laid deeply over those of its Cluster."""

    @property
    def name(self) -> str:
        """The target's name."""
        return self.target.name

    @cached_property
    def context(self) -> Mapping[str, Any]:
        """What templates see, `inputs` aside."""
        return {"values": self.values, "cluster": self.cluster.document, "target": self.target.document}

    @cached_property
    def templates(self) -> Templates:
        """Renders templates of specs for the target."""
        return Templates(self.context, values=VALUES_PLACE, names=NAMES)


def select_target(declarations: Declarations, name: str | None) -> EffectiveTarget:
    """The target of a name; without one the only target that there is.

    Raises NYL-TARGET-UNKNOWN, which lists the targets, and what `effective_target` raises.
    """
    targets = declarations.targets
    if name is None and len(targets) == 1:
        name = next(iter(targets))
    if name is not None and name in targets:
        return effective_target(declarations, targets[name])
    if not targets:
        message, fix = "The project has no DeploymentTarget.", "declare one; `nyl schema DeploymentTarget` says how"
    elif name is None:
        message = f"The project has several DeploymentTargets: {', '.join(sorted(targets))}."
        fix = "choose one with --target"
    else:
        message = f"The project has no DeploymentTarget {name}; it has {', '.join(sorted(targets))}."
        fix = suggest(name, targets, "DeploymentTarget")
    raise NylError(Code.TARGET_UNKNOWN, message, fix)


def effective_target(declarations: Declarations, target: DeploymentTarget) -> EffectiveTarget:
    """A target with what it refers to. Raises NYL-CLUSTER-UNKNOWN and NYL-ARGOCD-UNKNOWN."""
    cluster = _cluster(declarations, target, target.cluster, f"DeploymentTarget {target.name}")
    argocd = _argocd(declarations, target)
    home = target.cluster
    if argocd.cluster is not None:
        home = _cluster(declarations, argocd, argocd.cluster, f"ArgoCDInstance {argocd.name}").name
    return EffectiveTarget(target, cluster, argocd, home, deep_merge(cluster.values, target.values))


def selected_groups(declarations: Declarations, target: DeploymentTarget) -> tuple[GroupDocument, ...]:
    """The ApplicationGroups that a target selects, by name, whether they are enabled or not."""
    wanted = target.match_labels.items()
    found = (group for _, group in sorted(declarations.groups.items()))
    return tuple(group for group in found if all(group.labels.get(key) == value for key, value in wanted))


def _cluster(declarations: Declarations, owner: DeploymentTarget | ArgoCDInstance, name: str, subject: str) -> Cluster:
    if name in declarations.clusters:
        return declarations.clusters[name]
    where = f"{owner.location}: " if owner.location else ""
    raise NylError(
        Code.CLUSTER_UNKNOWN,
        f"{where}{subject} is of the Cluster {name}, which the project does not have.",
        suggest(name, declarations.clusters, "Cluster") if declarations.clusters else f"declare the Cluster {name}",
        location=owner.location,
    )


def _argocd(declarations: Declarations, target: DeploymentTarget) -> ArgoCDInstance:
    instances = declarations.argocd_instances
    if target.argocd is None and not instances:
        return ArgoCDInstance(_IMPLICIT_NAMESPACE, _IMPLICIT_NAMESPACE, None, {}, None)
    if target.argocd is None and len(instances) == 1:
        return next(iter(instances.values()))
    if target.argocd is not None and target.argocd in instances:
        return instances[target.argocd]
    if target.argocd is None:
        what = f"names no ArgoCDInstance, and there are several: {', '.join(sorted(instances))}"
        fix = "add `argocdRef: {name: …}` to the target"
    else:
        what = f"is of the ArgoCDInstance {target.argocd}, which the project does not have"
        fix = suggest(target.argocd, instances, "ArgoCDInstance") if instances else "declare it, or remove argocdRef"
    message = f"{target.location}: DeploymentTarget {target.name} {what}."
    raise NylError(Code.ARGOCD_UNKNOWN, message, fix, location=target.location)
