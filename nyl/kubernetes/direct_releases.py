"""One Release for a direct command: taken from its compiled target, or rendered alone.

Follows Direct commands of the page Release Inputs, and Names in the Kubernetes specification.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from typing import Any

from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Diagnostic, Location
from nyl.kubernetes.bundle_templates import BundleTemplates
from nyl.kubernetes.compiler import compile_target
from nyl.kubernetes.direct_groups import DirectTarget
from nyl.kubernetes.direct_sources import DirectSource
from nyl.kubernetes.inputs.overrides import check_overrides, unbound_inputs
from nyl.kubernetes.inputs.sources import PublicationState
from nyl.kubernetes.layout import manifest_path, release_folder
from nyl.kubernetes.manifests import ObjectIdentity
from nyl.kubernetes.namespaces import NamespaceUser, authored_namespaces, managed_namespaces, may_own
from nyl.kubernetes.release_rendering import render_releases
from nyl.kubernetes.release_work import ReleaseJob
from nyl.kubernetes.rendered_releases import RenderedRelease
from nyl.kubernetes.resources import (
    ApplicationGroup,
    DeploymentTarget,
    ReleaseAddress,
)
from nyl.kubernetes.serialization import manifest_bytes
from nyl.kubernetes.session import RenderSession
from nyl.kubernetes.tree_checks import unknown_kinds

_FIRST = (("", "Namespace"), ("apiextensions.k8s.io", "CustomResourceDefinition"))
"""What other objects need before they can be applied."""


@dataclass(frozen=True)
class InputChoice:
    """What a direct command says of inputs."""

    overrides: Mapping[str, Any] = field(default_factory=dict)
    group: str | None = None
    """The one whose bindings apply; None: that whose local source contains the file."""
    defaults_only: bool = False

    @property
    def is_published(self) -> bool:
        """Whether the inputs are those of the published Release."""
        return not (self.overrides or self.defaults_only)


@dataclass(frozen=True)
class DirectObject:
    """An object of a Release, with the bytes of its file in a tree."""

    identity: ObjectIdentity
    content: bytes


@dataclass(frozen=True)
class DirectRelease:
    """A rendered Release: its bundle and the Namespaces that it owns, never objects of the catalog.

    Namespaces and CustomResourceDefinitions come first, all else in the order of its paths in a tree.
    """

    name: str
    group: str | None
    objects: tuple[DirectObject, ...]
    warnings: tuple[Diagnostic, ...]


def render_release(
    session: RenderSession,
    source: DirectSource,
    target: DeploymentTarget | None,
    choice: InputChoice,
    open_state: Callable[[], PublicationState],
) -> DirectRelease:
    """A Release for a target, or for none: then `values` is empty, and inputs have overrides and defaults.

    With the inputs that the target publishes it is just what the target publishes; with others it is rendered alone.
    Raises NYL-INPUT-BINDING, NYL-INPUT-MISSING and NYL-INPUT-INVALID, and what rendering raises.
    """
    check_overrides(source.document, choice.overrides)
    if target is None:
        return _Standalone(session, source).rendered(_unbound(source, choice))
    direct = DirectTarget.of(session, target, source)
    if choice.defaults_only:
        return _Standalone(session, source, direct, direct.only_group()).rendered(_unbound(source, choice))
    group = direct.group(choice.group)
    if choice.is_published and direct.publishes(group):
        return _published(session, source, target, group, open_state)
    inputs = direct.inputs(group, choice.overrides, open_state)
    values = inputs.values(ReleaseAddress(group.name, source.document.name)) if source.document.inputs else None
    return _Standalone(session, source, direct, group).rendered(values, inputs.warnings)


def _unbound(source: DirectSource, choice: InputChoice) -> dict[str, Any] | None:
    if not source.document.inputs:
        return None
    return {name: each.value for name, each in unbound_inputs(source.document, choice.overrides).items()}


def _published(
    session: RenderSession,
    source: DirectSource,
    target: DeploymentTarget,
    group: ApplicationGroup,
    open_state: Callable[[], PublicationState],
) -> DirectRelease:
    tree = compile_target(session, target, open_state)
    folder = release_folder(group.output_path, source.document.name) + "/"
    found = {path: facts for path, facts in tree.files.items() if path.startswith(folder)}
    contents = tree.contents.read_many(list(found))
    objects = [DirectObject(each.identity, contents[path]) for path, each in found.items() if each.identity]
    files = {Location.parse(each.origin).file for each in found.values()}
    warnings = tuple(each for each in tree.warnings if each.location is None or each.location.file in files)
    return DirectRelease(source.document.name, group.name, _ordered(objects), warnings)


@dataclass(frozen=True)
class _Standalone:
    """A Release that is rendered alone, without the other Releases of its target."""

    session: RenderSession
    source: DirectSource
    target: DirectTarget | None = None
    group: ApplicationGroup | None = None

    def rendered(self, inputs: Mapping[str, Any] | None, warnings: tuple[Diagnostic, ...] = ()) -> DirectRelease:
        job = self._job(inputs)
        [fresh] = [each for _, each in render_releases(self.session, [job], {})]
        release = fresh.release
        objects = [*self._namespaces(job, release), *_objects(release, fresh.bodies)]
        told = (*warnings, *release.warnings, *unknown_kinds([release]))
        name = self.group.name if self.group else None
        return DirectRelease(self.source.document.name, name, _ordered(objects), told)

    def _job(self, inputs: Mapping[str, Any] | None) -> ReleaseJob:
        document, target = self.source.document, self.target.target if self.target else None
        in_group = self.group.destination_namespace if self.group else None
        return ReleaseJob(
            address=ReleaseAddress(self.group.name if self.group else "", document.name),
            source=self.source.bundle,
            project=self.source.project,
            templates=BundleTemplates(target.context if target else {"values": {}}).with_inputs(inputs),
            destination=in_group or document.namespace,
            kube_version=target.cluster.kube_version if target else None,
            api_versions=target.cluster.api_versions if target else (),
            is_scoped=target is not None,
        )

    def _namespaces(self, job: ReleaseJob, release: RenderedRelease) -> Iterator[DirectObject]:
        """The Namespaces that are written for the Release though its bundle does not hold them."""
        if self.group is None:
            return
        used = (*filter(None, (job.destination,)), *release.spec.additional_namespaces)
        owned = tuple(each for each in used if may_own(self.group, each, job.address))
        authored = dict(authored_namespaces((facts.identity, facts.origin) for facts in release.files.values()))
        user = NamespaceUser(job.address, self.group, self.source.document.location, owned, authored)
        for namespace in managed_namespaces([user], {self.group.name: self.group}):
            manifest = namespace.manifest()
            yield DirectObject(manifest.identity, manifest_bytes(manifest))


def _objects(release: RenderedRelease, bodies: bytes) -> Iterator[DirectObject]:
    at = 0
    for facts, size in zip(release.files.values(), release.sizes, strict=True):
        if facts.identity is not None:
            yield DirectObject(facts.identity, bodies[at : at + size])
        at += size


def _ordered(objects: Iterable[DirectObject]) -> tuple[DirectObject, ...]:
    return tuple(sorted(objects, key=_place))


def _place(each: DirectObject) -> tuple[int, str]:
    kind = (each.identity.group, each.identity.kind)
    return (_FIRST.index(kind) if kind in _FIRST else len(_FIRST), manifest_path(each.identity))
