"""What is wrong with the references, cycles, templates and schemas of a project: told without any state."""

from collections.abc import Callable, Iterable, Mapping

from nyl.core.diagnostics import Diagnostic, NylError, Problems
from nyl.engine.content import MAIN, rooted
from nyl.engine.driver_answers import declared_inputs
from nyl.engine.expansions import expand_units
from nyl.engine.graph import cycle_of, dependency_order
from nyl.engine.preflight import CheckedUnit, KnownUnits, check_units, environment_dependencies
from nyl.engine.references import collect_cycle
from nyl.project.discovery import Project
from nyl.project.rendering import Rendering
from nyl.project.resources import Environment
from nyl.project.units import RenderedUnit
from nyl.units.completion import Expansion
from nyl.units.driver import Driver

DriverOf = Callable[[RenderedUnit], Driver]
"""The driver of a unit."""


def problems_of(project: Project, folder: str, driver_of: DriverOf) -> tuple[Diagnostic, ...]:
    """Everything that is wrong with a whole project. `folder` is the project's, from the root of its repository."""
    check = ProjectCheck(project, folder, driver_of)
    environments = [project.environments[name] for name in sorted(project.environments)]
    return tuple(found for each in environments for found in check.problems(each)) + check.cycle()


class ProjectCheck:
    """Checks environments one after the other, and what they depend on across each other."""

    def __init__(self, project: Project, folder: str, driver_of: DriverOf) -> None:
        self._project = project
        self._folder = folder
        self._driver_of = driver_of
        self._renderings: dict[str, tuple[Rendering, Problems]] = {}
        self._expansions: dict[str, Mapping[str, Expansion]] = {}
        self._needs: dict[str, frozenset[str]] = {}

    def problems(self, environment: Environment) -> tuple[Diagnostic, ...]:
        """One environment's problems: those of rendering, and of what could be rendered."""
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
            self._expansions[environment.name],
            self._project.nobodys,
        )
        self._check_paths(units.values(), problems)
        self._needs[environment.name] = environment_dependencies(units.values()) - {environment.name}
        return (*rendering_problems.diagnostics, *problems.diagnostics)

    def _check_paths(self, units: Iterable[CheckedUnit], problems: Problems) -> None:
        for unit in units:
            try:
                for files in declared_inputs(unit).files:
                    for glob in files.globs:
                        rooted(self._folder if files.source == MAIN else "", glob)
            except NylError as error:
                problems.add(unit.located(error))

    def order(self) -> tuple[str, ...]:
        """The environments that were checked, as runs take them: producers first. As checked, if they form a circle."""
        return tuple(self._needs) if cycle_of(self._needs) else dependency_order(self._needs)

    def cycle(self) -> tuple[Diagnostic, ...]:
        """NYL-DEPENDENCY-CYCLE when the checked environments depend on each other in a circle."""
        problems = Problems()
        collect_cycle(cycle_of(self._needs), "Environments", problems)
        return problems.diagnostics

    def _rendering(self, environment: Environment) -> tuple[Rendering, Problems]:
        if environment.name not in self._renderings:
            problems = Problems()
            rendered = self._project.render_adding(environment, problems)
            expanded, expansions = expand_units(environment.name, rendered, self._driver_of, self._project, problems)
            self._renderings[environment.name] = (expanded, problems)
            self._expansions[environment.name] = expansions
        return self._renderings[environment.name]

    def _others(self, name: str) -> KnownUnits | None:
        environment = self._project.environments.get(name)
        if environment is None:
            return None
        rendering, _ = self._rendering(environment)
        return {**dict.fromkeys(rendering.broken), **rendering.units}
