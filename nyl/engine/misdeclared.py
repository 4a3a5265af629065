"""Documents that may be meant for nyl, and that nothing reads: it is told, as units of them would be missed.

Those of an API group of nyl that nyl does not have, or not in that version, and files that are Git LFS pointers.
They are no resources (Discovery in the project specification), so they make no project invalid.
"""

from collections.abc import Iterator

from nyl.core.codes import Code
from nyl.core.diagnostics import Diagnostic, Location, Severity
from nyl.project.discovery import Project
from nyl.project.resources import Environment
from nyl.project.unknown_kinds import unknown_group


def misdeclared(project: Project, environment: Environment | None = None) -> Iterator[Diagnostic]:
    """A warning for each; of an environment only for those that it would select as units, where that can be told."""
    for each in project.misdeclared():
        if environment is None or environment.selects(each.labels):
            yield Diagnostic(
                Code.KIND_UNKNOWN,
                f"{each.location}: this document is of {each.api_version}, which nyl has not, so nothing reads it.",
                unknown_group(each.kind, each.api_version),
                Severity.WARNING,
                environment.name if environment else None,
                location=each.location,
            )
    for file in project.pointers():
        if file.endswith(".json"):
            continue  # as JSON, LFS mostly keeps data
        yield Diagnostic(
            Code.SOURCE_INPUT,
            f"{file} is a Git LFS pointer, not the file itself, so nothing reads the resources that it may hold.",
            "keep files with resources in Git itself",
            Severity.WARNING,
            environment.name if environment else None,
            location=Location(file),
        )
