"""The objects and files of one Release: expanded, and in their namespaces.

Follows Pipeline in the Kubernetes specification.
"""

from collections.abc import Mapping

from nyl.kubernetes.bundles import Bundle
from nyl.kubernetes.expansion.context import Expansion, ExpansionContext
from nyl.kubernetes.expansion.expander import Expander
from nyl.kubernetes.kinds import KindName, Scope, declared_scope
from nyl.kubernetes.release_files import ReleaseFiles
from nyl.kubernetes.release_work import FreshRelease, ReleaseJob
from nyl.kubernetes.rendered_releases import RenderedRelease
from nyl.kubernetes.scope import NamespaceRules, Placement


def expand_bundle(job: ReleaseJob, bundle: Bundle, expander: Expander) -> Expansion:
    """The objects that a bundle stands for. Raises what expansion raises."""
    context = ExpansionContext(job.project, job.destination or "default", job.kube_version, job.api_versions)
    return expander.expand(bundle.manifests, context)


def render_files(
    job: ReleaseJob, bundle: Bundle, expansion: Expansion, scopes: Mapping[KindName, Scope]
) -> FreshRelease:
    """The files of a Release. `scopes` is what CustomResourceDefinitions elsewhere in the tree say.

    Raises all that is wrong with its objects together: NYL-OBJECT-NAME, NYL-OBJECT-TAKEN, NYL-NAMESPACE-SCOPE.
    """
    placement = Placement(_rules(job, bundle), {**scopes, **_own_scopes(expansion)})
    files = ReleaseFiles(placement)
    files.add_all(expansion.manifests)
    rendered = RenderedRelease(
        spec=bundle.spec,
        files=files.files,
        sizes=tuple(map(len, files.bodies)),
        scopes=files.scopes,
        open_kinds=placement.open_kinds,
        includes=bundle.includes,
        sources={**bundle.sources, **expansion.sources},
        folders=expansion.folders,
        artifacts=expansion.artifacts,
        warnings=(*expansion.warnings, *files.warnings),
    )
    uses_helm = any(len(each.provenance) > 1 for each in expansion.manifests)
    return FreshRelease(rendered, b"".join(files.bodies), uses_helm)


def _rules(job: ReleaseJob, bundle: Bundle) -> NamespaceRules:
    additional = bundle.spec.additional_namespaces
    return NamespaceRules(str(job.address), job.destination, additional, is_checked=job.is_scoped)


def _own_scopes(expansion: Expansion) -> dict[KindName, Scope]:
    return dict(found for each in expansion.manifests if (found := declared_scope(each)) is not None)
