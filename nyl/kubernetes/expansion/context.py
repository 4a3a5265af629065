"""What expansion is given with the objects of a Release, and what it gives back."""

from collections.abc import Mapping
from dataclasses import field

from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Diagnostic
from nyl.kubernetes.manifests import Manifest
from nyl.project.trees import WholeTree


@dataclass(frozen=True)
class ExpansionProject:
    """The project whose charts, components and aliases a Release may use: that of the Release's own repository."""

    files: WholeTree
    folder: str
    """The folder that holds nyl.toml; '' is the root of the repository."""
    components_search_paths: tuple[str, ...] = ("components",)
    helm_chart_search_paths: tuple[str, ...] = ("charts",)
    aliases: Mapping[str, str] = field(default_factory=dict)
    """`<apiVersion>/<Kind>` of objects -> kind of the Component that they stand for."""


@dataclass(frozen=True)
class ExpansionContext:
    """What the charts of one Release see."""

    project: ExpansionProject
    namespace: str
    """Namespace of a chart that names none: that of the Release."""
    kube_version: str | None = None
    api_versions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Expansion:
    """The objects of a Release after expansion, and what of the project they were made from."""

    manifests: tuple[Manifest, ...]
    sources: Mapping[str, str] = field(default_factory=dict)
    """Every file of the project that was read: path in the repository -> hex SHA-256 of its bytes."""
    folders: frozenset[str] = frozenset()
    """Folders whose whole listing decided what was read, those that are not there included.

    As long as these folders hold the same files, the same manifests expand to the same objects.
    """
    artifacts: Mapping[str, str] = field(default_factory=dict)
    """What was taken from elsewhere: key -> hex SHA-256 of its bytes."""
    warnings: tuple[Diagnostic, ...] = ()
