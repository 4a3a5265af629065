"""Schema problems as errors that name the file and the line."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nyl.core.codes import Code
from nyl.core.diagnostics import Location, NylError

if TYPE_CHECKING:
    from nyl.core.schemas import SchemaProblem

DURATION_FIX = "write a duration such as `90s`, `10m`, `1h30m` or `7d`"


@dataclass(frozen=True)
class Subject:
    """What is checked: a phrase such as `Environment dev`, its file, and how to find the line of a JSON pointer."""

    phrase: str
    file: str
    line_of: Callable[[str], int]
    unit: str | None = None
    environment: str | None = None


def schema_errors(found: Iterable["SchemaProblem"], subject: Subject) -> list[NylError]:
    """One NYL-RESOURCE-INVALID for each problem."""
    return [resource_error(subject, each.pointer, _sentence(each.reason), _fix(each)) for each in found]


def resource_error(
    subject: Subject, pointer: str, sentence: str, fix: str, code: Code = Code.RESOURCE_INVALID
) -> NylError:
    """A problem at a JSON pointer of a resource. `sentence` goes on after the pointer."""
    place = Location(subject.file, subject.line_of(pointer))
    where = f" {pointer}" if pointer else ""
    return NylError(
        code,
        f"{place}: {subject.phrase}:{where} {sentence}",
        fix,
        location=place,
        unit=subject.unit,
        environment=subject.environment,
    )


def _sentence(reason: str) -> str:
    return reason if reason.endswith("?") else f"{reason}."


def _fix(problem: "SchemaProblem") -> str:
    reason = problem.reason
    if problem.pointer == "/timeout":
        return DURATION_FIX
    if reason.startswith("must be a string"):
        return "write the value in quotes"
    if reason.startswith("unknown field"):
        return "correct or remove the field; `nyl schema KIND` prints what a resource may hold"
    if reason.startswith("lacks"):
        return "add the field; `nyl schema KIND` prints what a resource must hold"
    return "correct the value; `nyl schema KIND` prints what it may be"
