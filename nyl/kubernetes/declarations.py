"""The Kubernetes resources of a project, made from its documents.

Follows Resources in the Kubernetes specification.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Location, NylError, Problems
from nyl.kubernetes import static_resources as static
from nyl.kubernetes.release_documents import release_document
from nyl.kubernetes.resources import (
    AppProjectDefinition,
    ArgoCDInstance,
    Cluster,
    DeploymentTarget,
    GroupDocument,
    ReleaseDocument,
)
from nyl.project.declared_kubernetes import KubernetesRecords
from nyl.project.discovery import Project
from nyl.project.records import ReleaseRecord
from nyl.project.resources import GitRepository

_Resource = TypeVar("_Resource")


@dataclass(frozen=True)
class Declarations:
    """Every Kubernetes resource of a project. Nothing is rendered, and no reference between them is followed yet."""

    clusters: Mapping[str, Cluster]
    targets: Mapping[str, DeploymentTarget]
    argocd_instances: Mapping[str, ArgoCDInstance]
    projects: Mapping[str, AppProjectDefinition]
    groups: Mapping[str, GroupDocument]
    releases: Mapping[str, ReleaseDocument]
    """By entry file, as a path from the root of the repository."""
    repositories: Mapping[str, GitRepository]
    folder: str = ""
    """The project's folder, from the root of the repository; '' is the root."""

    @classmethod
    def of(cls, project: Project) -> "Declarations":
        """The resources of a project. Raises all problems together: names that stand twice, repositories that are
        unknown or refused, and what is wrong with the inputs that Releases declare."""
        problems = Problems()
        found = declarations_adding(project, problems)
        problems.raise_any()
        return found


def declarations_adding(project: Project, problems: Problems) -> Declarations:
    """The resources of a project that are right; the problems of the others are added."""
    builder = _Builder(project, problems)
    records = project.kubernetes
    return Declarations(
        clusters=builder.static("Cluster", static.cluster),
        targets=builder.static(
            "DeploymentTarget",
            lambda document, location: static.deployment_target(document, location, project.repositories),
        ),
        argocd_instances=builder.static("ArgoCDInstance", static.argocd_instance),
        projects=builder.static("AppProjectDefinition", static.app_project),
        groups=builder.groups(records),
        releases={location.file: builder.release(record, location) for record, location in records.releases},
        repositories=project.repositories,
        folder=project.folder,
    )


class _Builder:
    """Makes the resources of one project, and collects what is wrong with them."""

    def __init__(self, project: Project, problems: Problems) -> None:
        self._project = project
        self._problems = problems
        self._places: dict[tuple[str, str], Location] = {}

    def static(self, kind: str, make: Callable[[Mapping[str, Any], Location], _Resource]) -> dict[str, _Resource]:
        found: dict[str, _Resource] = {}
        for each, document, location in self._project.kubernetes.resources:
            name = document["metadata"]["name"]
            if each != kind or not self._is_first(kind, name, location):
                continue
            try:
                found[name] = make(document, location)
            except NylError as error:
                self._problems.add(error)
        return found

    def groups(self, records: KubernetesRecords) -> dict[str, GroupDocument]:
        return {
            record.name: GroupDocument(record.name, record.labels, location, record.spec, record.spec_line)
            for record, location in records.groups
            if self._is_first("ApplicationGroup", record.name, location)
        }

    def release(self, record: ReleaseRecord, location: Location) -> ReleaseDocument:
        try:
            return release_document(record, location, partial(self._project.release_line, location))
        except NylError as error:
            self._problems.add(error)
            return release_document(replace(record, inputs=None), location, lambda _: location.line)

    def _is_first(self, kind: str, name: str, location: Location) -> bool:
        """Whether nothing before it has its kind and name; a problem otherwise."""
        first = self._places.setdefault((kind, name), location)
        if first is not location:
            message = f"{location}: the {kind} {name} stands at {first} already."
            fix = "rename or remove one of the two"
            self._problems.add(NylError(Code.NAME_TAKEN, message, fix, location=location))
        return first is location
