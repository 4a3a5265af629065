"""Diagnostics and the exceptions that carry them to the one place that prints them."""

from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.exits import Exit, worst


class Severity(StrEnum):
    """How much a diagnostic weighs."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, order=True)
class Location:
    """A place in a file; `line` counts from 1, 0 where no line is known."""

    file: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file

    @classmethod
    def parse(cls, text: str) -> "Location":
        """The place that a text `file:line`, or a file alone, names."""
        file, _, line = text.rpartition(":")
        return cls(file, int(line)) if file and line.isdecimal() else cls(text)


@dataclass(frozen=True)
class Diagnostic:
    """One thing to tell the user: what happened, where, and what to do about it."""

    code: Code
    message: str
    fix: str
    severity: Severity = Severity.ERROR
    environment: str | None = None
    unit: str | None = None
    location: Location | None = None

    @property
    def subject(self) -> str | None:
        """What it is about, in the parentheses of the printed head line."""
        return self.unit or (str(self.location) if self.location else None)


class NylError(Exception):
    """A refusal that the user can act on."""

    def __init__(
        self,
        code: Code,
        message: str,
        fix: str,
        *,
        environment: str | None = None,
        unit: str | None = None,
        location: Location | None = None,
    ) -> None:
        super().__init__(f"{code.value}: {message}")
        self.diagnostic = Diagnostic(code, message, fix, Severity.ERROR, environment, unit, location)

    @property
    def exit(self) -> Exit:
        """What an operation that meets this error ends with."""
        return worst(each.code.exit for each in self.diagnostics)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Everything this error has to tell, one diagnostic a problem."""
        return (self.diagnostic,)

    def at(self, location: Location | None, field: str = "") -> "NylError":
        """The same error at the place where its value is written, `field` being what it is the value of."""
        found = self.diagnostic
        places = [each for each in (str(location) if location else "", field) if each]
        return NylError(found.code, ": ".join((*places, found.message)), found.fix, location=location)

    def about(self, *, environment: str | None = None, unit: str | None = None) -> "NylError":
        """The same error with an environment or unit named, where it named none yet."""
        known = self.diagnostic
        self.diagnostic = replace(known, environment=known.environment or environment, unit=known.unit or unit)
        return self


class NylErrors(NylError):
    """Several problems that were found together, such as all those of a project."""

    def __init__(self, problems: Iterable[NylError]) -> None:
        self._problems = tuple(problems)
        first = self._problems[0].diagnostic
        super().__init__(first.code, first.message, first.fix)
        self.diagnostic = first

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Everything this error has to tell, one diagnostic a problem."""
        return tuple(found for each in self._problems for found in each.diagnostics)

    def about(self, *, environment: str | None = None, unit: str | None = None) -> "NylErrors":
        """The same errors, each with an environment or unit named where it named none yet."""
        super().about(environment=environment, unit=unit)
        for each in self._problems:
            each.about(environment=environment, unit=unit)
        return self


class Problems:
    """Collects problems so that they can be reported together."""

    def __init__(self) -> None:
        self._found: list[NylError] = []

    def add(self, problem: NylError) -> None:
        """Keeps one problem."""
        self._found.append(problem)

    def __len__(self) -> int:
        return len(self._found)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What was collected, in the order of files and lines, each thing once."""
        found = (each for problem in sorted(self._found, key=_place) for each in problem.diagnostics)
        return tuple(dict.fromkeys(found))

    def raise_any(self) -> None:
        """Raises what was collected, in the order of files and lines; nothing when there is none."""
        if self._found:
            raise NylErrors(sorted(self._found, key=_place))


def _place(problem: NylError) -> tuple[str, int]:
    location = problem.diagnostics[0].location
    return (location.file, location.line) if location else ("", 0)
