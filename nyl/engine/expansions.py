"""What the project adds to units before references are looked for, where their drivers ask for that."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import cast

from nyl.core.diagnostics import NylError, Problems
from nyl.engine.driver_answers import ask_about
from nyl.project.discovery import Project
from nyl.project.rendering import Rendering
from nyl.project.units import RenderedUnit
from nyl.units.completion import Expands, Expansion
from nyl.units.driver import Driver


def expand_units(
    environment: str,
    rendering: Rendering,
    driver_of: Callable[[RenderedUnit], Driver],
    project: Project,
    problems: Problems,
) -> tuple[Rendering, Mapping[str, Expansion]]:
    """The rendering with expanded specs, and what was added, by unit.

    Adds what kept a unit from being expanded; such a unit stays as it was.
    """
    found: dict[str, Expansion] = {}
    for name, unit in rendering.units.items():
        driver = driver_of(unit)
        if not callable(getattr(driver, "expand", None)):
            continue
        try:
            found[name] = ask_about(
                unit, "what it is made of", partial(cast(Expands, driver).expand, unit.spec, project)
            )
        except NylError as error:
            known, place = error.diagnostic, error.diagnostic.location or unit.location
            problems.add(
                NylError(known.code, known.message, known.fix, environment=environment, unit=name, location=place)
            )
    if not found:
        return rendering, {}
    units = {
        name: replace(unit, spec=found[name].spec) if name in found else unit for name, unit in rendering.units.items()
    }
    return replace(rendering, units=units), found
