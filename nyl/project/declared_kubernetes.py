"""What a project declares of Kubernetes, as its files have it: `nyl.kubernetes` makes it into data."""

from collections.abc import Mapping
from typing import Any

from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Location
from nyl.project.records import FileRecord, GroupRecord, ReleaseRecord
from nyl.project.schema_catalog import static_kinds


@dataclass(frozen=True)
class KubernetesRecords:
    """The documents of a project, each with its place, in the order of files and lines."""

    resources: tuple[tuple[str, Mapping[str, Any], Location], ...] = ()
    """Kind and document of each Cluster, DeploymentTarget, ArgoCDInstance and AppProjectDefinition."""
    groups: tuple[tuple[GroupRecord, Location], ...] = ()
    releases: tuple[tuple[ReleaseRecord, Location], ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether the project declares nothing of Kubernetes."""
        return not (self.resources or self.groups or self.releases)

    @property
    def files(self) -> frozenset[str]:
        """The files that hold them, from the root of the repository."""
        of_resources = (place for _, _, place in self.resources)
        of_others = (place for _, place in (*self.groups, *self.releases))
        return frozenset(each.file for each in (*of_resources, *of_others))

    def target_names(self) -> tuple[str, ...]:
        """The names of the DeploymentTargets, sorted."""
        return tuple(sorted(each["metadata"]["name"] for kind, each, _ in self.resources if kind == "DeploymentTarget"))


def kubernetes_records(records: Mapping[str, FileRecord]) -> KubernetesRecords:
    """The documents that the files of a project hold."""
    static = frozenset(static_kinds())
    return KubernetesRecords(
        tuple(
            (each.kind, each.document, Location(file, each.line))
            for file, record in records.items()
            for each in record.resources
            if each.kind in static
        ),
        tuple((each, Location(file, each.line)) for file, record in records.items() for each in record.groups),
        tuple((each, Location(file, each.line)) for file, record in records.items() for each in record.releases),
    )
