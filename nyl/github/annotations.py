"""Diagnostics as annotations, which GitHub shows with the run and beside the lines of a pull request's files."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain

from nyl.core.diagnostics import Diagnostic, Location, Severity
from nyl.core.exits import Exit
from nyl.github.commands import workflow_command

SHOWN = 10
"""Annotations of one severity that GitHub keeps of a step; later ones are dropped without a word."""

_LONGEST = 4000
_FAILURES = (Exit.FAILED, Exit.UNCERTAIN)


def annotations(diagnostics: Iterable[Diagnostic], ended: Exit, is_file: Callable[[str], bool]) -> Iterator[str]:
    """Commands that annotate: errors as errors, warnings as warnings, each thing once.

    A warning of what made the command end as it `ended`, such as of a unit that failed, is an error here. `is_file`
    tells whether a path, relative to the root of the repository, is a file there: documents of recorded
    state have places, too. Where there are more than GitHub shows, the last one counts the others.
    """
    found = tuple(dict.fromkeys(_weighed(each, ended) for each in diagnostics))
    return chain.from_iterable(
        _of_severity([each for each in found if each.severity is severity], is_file) for severity in Severity
    )


def _weighed(diagnostic: Diagnostic, ended: Exit) -> Diagnostic:
    is_cause = ended in _FAILURES and diagnostic.code.exit in _FAILURES
    return replace(diagnostic, severity=Severity.ERROR) if is_cause else diagnostic


def _of_severity(found: list[Diagnostic], is_file: Callable[[str], bool]) -> Iterator[str]:
    fits = len(found) <= SHOWN
    for each in found if fits else found[: SHOWN - 1]:
        yield _annotation(each, is_file)
    if not fits:
        rest = len(found) - SHOWN + 1
        kind = found[0].severity.value
        yield workflow_command(kind, f"{rest} more {kind}s are in the log of this step and in its report.", title="nyl")


def _annotation(diagnostic: Diagnostic, is_file: Callable[[str], bool]) -> str:
    place = diagnostic.location
    where = _place(place) if place and is_file(place.file) else {}
    text = f"{diagnostic.message}\nfix: {diagnostic.fix}" if diagnostic.fix else diagnostic.message
    return workflow_command(diagnostic.severity.value, _shortened(text), title=_title(diagnostic), **where)


def _place(location: Location) -> dict[str, str]:
    return {"file": location.file, "line": str(location.line) if location.line else ""}


def _title(diagnostic: Diagnostic) -> str:
    about = "/".join(each for each in (diagnostic.environment, diagnostic.unit) if each)
    return f"{diagnostic.code.value} ({about})" if about else diagnostic.code.value


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"
