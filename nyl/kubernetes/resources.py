"""The Kubernetes resources of a project as data, after their schemas were checked (`k8s.gitops.nyl/v1`)."""

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Any

from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Location
from nyl.project.resources import RepositoryLocation


class ProjectManagement(StrEnum):
    """Who makes an AppProject."""

    RENDERED = "Rendered"
    EXTERNAL = "External"


class ResourcePolicy(StrEnum):
    """What Argo CD may do with a Namespace that is to go."""

    AUTOMATIC = "Automatic"
    CONFIRM = "Confirm"
    RETAIN = "Retain"


class ApplicationDeletionPolicy(StrEnum):
    """What becomes of an Application's resources when it is deleted."""

    FOREGROUND = "Foreground"
    BACKGROUND = "Background"
    ORPHAN = "Orphan"


class NamespaceOwnerKind(StrEnum):
    """Who owns a Namespace that several Applications use."""

    RELEASE = "Release"
    DEDICATED = "Dedicated"
    EXTERNAL = "External"


@dataclass(frozen=True)
class Destination:
    """A cluster as Argo CD knows it: by its server's URL or by its name; one of the two is None."""

    server: str | None = None
    name: str | None = None


@dataclass(frozen=True)
class Cluster:
    """A cluster that targets deploy to, and what it offers to charts."""

    name: str
    destination: Destination
    kube_version: str | None
    api_versions: tuple[str, ...]
    values: Mapping[str, Any]
    context: str | None
    """The kubeconfig context of direct commands; never visible to templates."""
    document: Mapping[str, Any]
    """What templates see as `cluster`: the resource without `spec.live`."""
    location: Location


@dataclass(frozen=True)
class Publication:
    """Where a target's tree is published."""

    repository: RepositoryLocation | None
    """None: the repository of the project itself."""
    revision: str
    """The branch, without refs/heads/."""
    prefix: str
    """Folder of the branch, without slashes at its ends; '' is the root."""


@dataclass(frozen=True)
class DeploymentTarget:
    """One tree that is rendered and published on its own."""

    name: str
    labels: Mapping[str, str]
    cluster: str
    match_labels: Mapping[str, str]
    """Empty selects every ApplicationGroup."""
    values: Mapping[str, Any]
    publication: Publication
    catalog: Mapping[str, Any]
    """`spec.catalogApplication` as it is written; its defaults come from the ArgoCDInstance."""
    argocd: str | None
    release_inputs: Mapping[str, Mapping[str, Mapping[str, Any]]]
    """Key `<group>/<release>` -> input -> the binding as it is written."""
    document: Mapping[str, Any]
    """What templates see as `target`: the resource without `spec.releaseInputs`."""
    location: Location


@dataclass(frozen=True)
class ArgoCDInstance:
    """An Argo CD that targets' Applications live in."""

    name: str
    namespace: str
    cluster: str | None
    catalog_defaults: Mapping[str, Any]
    location: Location | None
    """None for the implicit one of a project that declares none."""


@dataclass(frozen=True)
class AppProjectDefinition:
    """An AppProject that ApplicationGroups refer to."""

    name: str
    management: ProjectManagement
    manifest: Mapping[str, Any]
    location: Location


@dataclass(frozen=True)
class GroupDocument:
    """An ApplicationGroup before it is rendered for a target: literal envelope, text of its spec."""

    name: str
    labels: Mapping[str, str]
    location: Location
    spec: str
    """The text of `spec:` with its key; it may be a template."""
    spec_line: int


@dataclass(frozen=True)
class GroupSource:
    """Where the Releases of a group are. Without `commit` it is the project's own source tree."""

    path: str
    """From the root of the repository, without slashes at its ends; '' is the root."""
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    recursive: bool
    repository: RepositoryLocation | None = None
    revision: str | None = None
    commit: str | None = None

    @property
    def is_remote(self) -> bool:
        """Whether the files are those of a locked commit of some repository."""
        return self.commit is not None


@dataclass(frozen=True)
class NamespacePolicy:
    """`spec.namespace` of a group."""

    create: bool = True
    prune: ResourcePolicy = ResourcePolicy.CONFIRM
    delete: ResourcePolicy = ResourcePolicy.CONFIRM


@dataclass(frozen=True)
class NamespaceOwner:
    """The owner that a group declares for a shared namespace; `group` and `release` as its kind needs them."""

    kind: NamespaceOwnerKind
    group: str | None = None
    release: str | None = None


@dataclass(frozen=True)
class ProjectTemplate:
    """`spec.projectTemplate`: an AppProject made for a group."""

    name: str
    destination_namespaces: tuple[str, ...] = ()
    cluster_resource_whitelist: tuple[Mapping[str, str], ...] = ()
    namespace_resource_whitelist: tuple[Mapping[str, str], ...] | None = None


@dataclass(frozen=True)
class ReleaseCustomization:
    """What `argocd.applicationOverride` of a group's Releases may set: dotted globs, deny wins."""

    allowed_paths: tuple[str, ...] = ()
    denied_paths: tuple[str, ...] = ()
    allowed_sync_options: tuple[str, ...] = ()


@dataclass(frozen=True)
class ApplicationGroup:
    """An ApplicationGroup rendered for one target."""

    name: str
    labels: Mapping[str, str]
    enabled: bool
    project_ref: str | None
    project_template: ProjectTemplate | None
    application_namespace: str | None
    """None: the namespace of the target's ArgoCDInstance."""
    destination_namespace: str | None
    """None: the namespace of each Release."""
    output_path: str
    """Below the target's prefix, as declared (not encoded); the group's name by default."""
    application_name_template: str | None
    application_labels: Mapping[str, str]
    application_annotations: Mapping[str, str]
    source: GroupSource
    sync_policy: Mapping[str, Any]
    deletion_policy: ApplicationDeletionPolicy
    namespace: NamespacePolicy
    shared_namespaces: Mapping[str, NamespaceOwner]
    customization: ReleaseCustomization
    location: Location


@dataclass(frozen=True, order=True)
class ReleaseAddress:
    """A Release on a target: the key of its bindings."""

    group: str
    release: str

    def __str__(self) -> str:
        return f"{self.group}/{self.release}"


@dataclass(frozen=True)
class InputDeclaration:
    """An input that a Release declares. `type` is a JSON Schema type name."""

    name: str
    type: str
    description: str = ""
    has_default: bool = False
    default: Any = None
    enum: tuple[Any, ...] | None = None


@dataclass(frozen=True)
class ReleaseDocument:
    """The literal part of a Release, which is known before anything is rendered."""

    name: str
    namespace: str | None
    inputs: Mapping[str, InputDeclaration]
    location: Location
    """The line on which the document starts; its file is the entry file."""
    index: int
    """Which document of its file it is, from 0."""
    document: Mapping[str, Any] = field(default_factory=dict)
    """apiVersion, kind and metadata, as they are written."""


@dataclass(frozen=True)
class ReleaseSpec:
    """What a Release says beside its inputs, after rendering."""

    include: tuple[str, ...] = ()
    additional_namespaces: tuple[str, ...] = ()
    application_override: Mapping[str, Any] = field(default_factory=dict)
