"""What a run knows of an environment before it reads any state: S, the checked units, and what they read."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Diagnostic, NylError, Problems
from nyl.engine.expansions import expand_units
from nyl.engine.graph import dependency_order
from nyl.engine.inputs import InputReader, UnitContents, UnitInputs
from nyl.engine.misdeclared import misdeclared
from nyl.engine.preflight import CheckedUnit, Nameable, Renderings, check_units
from nyl.engine.references import find_references
from nyl.engine.results import LeavingWhy
from nyl.engine.source import Source, snapshot_notice
from nyl.engine.source_projects import SourceProjects
from nyl.engine.state_branches import StateBranches
from nyl.engine.submodules import submodule_warnings
from nyl.engine.unit_edges import Edge, UnitGraph, unit_edges
from nyl.engine.unit_sources import UnitSources
from nyl.engine.workspace import Workspace
from nyl.git.objects import ObjectReader
from nyl.project.discovery import Project
from nyl.project.rendering import Rendering
from nyl.project.resources import Environment
from nyl.units.completion import Expansion
from nyl.units.source_project import SourceProject


@dataclass(frozen=True)
class RenderedEnvironment:
    """An environment with its units rendered at S, not checked yet."""

    environment: Environment
    source: Source
    project: Project
    rendering: Rendering
    """Units as their drivers expanded them."""
    expansions: Mapping[str, Expansion] = field(default_factory=dict)
    source_project: SourceProject | None = None
    """The project as drivers see it; None where none looks."""

    @property
    def name(self) -> str:
        """The environment's name."""
        return self.environment.name


@dataclass(frozen=True)
class PreparedEnvironment:
    """An environment whose units are checked and whose input files are known. State decides the rest."""

    rendered: RenderedEnvironment
    units: Mapping[str, CheckedUnit]
    order: tuple[str, ...]
    """Dependency order, ties by name."""
    contents: Mapping[str, UnitContents]
    inputs: Mapping[str, UnitInputs]

    @property
    def name(self) -> str:
        """The environment's name."""
        return self.rendered.name

    @property
    def environment(self) -> Environment:
        """The environment."""
        return self.rendered.environment

    @property
    def source(self) -> Source:
        """The source commit and how it was decided."""
        return self.rendered.source

    @property
    def kinds(self) -> dict[str, tuple[str, str]]:
        """Unit -> apiVersion and kind that source gives it."""
        return {name: (each.rendered.api_version, each.rendered.kind) for name, each in self.units.items()}

    @property
    def graph(self) -> UnitGraph:
        """The units and what they depend on, those of other environments included."""
        edges = tuple(edge for name in self.order for edge in self._edges(name))
        foreign = {edge.producer for edge in edges} - self.units.keys()
        return UnitGraph(self.name, (*sorted(foreign), *self.order), edges)

    def _edges(self, name: str) -> Iterable[Edge]:
        unit = self.units[name]
        if not (unit.needs or unit.foreign):
            return ()
        return unit_edges(self.name, name, unit.references, unit.rendered.depends_on)

    @property
    def notices(self) -> tuple[Diagnostic, ...]:
        """What its reports tell of S: that it is a snapshot, and which of its documents and files nothing reads."""
        return (
            *snapshot_notice(self.name, self.source),
            *misdeclared(self.rendered.project, self.environment),
            *submodule_warnings(self.name, self.contents.values()),
        )

    def why_leaving(self, unit: str) -> LeavingWhy:
        """Why a recorded unit is not among `units`."""
        rendering = self.rendered.rendering
        if unit in rendering.disabled:
            return LeavingWhy.DISABLED
        declared = {each.name for each in self.rendered.project.units}
        return LeavingWhy.DESELECTED if unit in declared and unit not in rendering.empty else LeavingWhy.REMOVED


def render_environment(
    workspace: Workspace, declared: Environment, source: Source, sources: SourceProjects
) -> RenderedEnvironment:
    """An environment's units at S.

    What decides S and where state lives comes from `declared`, the working tree's; everything else from S. Raises
    NYL-ENVIRONMENT-UNKNOWN when S does not declare the environment, and what keeps units from being expanded.
    """
    project = workspace.project_at(source.commit)
    there = project.environments.get(declared.name)
    if there is None:
        raise NylError(
            Code.ENVIRONMENT_UNKNOWN,
            f"The source commit {source.commit} does not declare Environment {declared.name}.",
            f"commit {declared.location.file}, or choose a source commit that has it",
            environment=declared.name,
        )
    environment = replace(
        there,
        source=declared.source,
        state=declared.state,
        protected_refs=declared.protected_refs,
        allow_unprotected_source=declared.allow_unprotected_source,
        admission=declared.admission,
    )
    problems = Problems()
    rendering, expansions = expand_units(there.name, project.render(there), workspace.driver_of, project, problems)
    problems.raise_any()
    return RenderedEnvironment(environment, source, project, rendering, expansions, sources.at(source.commit))


def prepare_environment(workspace: Workspace, rendered: RenderedEnvironment, others: Renderings) -> PreparedEnvironment:
    """Checks a rendered environment and reads what its units read. Raises every problem that it finds together."""
    problems = Problems()
    units = check_units(
        rendered.environment,
        rendered.rendering.units,
        workspace.driver_of,
        Nameable(others, rendered.project.environments, nobodys=rendered.project.nobodys),
        problems,
        rendered.expansions,
    )
    for problem in _on_state(workspace, rendered):
        problems.add(problem)
    problems.raise_any()
    sources = UnitSources(workspace, rendered.environment, rendered.source, rendered.project.repositories)
    contents: dict[str, UnitContents] = {}
    for name, unit in units.items():
        try:
            contents[name] = sources.contents(unit)
        except NylError as error:
            problems.add(unit.located(error).about(environment=rendered.name))
    problems.raise_any()
    readers: dict[object, ObjectReader] = {workspace.repository: workspace.objects}
    readers |= {remote.repository: remote.objects for remote in sources.remotes.values()}
    inputs = InputReader(workspace.cache, readers).read(contents.values())
    order = dependency_order({name: unit.needs for name, unit in units.items()})
    return PreparedEnvironment(rendered, units, order, contents, inputs)


def _on_state(workspace: Workspace, rendered: RenderedEnvironment) -> Iterator[NylError]:
    """NYL-URL-REFUSED for every unit that pushes to a branch of state."""
    pushed = [(unit, each) for unit, expansion in rendered.expansions.items() for each in expansion.pushes]
    if not pushed:
        return
    branches = StateBranches.of(workspace.worktree.environments.values(), workspace.repository)
    for unit, each in pushed:
        refusal = branches.refusal(each.repository, each.branch)
        if refusal is not None:
            yield refusal.at(each.location, each.field).about(environment=rendered.name, unit=unit)


def environments_needed(workspace: Workspace, rendered: RenderedEnvironment) -> frozenset[str]:
    """The other environments that an environment's units refer to, as far as that can be read without checking."""
    needed: set[str] = set()
    for unit in rendered.rendering.units.values():
        driver = workspace.driver_of(unit)
        try:
            producers = [each.producer for each in find_references(unit, driver.reference_fields)]
        except NylError:
            producers = []  # preparing the environment reports it
        needed |= {each.environment for each in (*producers, *unit.depends_on) if each.environment is not None}
    return frozenset(needed - {rendered.name})
