"""What is wrong with the references, cycles, templates and schemas of a project: told without any state."""

from collections.abc import Callable, Iterable, Mapping

from nyl.core.diagnostics import Diagnostic, NylError, Problems
from nyl.engine.content import MAIN, rooted
from nyl.engine.driver_answers import declared_inputs
from nyl.engine.expansions import expand_units
from nyl.engine.graph import cycle_of, dependency_order
from nyl.engine.preflight import CheckedUnit, KnownUnits, Nameable, check_units, environment_dependencies
from nyl.engine.references import collect_cycles
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
        problems = Problems()
        _, rendering_problems = self._rendering(environment)
        units = self._checked(environment, problems)
        self._check_paths(units.values(), problems)
        self._needs[environment.name] = _needed(environment, units)
        return (*rendering_problems.diagnostics, *problems.diagnostics)

    def _checked(self, environment: Environment, problems: Problems) -> Mapping[str, CheckedUnit]:
        rendering, _ = self._rendering(environment)
        return check_units(
            environment,
            rendering.units,
            self._driver_of,
            Nameable(self._others, self._project.environments, rendering.broken, self._project.nobodys),
            problems,
            self._expansions[environment.name],
        )

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
        """NYL-DEPENDENCY-CYCLE when a checked environment is in a circle of environments, or depends on one."""
        problems = Problems()
        collect_cycles(self._all_needs(), "Environments", problems)
        return problems.diagnostics

    def _all_needs(self) -> Mapping[str, frozenset[str]]:
        """What the checked environments need, and what those need that are needed: a circle leads through any."""
        needs = dict(self._needs)
        waiting = sorted(frozenset[str]().union(*needs.values()))
        while waiting:
            environment = self._project.environments.get(waiting.pop())
            if environment is not None and environment.name not in needs:
                needs[environment.name] = _needed(environment, self._checked(environment, Problems()))
                waiting += sorted(needs[environment.name])
        return needs

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


def _needed(environment: Environment, units: Mapping[str, CheckedUnit]) -> frozenset[str]:
    return environment_dependencies(units.values()) - {environment.name}
