"""Schema problems as errors that name the file and the line."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
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
    root: str = ""
    """JSON pointer of the part that is checked, to which the pointers of problems are relative."""

    @property
    def kind(self) -> str:
        """What `nyl schema` calls it: the first word of the phrase."""
        return self.phrase.partition(" ")[0]


def schema_errors(found: Iterable["SchemaProblem"], subject: Subject) -> list[NylError]:
    """One NYL-RESOURCE-INVALID for each problem."""
    return [resource_error(subject, each.pointer, _sentence(each.reason), _fix(each, subject)) for each in found]


def resource_error(
    subject: Subject, pointer: str, sentence: str, fix: str, code: Code = Code.RESOURCE_INVALID
) -> NylError:
    """A problem at a JSON pointer of a resource. `sentence` goes on after the pointer."""
    place = Location(subject.file, subject.line_of(pointer))
    shown = subject.root + pointer
    where = f" {shown}" if shown else ""
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


def _fix(problem: "SchemaProblem", subject: Subject) -> str:
    reason, schema = problem.reason, f"`nyl schema {subject.kind}`"
    if problem.pointer == "/timeout":
        return DURATION_FIX
    if reason.startswith("must be a string"):
        return "write the value in quotes"
    if reason.startswith("is no known field"):
        return f"correct or remove the field; {schema} prints what the resource may hold"
    if reason.startswith("lacks"):
        return f"add the field; {schema} prints what the resource must hold"
    return f"correct the value; {schema} prints what it may be"
