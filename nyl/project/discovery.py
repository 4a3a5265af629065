"""Finding the resources of a project: every Git-visible YAML and JSON file below it is looked at."""

import hashlib
import posixpath
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from nyl import __version__
from nyl.core.cache import Cache
from nyl.core.codes import Code
from nyl.core.diagnostics import Location, NylError, Problems
from nyl.project.config import ProjectConfig
from nyl.project.documents import (
    BUILT_IN_GROUPS,
    FORMAT,
    DocumentLines,
    FileRecord,
    parse_file,
    parse_text,
    unknown_kind,
)
from nyl.project.envelopes import RawDocument, decode, split_documents
from nyl.project.environments import build_environments, build_groups, build_repositories
from nyl.project.kind_defaults import check_defaults
from nyl.project.rendering import RenderedKind, Rendering, render_units, rendered_kind, spec_line
from nyl.project.resources import Environment, EnvironmentGroup, GitRepository
from nyl.project.trees import SourceTree
from nyl.project.units import UnitDocument, UnitKinds

_SUFFIXES = (".yaml", ".yml", ".json")


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
        files: "ResourceFiles",
    ) -> None:
        self.config = config
        self.environments = environments
        self.groups = groups
        self.repositories = repositories
        self.units = tuple(units)
        self._kinds = kinds
        self._files = files

    def selected(self, environment: Environment) -> list[UnitDocument]:
        """The units that an environment selects, before any is rendered."""
        if not environment.match_labels:
            return list(self.units)
        return [unit for unit in self.units if environment.selects(unit.labels)]

    def render(self, environment: Environment, names: Collection[str] | None = None) -> Rendering:
        """The units of an environment, rendered and checked; with `names` only those.

        Raises all problems together: NYL-NAME-TAKEN, NYL-TEMPLATE-INVALID, NYL-RESOURCE-INVALID and others.
        """
        selected = self.selected(environment)
        return render_units(environment, selected, self._kinds, self._files, self._files.cache, names)

    def line_of(self, environment: Environment, unit: str, pointer: str) -> int:
        """The line of a unit's file that a JSON pointer into its rendered spec comes from; for messages and edits.

        Raises KeyError when the environment selects no such unit.
        """
        document = next((each for each in self.selected(environment) if each.name == unit), None)
        if document is None:
            raise KeyError(unit)
        return spec_line(environment, document, self._files, pointer)

    def resource_line(self, location: Location, pointer: str) -> int:
        """The line that a JSON pointer into the resource at a location stands on; for messages and edits."""
        return self._files.resource_line(location, pointer)

    def resource_value(self, location: Location) -> Mapping[str, Any]:
        """The resource at a location as its file has it, without the defaults of groups."""
        return self._files.resource_value(location)

    def line_holds(self, location: Location, text: str) -> bool:
        """Whether a line of a file holds a text literally."""
        lines = self._files.text(location.file).split("\n")
        return 0 < location.line <= len(lines) and text in lines[location.line - 1]


def discover(tree: SourceTree, config: ProjectConfig, kinds: UnitKinds, cache: Cache) -> Project:
    """The resources below a project's folder. Raises all problems together, those of templates included.

    Documents are cached by the identity of their file's content, so only files never seen are read.
    """
    files = ResourceFiles(tree, config, cache)
    problems = Problems()
    records = files.records(kinds, problems)
    resources = _Resources(records)
    repositories = build_repositories(resources.of("GitRepository", problems), problems)
    groups = build_groups(resources.of("EnvironmentGroup", problems))
    environments = build_environments(resources.of("Environment", problems), groups, repositories, problems)
    units = list(_units(records, files.identities))
    known = _kinds(units, kinds, config, problems)
    check_defaults(config, kinds, known, problems)
    offered = [unit for unit in units if (unit.api_version, unit.kind) in known]
    project = Project(config, environments, groups, repositories, offered, known, files)
    if len(problems):
        _add_template_problems(project, problems)
    problems.raise_any()
    return project


class ResourceFiles:
    """The files of a tree that may hold resources, parsed or taken from the cache."""

    def __init__(self, tree: SourceTree, config: ProjectConfig, cache: Cache) -> None:
        self.cache = cache
        self._tree = tree
        self._excluded = posixpath.normpath(posixpath.join(tree.project_folder, config.cache_dir)) + "/"
        self._specs: dict[tuple[str, int], str] = {}
        self._groups = BUILT_IN_GROUPS
        self.identities: dict[str, str] = {}
        """Identity of the content of each file, by its path."""

    def records(self, kinds: UnitKinds, problems: Problems) -> dict[str, FileRecord]:
        """What each file holds, by its path.

        The groups of installed drivers are only asked for when a file has an API version that nyl does not know.
        """
        files = self._tree.files(_SUFFIXES)
        self.identities = {path: files[path] for path in sorted(files) if not path.startswith(self._excluded)}
        records = self._records(self.identities, problems)
        foreign = {version for record in records.values() for version in record.foreign}
        installed = kinds.groups() & foreign if foreign else frozenset()
        if installed:
            self._groups = BUILT_IN_GROUPS | installed
            again = {path for path, record in records.items() if not installed.isdisjoint(record.foreign)}
            records.update(self._records({path: self.identities[path] for path in again}, Problems()))
        return records

    def spec_texts(self, documents: Sequence[UnitDocument]) -> list[str]:
        """The spec text of each document, in their order."""
        missing = {each.location.file for each in documents if (each.location.file, each.index) not in self._specs}
        for path, data in self._tree.read_many(missing).items() if missing else ():
            self._parse(path, data)
        return [self._specs[each.location.file, each.index] for each in documents]

    def resource_line(self, location: Location, pointer: str) -> int:
        """The line of what a JSON pointer points at in the document that starts at a location."""
        document = self._document(location)
        return DocumentLines(document.text, document.line).line_of(pointer)

    def resource_value(self, location: Location) -> Mapping[str, Any]:
        """The resource that starts at a location."""
        document = self._document(location)
        return parse_text(document.text, location.file, document.line)

    def text(self, file: str) -> str:
        """The text of a file."""
        return decode(self._tree.read_many([file])[file], file)

    def _document(self, location: Location) -> RawDocument:
        return next(each for each in split_documents(self.text(location.file)) if each.first_line() == location.line)

    def _records(self, identities: Mapping[str, str], problems: Problems) -> dict[str, FileRecord]:
        namespace = f"documents/{__version__}/{FORMAT}/{_digest(self._groups)}"
        cached = self.cache.get_many(namespace, identities.values())
        records = {
            path: record
            for path, identity in identities.items()
            if identity in cached and (record := FileRecord.decode(cached[identity])) is not None
        }
        missing = [path for path in identities if path not in records]
        fresh: dict[str, bytes] = {}
        for path, data in self._tree.read_many(missing).items() if missing else ():
            record, found = self._parse(path, data)
            records[path] = record
            for problem in found:
                problems.add(problem)
            if not found:
                fresh[identities[path]] = record.encode()
        self.cache.put_many(namespace, fresh)
        return records

    def _parse(self, path: str, data: bytes) -> tuple[FileRecord, tuple[NylError, ...]]:
        parsed = parse_file(data, path, self._groups)
        self._specs.update({(path, index): text for index, text in parsed.specs.items()})
        return parsed.record, parsed.problems


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
                        "Rename or remove one of the two.",
                        location=location,
                    )
                )
        return list(first.values())


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


def _digest(groups: frozenset[str]) -> str:
    return hashlib.sha256("\n".join(sorted(groups)).encode()).hexdigest()[:16]
