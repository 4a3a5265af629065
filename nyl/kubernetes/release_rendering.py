"""Rendering one Release: bundle, expansion, namespaces, files. Follows Pipeline in the Kubernetes specification."""

from collections.abc import Mapping
from dataclasses import dataclass

from nyl.core.diagnostics import NylError, Problems
from nyl.kubernetes.bundle_templates import ReleaseTemplates
from nyl.kubernetes.bundles import Bundle, BundleSource
from nyl.kubernetes.expansion.context import Expansion, ExpansionContext, ExpansionProject
from nyl.kubernetes.expansion.expander import Expander
from nyl.kubernetes.kinds import KindName, Scope, declared_scope
from nyl.kubernetes.manifests import Manifest
from nyl.kubernetes.rendered_releases import ReleaseFiles, RenderedRelease
from nyl.kubernetes.resources import ReleaseAddress
from nyl.kubernetes.scope import NamespaceRules, Placement


@dataclass(frozen=True)
class ReleaseJob:
    """A Release to render, with all that its bytes depend on beside the files it reads."""

    address: ReleaseAddress
    source: BundleSource
    project: ExpansionProject
    templates: ReleaseTemplates
    destination: str | None
    """The namespace of objects that name none."""
    kube_version: str | None = None
    api_versions: tuple[str, ...] = ()
    is_scoped: bool = True
    """Whether objects may only be in namespaces of the Release."""
    key: str = ""
    """Digest of all that is above, the contents of the files aside; '' is never cached."""


@dataclass(frozen=True)
class FreshRelease:
    """A Release that was just rendered."""

    release: RenderedRelease
    bodies: bytes
    """The bytes of its files, one after the other."""
    uses_helm: bool


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


def placed_objects(
    job: ReleaseJob, bundle: Bundle, expansion: Expansion, scopes: Mapping[KindName, Scope]
) -> list[Manifest]:
    """The objects of a Release in their namespaces, for commands that lay out no files. Raises as `render_files`."""
    placement = Placement(_rules(job, bundle), {**scopes, **_own_scopes(expansion)})
    problems = Problems()
    found = []
    for manifest in expansion.manifests:
        try:
            found.append(placement.placed(manifest))
        except NylError as error:
            problems.add(error)
    problems.raise_any()
    return found


def _rules(job: ReleaseJob, bundle: Bundle) -> NamespaceRules:
    additional = bundle.spec.additional_namespaces
    return NamespaceRules(str(job.address), job.destination, additional, is_checked=job.is_scoped)


def _own_scopes(expansion: Expansion) -> dict[KindName, Scope]:
    return dict(found for each in expansion.manifests if (found := declared_scope(each)) is not None)
