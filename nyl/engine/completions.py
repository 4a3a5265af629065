"""Completed units: what drivers add to resolved specs, worked out once for each resolved spec."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from nyl.core.canonical import digest
from nyl.engine.driver_answers import ask_about
from nyl.engine.preflight import CheckedUnit
from nyl.units.completion import Completes, Completion
from nyl.units.driver import ResolvedUnit
from nyl.units.source_project import SourceProject

CompletionOf = Callable[[CheckedUnit, Mapping[str, Any]], Completion | None]
"""A unit with a resolved spec, completed; None where that would have to be worked out. Raises NylError."""


def complete_already(unit: CheckedUnit, spec: Mapping[str, Any]) -> Completion:
    """A unit whose driver adds nothing."""
    return Completion(spec)


def completions(environment: str, source: SourceProject | None) -> CompletionOf:
    """Completes the units of an environment, with as much work as that takes."""
    return _Completions(environment, source, lambda driver, unit, project: driver.complete(unit, project))


def recalled_completions(environment: str, source: SourceProject | None) -> CompletionOf:
    """The same from what is known already, without any work."""
    return _Completions(environment, source, lambda driver, unit, project: driver.recall(unit, project))


@dataclass
class _Completions:
    environment: str
    source: SourceProject | None
    ask: Callable[[Completes, ResolvedUnit, SourceProject], Completion | None]
    known: dict[tuple[str, str], Completion] = field(default_factory=dict)

    def __call__(self, unit: CheckedUnit, spec: Mapping[str, Any]) -> Completion | None:
        """The completed unit. Raises what its driver raises; NYL-DRIVER-INVALID for anything but NylError."""
        source = self.source
        if source is None or not callable(getattr(unit.driver, "complete", None)):
            return complete_already(unit, spec)
        driver, resolved = cast(Completes, unit.driver), unit.resolved(self.environment, spec)
        key = (unit.name, digest(spec))
        if key not in self.known:
            answer = ask_about(unit.rendered, "what it reads", lambda: self.ask(driver, resolved, source))
            if answer is None:
                return None
            self.known[key] = answer
        return self.known[key]
