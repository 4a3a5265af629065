"""Finding the resources of a project: every Git-visible YAML and JSON file below it is looked at."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nyl.core.cache import Cache
from nyl.core.codes import Code
from nyl.core.diagnostics import Location, NylError, Problems
from nyl.project.config import ProjectConfig
from nyl.project.declared_kubernetes import KubernetesRecords, kubernetes_records
from nyl.project.environments import build_environments, build_groups, build_repositories
from nyl.project.records import FileRecord, is_reserved
from nyl.project.rendering import RenderedKind, Rendering, render_units, rendered_kind
from nyl.project.resource_files import ResourceFiles
from nyl.project.resources import Environment, EnvironmentGroup, GitRepository
from nyl.project.trees import SourceTree
from nyl.project.units import UnitDocument, UnitKinds
from nyl.project.unknown_kinds import unknown_kind

if TYPE_CHECKING:  # most projects never ask
    from nyl.project.nobodys import NobodysDocument


class Project:
    """The resources of a project as one tree holds them."""

    def __init__(
        self,
        config: ProjectConfig,
        environments: Mapping[str, Environment],
        groups: Mapping[str, EnvironmentGroup],
        repositories: Mapping[str, GitRepository],
        units: Sequence[UnitDocument],
        kinds: Mapping[tuple[str, str], RenderedKind],
        files: ResourceFiles,
        kubernetes: KubernetesRecords,
    ) -> None:
        self.config = config
        self.environments = environments
        self.groups = groups
        self.repositories = repositories
        self.units = tuple(units)
        self.kubernetes = kubernetes
        self._kinds = kinds
        self._files = files

    @property
    def folder(self) -> str:
        """The folder that holds nyl.toml, from the root of the repository; '' is the root."""
        return self._files.folder

    def selected(self, environment: Environment) -> list[UnitDocument]:
        """The units that an environment selects, before any is rendered."""
        if not environment.match_labels:
            return list(self.units)
        return [unit for unit in self.units if environment.selects(unit.labels)]

    def nobodys(self, name: str) -> "tuple[NobodysDocument, ...]":
        """The documents of that name whose API group nothing installed has; they are no resources."""
        return tuple(each for each in self._files.nobodys() if each.name == name and each.kind)

    def misdeclared(self) -> "tuple[NobodysDocument, ...]":
        """The documents of an API group of nyl in a version that nyl does not have, and of such groups unknown."""
        return self._files.nobodys(is_reserved)

    def pointers(self) -> tuple[str, ...]:
        """The files that are kept in Git LFS, so that nothing tells whether they hold resources."""
        return self._files.pointers()

    def render(self, environment: Environment, names: Collection[str] | None = None) -> Rendering:
        """The units of an environment, rendered and checked; with `names` only those.

        Raises all problems together: NYL-NAME-TAKEN, NYL-TEMPLATE-INVALID, NYL-RESOURCE-INVALID and others.
        """
        problems = Problems()
        rendering = self._render(environment, problems, names)
        problems.raise_any()
        return rendering

    def render_adding(self, environment: Environment, problems: Problems) -> Rendering:
        """What can be rendered of an environment; its problems are added to others."""
        return self._render(environment, problems, None)

    def _render(self, environment: Environment, problems: Problems, names: Collection[str] | None) -> Rendering:
        selected = self.selected(environment)
        return render_units(environment, selected, self._kinds, self._files, self._files.cache, problems, names)

    def line_of(self, environment: Environment, unit: str, pointer: str) -> int:
        """The line of a unit's file that a JSON pointer into its rendered spec comes from; for messages and edits.

        Raises KeyError when the environment selects no such unit.
        """
        document = next((each for each in self.selected(environment) if each.name == unit), None)
        if document is None:
            raise KeyError(unit)
        from nyl.project.spec_rendering import spec_line

        return spec_line(environment, document, self._files.spec_texts([document])[0], pointer)

    def resource_line(self, location: Location, pointer: str) -> int:
        """The line that a JSON pointer into the resource at a location stands on; for messages and edits."""
        return self._files.resource_line(location, pointer)

    def resource_value(self, location: Location) -> Mapping[str, Any]:
        """The resource at a location as its file has it, without the defaults of groups."""
        return self._files.resource_value(location)

    def release_line(self, location: Location, pointer: str) -> int:
        """The line that a JSON pointer into the literal part of the Release at a location stands on."""
        return self._files.release_line(location, pointer)

    def line_holds(self, location: Location, text: str) -> bool:
        """Whether a line of a file holds a text literally."""
        lines = self._files.text(location.file).split("\n")
        return 0 < location.line <= len(lines) and text in lines[location.line - 1]


class Discovery:
    """Finds the resources of trees. Those with the same files share a project: a clean working tree and its commit."""

    def __init__(self, kinds: UnitKinds, cache: Cache) -> None:
        self._kinds = kinds
        self._cache = cache
        self._known: list[tuple[Mapping[str, str], Project]] = []

    def project(self, tree: SourceTree, config: ProjectConfig) -> Project:
        """The resources below a project's folder. Raises as `discover` does."""
        files = ResourceFiles(tree, config, self._cache)
        for identities, known in self._known:
            if identities == files.identities and known.config == config:
                return known
        found = _discover(files, config, self._kinds)
        self._known.append((files.identities, found))
        return found

    def environments(self, tree: SourceTree, config: ProjectConfig) -> tuple[Environment, ...]:
        """The Environments of a tree that can be read, whatever else is wrong with it.

        Raises NYL-FILE-INACCESSIBLE.
        """
        ignored = Problems()
        resources = _Resources(ResourceFiles(tree, config, self._cache).records(self._kinds, ignored))
        return tuple(_declared(resources, ignored)[0].values())


def discover(tree: SourceTree, config: ProjectConfig, kinds: UnitKinds, cache: Cache) -> Project:
    """The resources below a project's folder. Raises all problems together, those of templates included.

    Documents are cached by the identity of their file's content, so only files never seen are read.
    """
    return _discover(ResourceFiles(tree, config, cache), config, kinds)


def _discover(files: ResourceFiles, config: ProjectConfig, kinds: UnitKinds) -> Project:
    problems = Problems()
    records = files.records(kinds, problems)
    environments, groups, repositories = _declared(_Resources(records), problems)
    units = list(_units(records, files.identities))
    known = _kinds(units, kinds, config, problems)
    if config.unit_defaults:
        from nyl.project.kind_defaults import check_defaults

        check_defaults(config, kinds, known, problems)
    offered = [unit for unit in units if (unit.api_version, unit.kind) in known]
    kubernetes = kubernetes_records(records)
    project = Project(config, environments, groups, repositories, offered, known, files, kubernetes)
    if len(problems):
        _add_template_problems(project, problems)
    problems.raise_any()
    return project


class _Resources:
    """The resources that are not units, by kind."""

    def __init__(self, records: Mapping[str, FileRecord]) -> None:
        self._found = [
            (record.kind, record.name, record.document, Location(file, record.line))
            for file, each in records.items()
            for record in each.resources
        ]

    def of(self, kind: str, problems: Problems) -> list[tuple[Mapping[str, Any], Location]]:
        """The documents of a kind and where they stand; a name that stands twice is a problem."""
        first: dict[str, tuple[Mapping[str, Any], Location]] = {}
        for each, name, document, location in self._found:
            if each != kind:
                continue
            known = first.setdefault(name, (document, location))[1]
            if known is not location:
                problems.add(
                    NylError(
                        Code.NAME_TAKEN,
                        f"{location}: the {kind} {name} stands at {known} already.",
                        "rename or remove one of the two",
                        location=location,
                    )
                )
        return list(first.values())


def _declared(
    resources: _Resources, problems: Problems
) -> tuple[dict[str, Environment], dict[str, EnvironmentGroup], dict[str, GitRepository]]:
    repositories = build_repositories(resources.of("GitRepository", problems), problems)
    groups = build_groups(resources.of("EnvironmentGroup", problems))
    environments = build_environments(resources.of("Environment", problems), groups, repositories, problems)
    return environments, groups, repositories


def _units(records: Mapping[str, FileRecord], identities: Mapping[str, str]) -> Iterator[UnitDocument]:
    for file, record in records.items():
        for unit in record.units:
            yield UnitDocument(
                api_version=unit.api_version,
                kind=unit.kind,
                name=unit.name,
                labels=unit.labels,
                location=Location(file, unit.line),
                blob=identities[file],
                index=unit.index,
                spec_line=unit.spec_line,
                spec_digest=unit.spec_digest,
                templated=unit.templated,
            )


def _kinds(
    units: Iterable[UnitDocument], kinds: UnitKinds, config: ProjectConfig, problems: Problems
) -> dict[tuple[str, str], RenderedKind]:
    found: dict[tuple[str, str], RenderedKind] = {}
    unknown: set[tuple[str, str]] = set()
    for unit in units:
        key = (unit.api_version, unit.kind)
        if key in found:
            continue
        kind = kinds.find(*key) if key not in unknown else None
        if kind is not None:
            found[key] = rendered_kind(kind, config.unit_defaults.get(unit.kind, {}))
            continue
        unknown.add(key)
        problems.add(unknown_kind(unit.kind, unit.api_version, kinds.names(unit.api_version), unit.location))
    return found


def _add_template_problems(project: Project, problems: Problems) -> None:
    """A project with problems is rendered too, so that those of its templates are reported with the others."""
    for environment in project.environments.values():
        try:
            project.render(environment)
        except NylError as error:
            problems.add(error)
