"""`nyl validate`: the whole project without state: schemas, templates, references and cycles of every environment."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from nyl.core.codes import Code
from nyl.core.diagnostics import Diagnostic, NylError, Problems
from nyl.engine.content import rooted
from nyl.engine.driver_answers import declared_inputs
from nyl.engine.graph import cycle_of
from nyl.engine.preflight import CheckedUnit, KnownUnits, check_units, environment_dependencies
from nyl.engine.references import collect_cycle
from nyl.engine.requests import ValidateRequest
from nyl.engine.results import EnvironmentReport, Report, ReportKind
from nyl.engine.selection import select_environments
from nyl.engine.slots import MAIN
from nyl.project.discovery import Project
from nyl.project.rendering import Rendering
from nyl.project.resources import Environment
from nyl.project.units import RenderedUnit
from nyl.units.driver import Driver

if TYPE_CHECKING:
    from nyl.engine.workspace import Workspace


def validate(workspace: "Workspace", request: ValidateRequest) -> Report:
    """Checks the project in the working tree, or at a commit. All its problems are in the report.

    With a selection only those environments are checked. Reads no state and asks no remote.
    """
    project = workspace.worktree if request.at is None else workspace.project_at(_commit(workspace, request.at))
    chosen = request.selection
    selected: Iterable[Environment] = project.environments.values()
    if not chosen.is_empty:
        selected = select_environments(project.environments, project.groups, chosen)
    return _checked(_Check(project, workspace.project_folder, workspace.driver_of), selected)


def problems_of(project: Project, folder: str, driver_of: Callable[[RenderedUnit], Driver]) -> tuple[Diagnostic, ...]:
    """Everything that is wrong with the references, cycles, templates and schemas of a whole project.

    `folder` is the project's, from the root of its repository.
    """
    return _checked(_Check(project, folder, driver_of), project.environments.values()).all_diagnostics


def _checked(check: "_Check", environments: Iterable[Environment]) -> Report:
    sections = tuple(check.section(each) for each in sorted(environments, key=lambda each: each.name))
    return Report(ReportKind.VALIDATE, sections, diagnostics=check.cycle())


def _commit(workspace: "Workspace", revision: str) -> str:
    commit = workspace.objects.resolve(revision)
    if commit is None:
        raise NylError(
            Code.SOURCE_MISSING,
            f"There is no commit {revision} in this repository.",
            "name a commit, branch or tag that `git log` knows, or fetch it",
        )
    return commit


class _Check:
    """Checks environments one after the other, and what they depend on across each other."""

    def __init__(self, project: Project, folder: str, driver_of: Callable[[RenderedUnit], Driver]) -> None:
        self._project = project
        self._folder = folder
        self._driver_of = driver_of
        self._renderings: dict[str, tuple[Rendering, Problems]] = {}
        self._needs: dict[str, frozenset[str]] = {}

    def section(self, environment: Environment) -> EnvironmentReport:
        """One environment's problems, as its report: those of rendering, and of what could be rendered."""
        rendering, rendering_problems = self._rendering(environment)
        problems = Problems()
        units = check_units(
            environment,
            rendering.units,
            self._driver_of,
            self._others,
            problems,
            rendering.broken,
            self._project.environments,
        )
        self._check_paths(units.values(), problems)
        self._needs[environment.name] = environment_dependencies(units.values()) - {environment.name}
        return EnvironmentReport(environment.name, diagnostics=(*rendering_problems.diagnostics, *problems.diagnostics))

    def _check_paths(self, units: Iterable[CheckedUnit], problems: Problems) -> None:
        for unit in units:
            try:
                for files in declared_inputs(unit).files:
                    for glob in files.globs:
                        rooted(self._folder if files.source == MAIN else "", glob)
            except NylError as error:
                problems.add(unit.located(error))

    def cycle(self) -> tuple[Diagnostic, ...]:
        """NYL-DEPENDENCY-CYCLE when the checked environments depend on each other in a circle."""
        problems = Problems()
        collect_cycle(cycle_of(self._needs), "Environments", problems)
        return problems.diagnostics

    def _rendering(self, environment: Environment) -> tuple[Rendering, Problems]:
        if environment.name not in self._renderings:
            problems = Problems()
            self._renderings[environment.name] = (self._project.render_adding(environment, problems), problems)
        return self._renderings[environment.name]

    def _others(self, name: str) -> KnownUnits | None:
        environment = self._project.environments.get(name)
        if environment is None:
            return None
        rendering, _ = self._rendering(environment)
        return {**dict.fromkeys(rendering.broken), **rendering.units}
